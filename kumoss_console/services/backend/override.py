"""The backend override as the core would write it for a project: shown, and on request put into a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kumoss_console.errors import InputError, Refused
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.override import Override, render
from kumoss_console.model.project import ProjectKey, derive
from kumoss_console.model.storage import Ownership, ownership
from kumoss_console.services.backend.placing import place_private_file
from kumoss_console.text import Secret, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class OverridePreview:
    """The override for one project. ``content`` and ``masked`` are ``None`` where the core writes none: managed state is off."""

    filename: str
    content: Secret | None
    masked: str | None
    ownership: Ownership
    key: ProjectKey
    object_key: str
    findings: tuple[Finding, ...]
    override: Override | None = None
    """The file with what it is to mean."""

    @property
    def hides(self) -> bool:
        """Whether the masked text differs from the real one."""
        return self.content is not None and self.content.reveal() != self.masked

    def as_data(self, *, reveal: bool = False) -> dict[str, Any]:
        """The ``override`` shape of the command line. ``masked`` says whether something in ``content`` is hidden."""
        shown = self.content.reveal() if reveal and self.content is not None else self.masked
        return {
            "filename": self.filename,
            "content": shown,
            "model": self.ownership.model,
            "masked": self.hides and not reveal,
            "findings": [asdict(finding) for finding in self.findings],
            "key": self.object_key,
            "certain": self.ownership.certain,
        }


class BackendService:
    """Overrides of one context."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def preview(self, repo: str, scope: str, path: str = "") -> OverridePreview:
        """What the core would write. Raises :class:`InputError` for a project without a key and for unwritable settings."""
        context = self._context
        storage = context.storage
        key = derive(repo, scope, path)
        object_key = key.object_key(storage.terraform_state_filename)
        filename = context.paths.backend_override_filename
        override = render(storage, context.credentials, object_key, filename) if storage.managed else None
        model = ownership(storage, context.backend_config)
        return OverridePreview(
            filename=filename,
            content=override.content if override else None,
            masked=override.masked if override else None,
            ownership=model,
            key=key,
            object_key=object_key,
            findings=(*_doubts(model), *(override.findings if override else ()), *key.findings),
            override=override,
        )

    def write(self, preview: OverridePreview, folder: Path) -> Path:
        """Put the override into the workspace ``folder``, in one step, readable by the folder's owner only.

        Blocking, a few milliseconds. Raises as :meth:`writable` does, and :class:`Refused` where the file could not be given
        to the folder's owner.
        """
        return place_private_file(folder, preview.filename, self.writable(preview, folder))

    def writable(self, preview: OverridePreview, folder: Path) -> Secret:
        """What is to be written. Raises :class:`Refused` in a read-only context, where the core writes none and for a folder
        that may not be looked into; :class:`InputError` where ``folder`` is no workspace."""
        if self._context.read_only:
            raise Refused(
                f"context {printable(self._context.name)} is read-only: nothing is written",
                hint="Take away --read-only, or read_only in the configuration of the context.",
                code="read_only",
            )
        if preview.content is None:
            raise Refused(
                "the core writes no override here: managed state is off",
                hint="Set storage.terraform_state_bucket to turn managed state on.",
                code="override.not_managed",
            )
        _require_workspace(folder, preview.filename)
        return preview.content


def _require_workspace(folder: Path, filename: str) -> None:
    shown = printable(str(folder))
    try:
        names = [entry.name for entry in folder.iterdir() if entry.is_file()]
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{shown} is not a folder", hint="Give the folder of a root module.", code="workspace.missing") from None
    except OSError as error:
        raise Refused(
            f"{shown} cannot be looked into",
            detail=error.strerror or "",
            hint="Run this as the owner of the workspaces.",
            code="workspace.unreadable",
        ) from None
    if not any(name.endswith(".tf") and name != filename for name in names):
        raise InputError(
            f"{shown} holds no .tf file: it is no root module",
            hint="Give the folder that holds the root module, not the one above it.",
            code="workspace.no_module",
        )


def _doubts(model: Ownership) -> Iterator[Finding]:
    if model.model == "mixed":
        yield Finding(
            code="override.mixed_ownership",
            severity=Severity.ERROR,
            subject="IAC_BACKEND_CONFIG",
            message=model.explanation,
            remedy="Unset IAC_BACKEND_CONFIG on the sidecar, or turn managed state off.",
        )
    elif model.model in {"repository", "sidecar"}:
        yield Finding(
            code="override.not_managed",
            severity=Severity.INFO,
            subject="storage.terraform_state_bucket",
            message=f"managed state is off: the core writes no override; {model.explanation}",
        )
    elif not model.certain:
        yield Finding(
            code="override.unknown_sidecar",
            severity=Severity.INFO,
            subject="IAC_BACKEND_CONFIG",
            message="this override decides only where IAC_BACKEND_CONFIG is unset on the sidecar, which is not known here",
            remedy="State it in the context: sidecar: {backend_config: ''}.",
        )
