"""What can be asked for while a bucket is scanned, and of what was found."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, FILTER, FULL_SCREEN, ONLY_WRONG, OPEN, REVERSE, SAVE, SORT, Command
from screens.versions.commands import HISTORY

OPEN_KEY = replace(OPEN, title="Open the state", help="The object that the finding is about; Esc comes back here")
ONLY_ERRORS = replace(ONLY_WRONG, title="Show only errors", label="only errors")
STOP = Command(
    id="scan.stop",
    action="stop",
    title="Stop the scan",
    help="What was found stays; r begins again",
    keys=("s",),
    label="stop",
    words=("stop",),
)
HISTORIES = Command(
    id="scan.histories",
    action="histories",
    title="Read histories as well",
    help="Scans again with the versions of each state: a lineage that changed, a serial that fell",
    keys=("t",),
    label="histories",
    words=("histories",),
)
COMMANDS = (OPEN_KEY, HISTORY, FILTER, ONLY_ERRORS, HISTORIES, STOP, SORT, REVERSE, *COPIES, SAVE, FULL_SCREEN)
