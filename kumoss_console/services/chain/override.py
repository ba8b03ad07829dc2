"""The override of a chain: written before init where it is needed, possible and certain; else why it is not."""

from __future__ import annotations

import os
from pathlib import Path

from kumoss_console.errors import ConsoleError
from kumoss_console.model.chain import ChainRequest, Placed
from kumoss_console.model.context import Context
from kumoss_console.services.backend.override import BackendService
from kumoss_console.text import printable


def place_override(context: Context, backend: BackendService, request: ChainRequest) -> Placed:
    """Blocking, a few milliseconds. Raises nothing: init decides what an override that is missing means."""
    if not context.storage.managed:
        return Placed(status="not_needed", why="managed state is off: the workspace's own backend decides")
    if not request.write_override:
        return Placed(status="not_written", why="the override was not written, as asked; init takes what the workspace has")
    folder = Path(request.workspace)
    if not folder.is_dir():
        return Placed(status="not_written", why="the override was not written: the workspace cannot be seen from here")
    filename = context.paths.backend_override_filename
    if not request.repo:
        return _unknown_project(folder / filename)
    if not os.access(folder, os.W_OK):
        return Placed(status="not_written", why="the override was not written: the workspace cannot be written from here")
    try:
        preview = backend.preview(request.repo, request.scope, request.path)
        backend.write(preview, folder)
    except ConsoleError as error:
        return Placed(status="not_written", why=f"the override was not written: {error.title}")
    return Placed(status="written", why=f"{filename} was written: state is {preview.object_key}")


def _unknown_project(override: Path) -> Placed:
    """Which project a workspace belongs to is never guessed: a wrong key is another project's state."""
    name = printable(override.name)
    if override.is_file():
        return Placed(status="kept", why=f"{name} that is there stays: which project this is was not said (--repo)")
    return Placed(
        status="not_written",
        why=f"{name} was not written: which project this is was not said (--repo). Init takes the workspace's own backend, "
        "and state that is not there reads as empty",
    )
