"""What can be asked for in a plan."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, FULL_SCREEN, NEXT_MATCH, OPEN, PREVIOUS_MATCH, RAW, SAVE, SEARCH, Command, Group

OPEN_LINE = replace(OPEN, title="Open or close the line", help="On a value: read it in full")
TOGGLE = Command(
    id="plan.toggle", action="open_or_close", title="Open or close the line", keys=("space",), group=Group.MOVE, listed=False
)
OPEN_RIGHT = Command(
    id="plan.right", action="step_in", title="Open, then go inside", keys=("right", "l"), group=Group.MOVE, listed=False
)
CLOSE_LEFT = Command(
    id="plan.left", action="step_out", title="Close, then go out", keys=("left", "h"), group=Group.MOVE, listed=False
)
OPEN_ALL = Command(
    id="plan.open_all",
    action="open_all",
    title="Open everything below this line",
    help="Groups; and the values of up to 200 changes",
    keys=("e",),
    label="open all",
    words=("open",),
)
CLOSE_ALL = Command(id="plan.close_all", action="close_all", title="Close everything", keys=("E",), words=("close",))
ONLY_LOSSES = Command(
    id="plan.only_losses",
    action="only_losses",
    title="Show only what is destroyed, replaced or forgotten",
    keys=("exclamation_mark",),
    label="only losses",
)
REORDER = Command(
    id="plan.order", action="reorder", title="Group by module, or by what happens", keys=("o",), label="group", words=("group",)
)
UNCHANGED = Command(
    id="plan.unchanged", action="unchanged", title="Show values that stay, or hide them", keys=("u",), words=("unchanged",)
)
FIND = replace(SEARCH, title="Search addresses and opened values", help="Also in closed groups", words=("find",), argument="TEXT")
COMMANDS = (
    OPEN_LINE,
    TOGGLE,
    FIND,
    ONLY_LOSSES,
    OPEN_ALL,
    CLOSE_ALL,
    REORDER,
    RAW,
    UNCHANGED,
    OPEN_RIGHT,
    CLOSE_LEFT,
    NEXT_MATCH,
    PREVIOUS_MATCH,
    FULL_SCREEN,
    SAVE,
    *COPIES,
)
