"""The outside world of one context: given, or real and made on first use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, runtime_checkable

from kumoss_console.model.context import Context
from kumoss_console.model.journal import JournalSettings
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.ports.store import ObjectStore


class Adapters(Protocol):
    """The outside world of one context. ``store`` is ``None`` where there is no bucket this console can read."""

    @property
    def sidecar(self) -> Sidecar: ...

    @property
    def store(self) -> ObjectStore | None: ...

    @property
    def journal(self) -> JobJournal: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class LendsStores(Protocol):
    """Adapters that open other buckets at the context's endpoint."""

    def store_of(self, bucket: str) -> ObjectStore: ...


@dataclass(frozen=True, kw_only=True)
class GivenAdapters:
    """Adapters that exist already: fakes, or the parts of a local stack. Closing closes all three."""

    sidecar: Sidecar
    store: ObjectStore | None
    journal: JobJournal

    async def aclose(self) -> None:
        await self.sidecar.aclose()
        if self.store is not None:
            await self.store.aclose()
        self.journal.close()


class RealAdapters:
    """HTTP, the object store's SDK and the journal on disk, each made on first use and closed only if it was made."""

    def __init__(self, context: Context, journal_file: Path, journal: JournalSettings | None = None) -> None:
        self._context = context
        self._journal_file = journal_file
        self._journal_settings = journal
        self._lent: dict[str, ObjectStore] = {}

    @cached_property
    def sidecar(self) -> Sidecar:
        from kumoss_console.clients.sidecar import SidecarClient

        iac = self._context.iac
        return SidecarClient(iac.endpoint, self._context.token, timeout=iac.timeout)

    @cached_property
    def store(self) -> ObjectStore | None:
        storage = self._context.storage
        return self._opened(storage) if storage.managed else None

    def store_of(self, bucket: str) -> ObjectStore:
        """Another bucket at this context's endpoint, with its keys; made once, and closed with the others."""
        if bucket not in self._lent:
            self._lent[bucket] = self._opened(replace(self._context.storage, terraform_state_bucket=bucket))
        return self._lent[bucket]

    def _opened(self, storage: StorageSettings) -> ObjectStore:
        if storage.provider is StorageProvider.STORAGE_ACCOUNT:
            from kumoss_console.clients.azure import AzureStore

            return AzureStore(storage, self._context.credentials)
        from kumoss_console.clients.s3 import S3Store

        return S3Store(storage, self._context.credentials)

    @cached_property
    def journal(self) -> JobJournal:
        from kumoss_console.journal import Journal

        return Journal.open(self._journal_file, self._journal_settings)

    async def aclose(self) -> None:
        opened = vars(self)
        if "sidecar" in opened:
            await self.sidecar.aclose()
        if opened.get("store") is not None and self.store is not None:
            await self.store.aclose()
        for store in self._lent.values():
            await store.aclose()
        if "journal" in opened:
            self.journal.close()


def journal_file(environ: Mapping[str, str]) -> Path:
    """Where the job journal lives: one file for all contexts, so that a renamed context does not lose its jobs."""
    from kumoss_console.config.xdg import state_dir

    return state_dir(environ) / "jobs.sqlite3"
