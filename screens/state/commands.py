"""What can be asked for about the active state."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, FULL_SCREEN, OPEN, Command
from screens.project_screen import EDIT, PICK, TAKE

WORKSPACE = Command(
    id="state.workspace",
    action="workspace",
    title="Pick a workspace…",
    help="Those below the workspaces root; or type :workspace and a folder",
    keys=("w",),
    label="workspace",
    words=("workspace",),
    argument="FOLDER",
)
NO_WORKSPACE = Command(
    id="state.no_workspace",
    action="no_workspace",
    title="Leave the workspace out",
    help="Trace the project alone",
    keys=("W",),
    words=("no-workspace",),
)
FORGET_LOG = Command(
    id="state.forget_log",
    action="forget_log",
    title="Forget the pasted log",
    help="Lines of the core's log can be pasted into this view",
    words=("forget-log",),
)
OPEN_STATE = replace(OPEN, title="Open the active state in the bucket", help="", label="open in bucket")
COMMANDS = (OPEN_STATE, WORKSPACE, NO_WORKSPACE, PICK, EDIT, TAKE, FORGET_LOG, *COPIES, FULL_SCREEN)
