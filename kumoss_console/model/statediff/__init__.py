"""Two states against each other, object by object; and the way back to an older one."""

from kumoss_console.model.statediff.diff import NULL_ALONE, ChangeKind, ObjectChange, OutputDifference, StateDiff, diff
from kumoss_console.model.statediff.recorded import Recorded, RecordedState, recorded
from kumoss_console.model.statediff.restore import RestorePlan, plan_restore

__all__ = [
    "NULL_ALONE",
    "ChangeKind",
    "ObjectChange",
    "OutputDifference",
    "Recorded",
    "RecordedState",
    "RestorePlan",
    "StateDiff",
    "diff",
    "plan_restore",
    "recorded",
]
