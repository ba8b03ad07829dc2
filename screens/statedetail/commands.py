"""What can be asked for in a state that is open, and in its raw document."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import (
    COPIES,
    FULL_SCREEN,
    NEXT_MATCH,
    OPEN,
    PREVIOUS_MATCH,
    RAW,
    REVEAL,
    SAVE,
    SEARCH,
    WRAP,
    Command,
    Group,
)
from screens.versions.commands import HISTORY

OPEN_STATE_FILE = Command(
    id="statedetail.file",
    action="open_state_file",
    title="Open a state from a file…",
    help="A state, a lock or another document at hand; no service is asked",
    words=("file",),
    argument="FILE",
)
OPEN_LINE = replace(OPEN, title="Open or close the line", help="On a value: read it in full")
TOGGLE = Command(
    id="statedetail.toggle",
    action="open_or_close",
    title="Open or close the line",
    keys=("space",),
    group=Group.MOVE,
    listed=False,
)
OPEN_RIGHT = Command(
    id="statedetail.right", action="step_in", title="Open, then go inside", keys=("right", "l"), group=Group.MOVE, listed=False
)
CLOSE_LEFT = Command(
    id="statedetail.left", action="step_out", title="Close, then go out", keys=("left", "h"), group=Group.MOVE, listed=False
)
OPEN_ALL = Command(
    id="statedetail.open_all",
    action="open_all",
    title="Open everything below this line",
    help="Modules and resources; on an object its values",
    keys=("e",),
    label="open all",
    words=("open",),
)
CLOSE_ALL = Command(id="statedetail.close_all", action="close_all", title="Close everything", keys=("E",), words=("close",))
FIND = replace(
    SEARCH,
    title="Search the whole state",
    help="Addresses, identifiers, names of attributes, values that are not hidden",
    words=("find",),
    argument="TEXT",
)
RAW_LINE = replace(
    RAW, title="Show this as JSON, masked", help="An object or an output; on any other line the whole document", words=("raw",)
)
REVEAL_VALUE = replace(REVEAL, title="Reveal this value for 30 seconds", help="On this screen only; x again hides it")
COMMANDS = (
    OPEN_LINE,
    TOGGLE,
    FIND,
    REVEAL_VALUE,
    RAW_LINE,
    OPEN_ALL,
    CLOSE_ALL,
    OPEN_RIGHT,
    CLOSE_LEFT,
    NEXT_MATCH,
    PREVIOUS_MATCH,
    FULL_SCREEN,
    SAVE,
    *COPIES,
    OPEN_STATE_FILE,
    HISTORY,
)
FIND_TEXT = replace(SEARCH, title="Search the document", help="What is masked cannot be found")
RAW_COMMANDS = (FIND_TEXT, NEXT_MATCH, PREVIOUS_MATCH, WRAP, FULL_SCREEN, SAVE, *COPIES)
