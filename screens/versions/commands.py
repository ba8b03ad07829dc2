"""What can be asked for in the history of a state, and of what differs between two of its versions."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, DETAILS, FILTER, FULL_SCREEN, ONLY_WRONG, OPEN, SAVE, Command

HISTORY = Command(
    id="history",
    action="history",
    title="Versions of this state",
    help="Its serials and lineages over time, what changed between two of them, the way back to one",
    keys=("H",),
    label="history",
    words=("history", "versions"),
)
"""What any screen offers that has a state of the bucket under its cursor."""

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
COMPARE_WITH = Command(
    id="versions.diff",
    action="compare_with",
    title="Compare this version with another state…",
    help="With the newest of another key, given as a key or as a project id",
    words=("diff",),
    argument="KEY",
)
READ_ALL = Command(
    id="versions.all",
    action="read_all",
    title="Read every version",
    help="Serials and lineages of the older ones, too: one small request for each",
    keys=("a",),
    words=("all",),
)
WRITER = Command(
    id="versions.job",
    action="open_job",
    title="Show the job that likely wrote it",
    help="The one that ran then, as far as this console's journal tells",
    keys=("J",),
)
COMMANDS = (COMPARE, COMPARE_DETAILS, MARK, COMPARE_WITH, WAY_BACK, READ_ALL, WRITER, *COPIES, SAVE, FULL_SCREEN)

ONLY_GRAVE = replace(ONLY_WRONG, title="Show only what is removed or replaced", label="only losses")
DIFF_COMMANDS = (FILTER, ONLY_GRAVE, *COPIES, SAVE, FULL_SCREEN)
