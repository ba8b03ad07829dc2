"""Workspaces on disk, as the core leaves them before ``init``: the root module, its values and the backend override."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kumoss_console.local.worlds import MODULES, SeedProject, Value
from kumoss_console.model.context import Context
from kumoss_console.model.override import render

VALUES = "terraform.tfvars.json"


@dataclass(frozen=True, slots=True)
class Laid:
    """A workspace on disk. ``moved`` says that its override led elsewhere before, so an engine must be initialised again."""

    workspace: Path
    moved: bool


def lay_out(project: SeedProject, root: Path, context: Context) -> Laid:
    """Write the workspace of ``project``. What an engine made there earlier stays.

    Raises :class:`~kumoss_console.errors.InputError` for settings that no override can be written from.
    """
    workspace = project.workspace(root)
    shutil.copytree(MODULES / project.module, workspace, dirs_exist_ok=True)
    set_values(project, workspace)
    storage = context.storage
    object_key = project.key.object_key(storage.terraform_state_filename)
    override = render(storage, context.credentials, object_key, context.paths.backend_override_filename)
    file, content = workspace / override.filename, override.content.reveal()
    moved = file.exists() and file.read_text() != content
    write_private(file, content)
    return Laid(workspace, moved)


def set_values(project: SeedProject, workspace: Path, more: Mapping[str, Value] | None = None) -> None:
    """The values of the root module's variables, with ``more`` laid over them."""
    values = {**project.variables, **(more or {})}
    (workspace / VALUES).write_text(json.dumps(values, indent=2) + "\n")


def write_private(file: Path, text: str) -> None:
    """``text`` in a file that only its owner may read, from its first moment on."""
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        os.fchmod(out.fileno(), 0o600)
        out.write(text)
