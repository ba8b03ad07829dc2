"""What is wrong with a bucket as a whole: findings from its listing, the heads of its states and their histories."""

from kumoss_console.model.scan.across import Lineages, across_keys
from kumoss_console.model.scan.document import is_error, of_head
from kumoss_console.model.scan.finding import ScanFinding, Subject, because, by_gravity
from kumoss_console.model.scan.history import Version, of_history
from kumoss_console.model.scan.usage import LastJob, Witness, of_usage

__all__ = [
    "LastJob",
    "Lineages",
    "ScanFinding",
    "Subject",
    "Version",
    "Witness",
    "across_keys",
    "because",
    "by_gravity",
    "is_error",
    "of_head",
    "of_history",
    "of_usage",
]
