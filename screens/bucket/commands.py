"""What can be asked for in the bucket.

A command on the selected state goes into :data:`COMMANDS`, and its ``action_…`` into the screen, where ``self.selected`` is the
row under the cursor (``None`` without rows) and :meth:`BucketScreen.chosen_key` its key, or the one whose details are open."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import (
    COPIES,
    DETAILS,
    FILTER,
    FULL_SCREEN,
    NEXT_MATCH,
    ONLY_WRONG,
    OPEN,
    PREVIOUS_MATCH,
    REVERSE,
    SAVE,
    SORT,
    Command,
)
from screens.statedetail.commands import OPEN_STATE_FILE
from screens.versions.commands import HISTORY

OPEN_OBJECT = replace(
    OPEN, title="Open the state", help="All that is in it, on a screen of its own", words=("open",), argument="KEY"
)
SHOW_DETAILS = replace(
    DETAILS, title="Details beside the list", help="Serial, lineage, resources, outputs, lock of the object", label="details"
)
STOP = Command(
    id="bucket.stop",
    action="stop_listing",
    title="Stop the listing",
    help="What was listed so far stays; r lists again",
    keys=("s",),
    label="stop",
    words=("stop",),
)
NEXT_PART = Command(
    id="bucket.part",
    action="next_part",
    title="Next part of the detail",
    help="resources, outputs, identifiers, facts",
    keys=("t",),
    label="part",
)
WHY = Command(
    id="bucket.why",
    action="why",
    title="Why this key: show its project",
    help="Opens the Key view with the project that owns it; an owner nobody named is searched among local clones",
    keys=("w",),
    label="why",
    words=("why",),
)
SCAN = Command(
    id="bucket.scan",
    action="scan",
    title="Scan the bucket for what is wrong",
    help="Reads about 1 KB of each state: copies, empty and damaged ones, what has no owner",
    keys=("X",),
    label="scan",
    words=("scan",),
)
ENDPOINT = Command(
    id="bucket.endpoint",
    action="endpoint",
    title="What this store really does",
    help="Identity, clock, versioning, lifecycle rules, public access; whether locks protect anything, with your consent",
    keys=("E",),
    label="endpoint",
    words=("endpoint",),
)
COMMANDS = (
    OPEN_OBJECT,
    OPEN_STATE_FILE,
    SHOW_DETAILS,
    NEXT_PART,
    STOP,
    FILTER,
    ONLY_WRONG,
    SORT,
    REVERSE,
    WHY,
    SCAN,
    HISTORY,
    ENDPOINT,
    NEXT_MATCH,
    PREVIOUS_MATCH,
    *COPIES,
    SAVE,
    FULL_SCREEN,
)
