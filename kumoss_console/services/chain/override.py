"""The override of a chain: written before init where it is needed, possible and certain; else why it is not."""

from __future__ import annotations

import os
from pathlib import Path

from kumoss_console.errors import ConsoleError
from kumoss_console.model.chain import ChainRequest, Placed
from kumoss_console.model.context import Context
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.services.backend.override import BackendService, OverridePreview
from kumoss_console.services.backend.proof import OverrideProofService
from kumoss_console.text import printable


class OverridePlacer:
    """Does what the core does before init, and tells what the core does not: whether the file decides anything there."""

    def __init__(self, context: Context, backend: BackendService, proofs: OverrideProofService, off_loop: OffLoop) -> None:
        self._context = context
        self._backend = backend
        self._proofs = proofs
        self._off_loop = off_loop

    async def place(self, request: ChainRequest) -> Placed:
        """Raises nothing: init decides what an override that is missing, or beaten, means."""
        placed, preview = await self._off_loop(lambda: self._placed(request))
        if preview is None:
            return placed
        return Placed(status=placed.status, why=placed.why, warning=await self._warning(preview, Path(request.workspace)))

    def _placed(self, request: ChainRequest) -> tuple[Placed, OverridePreview | None]:
        """What became of it, and the override where it was written."""
        context = self._context
        if not context.storage.managed:
            return Placed(status="not_needed", why="managed state is off: the workspace's own backend decides"), None
        if not request.write_override:
            why = "the override was not written, as asked; init takes what the workspace has"
            return Placed(status="not_written", why=why), None
        folder = Path(request.workspace)
        if not folder.is_dir():
            return _not_written("the workspace cannot be seen from here"), None
        filename = context.paths.backend_override_filename
        if not request.repo:
            return _unknown_project(folder / filename), None
        if not os.access(folder, os.W_OK):
            return _not_written("the workspace cannot be written from here"), None
        try:
            preview = self._backend.preview(request.repo, request.scope, request.path)
            self._backend.write(preview, folder)
        except ConsoleError as error:
            return _not_written(error.title), None
        return Placed(status="written", why=f"{filename} was written: state is {preview.object_key}"), preview

    async def _warning(self, preview: OverridePreview, folder: Path) -> str:
        try:
            proof = (await self._proofs.prove(preview, folder)).proof
        except ConsoleError as error:
            return f"whether it decides anything there could not be looked at: {error.title}"
        if proof.in_vain:
            reasons = "; ".join(f"{finding.subject}: {finding.message}" for finding in proof.in_vain)
            return f"init does not bind what it says: {reasons}"
        return "; ".join(finding.message for finding in proof.losses)


def _not_written(why: str) -> Placed:
    return Placed(status="not_written", why=f"the override was not written: {why}")


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
