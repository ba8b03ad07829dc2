"""What can be asked for about an override."""

from __future__ import annotations

from screens.commands import COPIES, FULL_SCREEN, NEXT_MATCH, PREVIOUS_MATCH, REVEAL, SAVE, SEARCH, Command
from screens.project_screen import EDIT, PICK, TAKE

PROVE = Command(
    id="backend.prove",
    action="prove",
    title="Hold it against a workspace…",
    help="Does it win there, what does it erase, and how does it differ from the file on disk",
    keys=("a",),
    label="against",
    words=("workspace",),
    argument="DIR",
)
COMMANDS = (REVEAL, PROVE, TAKE, EDIT, PICK, SEARCH, NEXT_MATCH, PREVIOUS_MATCH, *COPIES, SAVE, FULL_SCREEN)
