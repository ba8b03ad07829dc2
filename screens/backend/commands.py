"""What can be asked for about an override, and about the layers of a workspace."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, FULL_SCREEN, NEXT_MATCH, PREVIOUS_MATCH, REVEAL, SAVE, SEARCH, WRAP, Command
from screens.project_screen import EDIT, PICK, TAKE

PROVE = Command(
    id="backend.prove",
    action="prove",
    title="Hold it against a workspace…",
    help="Does it win there, what does it erase, and how does it differ from the file on disk",
    keys=("a",),
    label="against",
    words=("against",),
    argument="DIR",
)
WORKSPACE = Command(
    id="backend.workspace",
    action="workspace",
    title="Pick a workspace: which value wins there…",
    help="Those below the workspaces root; or type :workspace and a folder",
    keys=("w",),
    label="workspace",
    words=("workspace",),
    argument="FOLDER",
)
NO_WORKSPACE = Command(
    id="backend.no_workspace",
    action="no_workspace",
    title="Leave the workspace out",
    help="Show the override of the project alone",
    keys=("W",),
    words=("no-workspace",),
)
FLIP = Command(
    id="backend.flip",
    action="flip",
    title="The override, or the layers of the workspace",
    help="What the core would write for the project; again for which value wins in the workspace",
    keys=("v",),
    label="override/layers",
    words=("override", "layers"),
)
WRAP_LINES = replace(WRAP, id="backend.wrap", keys=(), words=("wrap",))
COMMANDS = (
    WORKSPACE,
    FLIP,
    NO_WORKSPACE,
    REVEAL,
    PROVE,
    TAKE,
    EDIT,
    PICK,
    WRAP_LINES,
    SEARCH,
    NEXT_MATCH,
    PREVIOUS_MATCH,
    *COPIES,
    SAVE,
    FULL_SCREEN,
)
