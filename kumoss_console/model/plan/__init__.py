"""Plans: what an engine would do, what is lost first, and why."""

from kumoss_console.model.plan.document import (
    Action,
    Change,
    Check,
    Deferred,
    Key,
    OutputChange,
    Path,
    Plan,
    Summary,
)
from kumoss_console.model.plan.leaves import Diff, Leaf, Sign, diff, words
from kumoss_console.model.plan.parse import parse_plan
from kumoss_console.model.plan.shape import shape
from kumoss_console.model.plan.values import Line, Value

__all__ = [
    "Action",
    "Change",
    "Check",
    "Deferred",
    "Diff",
    "Key",
    "Leaf",
    "Line",
    "OutputChange",
    "Path",
    "Plan",
    "Sign",
    "Summary",
    "Value",
    "diff",
    "parse_plan",
    "shape",
    "words",
]
