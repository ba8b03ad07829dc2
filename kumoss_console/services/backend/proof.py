"""The override of a project, held against a workspace folder before anybody writes it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumoss_console.errors import Refused
from kumoss_console.model.backend import Engine, Shadow
from kumoss_console.model.finding import Finding
from kumoss_console.model.override_proof import OverrideProof, prove
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.services.backend.effective import ReadWorkspace
from kumoss_console.services.backend.engine import WhichEngine
from kumoss_console.services.backend.override import OverridePreview
from kumoss_console.text import MASK, Secret, printable

__all__ = ["OverrideProofService", "WorkspaceProof", "refuse_in_vain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceProof:
    """What the override does in ``folder``, as ``engine`` reads it."""

    folder: Path
    engine: Engine
    proof: OverrideProof

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.proof.findings

    def as_data(self) -> dict[str, Any]:
        """The ``proof`` of the ``override`` shape. The diff and the values never hold a secret."""
        proof = self.proof
        return {
            "workspace": str(self.folder),
            "engine": self.engine.label,
            "engine_assumed": self.engine.assumed,
            "reads_back": proof.reads_back,
            "misread": list(proof.misread),
            "override_files": list(proof.override_files),
            "sorts_last": proof.sorts_last,
            "beaten_by": proof.beaten_by or None,
            "erased": [_shadow_data(shadow) for shadow in proof.erased],
            "replaced": [_shadow_data(shadow) for shadow in proof.replaced],
            "on_disk": proof.disk.status,
            "diff": proof.disk.diff,
            "secrets_differ": list(proof.disk.secrets),
        }


def refuse_in_vain(found: WorkspaceProof) -> None:
    """Raise :class:`Refused` where init would not bind what the override says, once it is in the folder."""
    reasons = found.proof.in_vain
    if reasons:
        first = reasons[0]
        raise Refused(
            f"{printable(found.proof.filename)} was not written: in {printable(str(found.folder))} it would decide nothing",
            detail="; ".join(f"{finding.subject}: {finding.message}" for finding in reasons),
            hint=first.remedy or "Mend the settings that make it read otherwise; nothing was changed.",
            code=first.code,
        )


class OverrideProofService:
    """Proofs of one context. Reading the folder blocks and parsing takes CPU: both run by ``off_loop``."""

    def __init__(self, read: ReadWorkspace, environ: Mapping[str, str], off_loop: OffLoop, engines: WhichEngine) -> None:
        self._read = read
        self._environ = environ
        self._engines = engines
        self._off_loop = off_loop

    async def prove(self, preview: OverridePreview, folder: Path, *, engine: str | None = None) -> WorkspaceProof:
        """The override of ``preview`` against ``folder``, which is only read. ``engine`` as for a workspace's backend.

        Raises :class:`Refused` where the core writes no override and for a folder that may not be looked into,
        :class:`InputError` for an engine or a folder that is not there.
        """
        override = preview.override
        if override is None:
            raise Refused(
                "there is no override to hold against a workspace: managed state is off",
                hint="Look at the folder itself: kumoss-console backend WORKSPACE",
                code="override.not_managed",
            )
        which = await self._engines.of(folder, engine)

        def looked() -> WorkspaceProof:
            snapshot = self._read(folder, (), environ_workspace=self._environ.get("TF_WORKSPACE", ""))
            used = which(snapshot)
            return WorkspaceProof(folder=folder, engine=used, proof=prove(override, snapshot, used, self._environ))

        return await self._off_loop(looked)


def _shadow_data(shadow: Shadow) -> dict[str, Any]:
    value = MASK if isinstance(shadow.value, Secret) else shadow.value
    shown = value if isinstance(value, str | bool | int | None) else "(a nested value)"
    return {"name": shadow.name, "value": shown, "origin": {"file": shadow.origin.file, "line": shadow.origin.line}}
