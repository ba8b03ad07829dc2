"""State documents and their kin: what a bucket holds, read as far as it can be and never trusted."""

from kumoss_console.model.state.document import (
    BackendCache,
    Contents,
    Counts,
    DocumentKind,
    Form,
    InstanceRow,
    OutputRow,
    ResourceRow,
    Skipped,
    StateDocument,
)
from kumoss_console.model.state.parse import parse_state
from kumoss_console.model.state.shape import finding_shape, lock_shape, state_shape
from kumoss_console.model.state.verdicts import too_large

__all__ = [
    "BackendCache",
    "Contents",
    "Counts",
    "DocumentKind",
    "Form",
    "InstanceRow",
    "OutputRow",
    "ResourceRow",
    "Skipped",
    "StateDocument",
    "finding_shape",
    "lock_shape",
    "parse_state",
    "state_shape",
    "too_large",
]
