"""What can be asked for among the locks."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, DETAILS, FILTER, FULL_SCREEN, ONLY_WRONG, OPEN, Command
from screens.versions.commands import HISTORY

LOOK_AGAIN = replace(
    OPEN, title="Look at this lock again", help="With what else there is to know of its state", label="look again"
)
LOCK_DETAILS = replace(DETAILS, title="Look at this lock again", action="open")
STATE = Command(id="locks.state", action="open_state", title="Show the state in the bucket", keys=("b",), label="state")
JOB = Command(
    id="locks.job", action="open_job", title="Show the job that holds it", help="As far as the journal can tell", keys=("J",)
)
ONLY_STALE = replace(ONLY_WRONG, title="Show only locks that look abandoned or cannot be read")
REMOVED = Command(
    id="locks.removed",
    action="removed",
    title="Locks that were removed with this console",
    help="Each with the whole of what it said",
    words=("removed",),
)
UNLOCK = Command(
    id="locks.unlock",
    action="unlock",
    title="Remove this lock…",
    help="Asks for its id; only that very lock is removed",
    words=("unlock",),
    changes=True,
    dangerous=True,
)
"""Without a key on purpose: it is typed, or chosen in the palette."""
COMMANDS = (LOOK_AGAIN, LOCK_DETAILS, STATE, JOB, HISTORY, FILTER, ONLY_STALE, REMOVED, UNLOCK, *COPIES, FULL_SCREEN)
