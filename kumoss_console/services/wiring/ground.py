"""What every service of a context stands on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kumoss_console.model.context import Context
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.wiring.adapters import Adapters

if TYPE_CHECKING:
    from kumoss_console.config import LoadedConfig
    from kumoss_console.ports.offloop import OffLoop


def utc_now() -> datetime:
    """The wall clock of the real world."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """One context, its outside world and the time. ``cache`` is a folder for what may be deleted, ``None`` for none."""

    config: LoadedConfig
    context: Context
    adapters: Adapters
    clock: Clock
    sleep: Callable[[float], Awaitable[None]]
    environ: Mapping[str, str]
    cache: Path | None

    @property
    def store(self) -> ObjectStore | None:
        return self.adapters.store

    def journal(self) -> JobJournal:
        """For who may never need it: it is opened when it is first asked for."""
        return self.adapters.journal

    @property
    def off_loop(self) -> OffLoop:
        """On daemon threads, which hold no exit."""
        from kumoss_console.clients.blocking import run_blocking

        return run_blocking
