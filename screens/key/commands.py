"""What can be asked for about a key."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, FULL_SCREEN, OPEN, Command
from screens.project_screen import EDIT, PICK, TAKE

LOOK = Command(
    id="key.look",
    action="look",
    title="Look in the store",
    help="What exists at this key and at each near-miss",
    keys=("s",),
    label="look in store",
    words=("look", "check"),
)
WHAT_IF = Command(
    id="key.what_if",
    action="what_if",
    title="What if…",
    help="Change one input beside this key: a renamed repository, a moved module, another scope",
    keys=("a",),
    label="what if",
    words=("what-if",),
)
OPEN_OBJECT = replace(OPEN, title="Open this key in the bucket", help="", label="open in bucket")
COMMANDS = (OPEN_OBJECT, LOOK, WHAT_IF, TAKE, EDIT, PICK, *COPIES, FULL_SCREEN)
