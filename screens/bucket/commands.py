"""What can be asked for in the bucket."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import (
    COPIES,
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

OPEN_OBJECT = replace(
    OPEN, title="Open the object", help="Serial, lineage, resources, outputs, lock", words=("open",), argument="KEY"
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
COMMANDS = (
    OPEN_OBJECT,
    NEXT_PART,
    FILTER,
    ONLY_WRONG,
    SORT,
    REVERSE,
    WHY,
    NEXT_MATCH,
    PREVIOUS_MATCH,
    *COPIES,
    SAVE,
    FULL_SCREEN,
)
