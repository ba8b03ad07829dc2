"""Which engine a workspace is read for: one answer for one folder, whoever asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kumoss_console.model.backend import Engine, Snapshot, parse_engine, read_bound
from kumoss_console.model.backend.engine import EngineName, assumed_engine, named_by, told_engine

Ran = tuple[EngineName, str]
"""The engine that a job ran in a folder, and how that is known."""


async def _nobody_knows(folder: Path) -> Ran | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhichEngine:
    """``installed`` says whether an engine of that name is on this machine, ``ran`` which one a job ran in a folder."""

    environ: Mapping[str, str] = field(default_factory=dict)
    installed: Callable[[str], bool] = lambda name: False
    ran: Callable[[Path], Awaitable[Ran | None]] = _nobody_knows

    async def of(self, folder: Path, asked: str | None) -> Callable[[Snapshot], Engine]:
        """What says the engine once ``folder`` was read.

        The one that was ``asked`` for (as in :func:`parse_engine`), or that IAC_BINARY names; else the one that ran here by a
        job's own words, else the one that the workspace names, else the only one that is installed on this machine, else
        OpenTofu, the sidecar's default, which is then assumed. Raises :class:`InputError` for a name that is none.
        """
        chosen = named_engine(asked, self.environ)
        ran = await self.ran(folder) if chosen is None else None

        def engine(snapshot: Snapshot) -> Engine:
            return chosen or self._in(snapshot, ran)

        return engine

    def _in(self, snapshot: Snapshot, ran: Ran | None) -> Engine:
        bound_by = read_bound(snapshot.pointer).engine_version
        if ran is not None:
            return named_by(*ran, bound_by)
        told = told_engine(snapshot.lock, snapshot.registries, (entry.name for entry in snapshot.entries), bound_by)
        if told is None and self.installed("terraform") and not self.installed("tofu"):
            return named_by("terraform", "this machine, which has no other on its PATH,", bound_by)
        return told or assumed_engine(bound_by)


def named_engine(asked: str | None, environ: Mapping[str, str]) -> Engine | None:
    """The engine that was asked for, or that IAC_BINARY names. Raises :class:`InputError` for one that is none."""
    name = Path(environ.get("IAC_BINARY", "")).name
    given = asked or (name if name in {"terraform", "tofu"} else "")
    return parse_engine(given) if given else None
