"""What can be asked for in the history of a state, and of what differs between two of its versions."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, DETAILS, FILTER, FULL_SCREEN, ONLY_WRONG, OPEN, SAVE, Command

COMPARE = replace(
    OPEN,
    title="Compare with the version before it, or with the marked one",
    help="Object by object; sensitive values are compared and never shown",
    label="compare",
)
COMPARE_DETAILS = replace(DETAILS, title="Compare with the version before it", action="open")
MARK = Command(
    id="versions.mark",
    action="mark",
    title="Mark this version to compare with, or none",
    help="Enter on another one compares the two",
    keys=("m",),
    label="mark",
)
WAY_BACK = Command(
    id="versions.restore",
    action="restore",
    title="The way back to this version",
    help="Planned, never taken: serial and lineage to push with, what would become unmanaged, the commands",
    keys=("b",),
    label="way back",
    words=("restore",),
)
COMMANDS = (COMPARE, COMPARE_DETAILS, MARK, WAY_BACK, *COPIES, FULL_SCREEN)

ONLY_GRAVE = replace(ONLY_WRONG, title="Show only what is removed or replaced", label="only losses")
DIFF_COMMANDS = (FILTER, ONLY_GRAVE, *COPIES, SAVE, FULL_SCREEN)
