"""The composition root: one context's services on real adapters, each made when it is first asked for.

Deriving a key needs no HTTP client (0.1 s to import), no SDK and no journal file; so nothing here is made ahead of need, and
what a command never asks for is never imported.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from uuid import uuid4

from kumoss_console.model.context import Context
from kumoss_console.model.journal import JournalSettings
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.ports import Clock, JobJournal, LockKeeper, ObjectStore, Sidecar

if TYPE_CHECKING:
    from kumoss_console.clients.dynamodb import DynamoTable
    from kumoss_console.config import LoadedConfig
    from kumoss_console.model.chain import ChainRequest, Placed
    from kumoss_console.services.asking.offloop import OffLoop
    from kumoss_console.services.backend.effective import WorkspaceBackendService
    from kumoss_console.services.backend.override import BackendService
    from kumoss_console.services.backend.proof import OverrideProofService
    from kumoss_console.services.bucket.service import BucketService
    from kumoss_console.services.chain.service import ChainService
    from kumoss_console.services.discovery.imports import ImportService
    from kumoss_console.services.discovery.service import DiscoveryService
    from kumoss_console.services.doctor.service import DoctorService
    from kumoss_console.services.endpoint.service import EndpointService
    from kumoss_console.services.follow.everywhere import FollowAll
    from kumoss_console.services.follow.follower import Follower
    from kumoss_console.services.jobs.explain import ExplainService
    from kumoss_console.services.jobs.service import JobService
    from kumoss_console.services.jobs.transfer import TransferService
    from kumoss_console.services.keys.owner_search import OwnerSearchService
    from kumoss_console.services.keys.service import KeyService
    from kumoss_console.services.locks.service import LockService
    from kumoss_console.services.locks.unlock import UnlockService
    from kumoss_console.services.overview.attention import Attention
    from kumoss_console.services.overview.service import OverviewService
    from kumoss_console.services.scan.service import ScanService
    from kumoss_console.services.states.detail import StateDetailService
    from kumoss_console.services.states.xray import XrayService
    from kumoss_console.services.trace.service import TraceService
    from kumoss_console.services.versions.service import VersionService
    from kumoss_console.services.workspaces.service import WorkspaceListService


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


def utc_now() -> datetime:
    """The wall clock of the real world."""
    return datetime.now(UTC)


class Services:
    """The use cases of one context. Tests and the local stack bring ``adapters`` of their own."""

    def __init__(
        self,
        *,
        config: LoadedConfig,
        context: Context,
        adapters: Adapters,
        clock: Clock = utc_now,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        environ: Mapping[str, str] = os.environ,
        cache: Path | None = None,
    ) -> None:
        """``cache`` is the folder for what may be deleted at any time; without one nothing of the kind outlives the process."""
        self._cache = cache
        self.config = config
        self.context = context
        self.environ = environ
        self.clock = clock
        self._sleep = sleep
        self._adapters = adapters

    @property
    def read_only(self) -> bool:
        return self.context.read_only

    @property
    def off_loop(self) -> OffLoop:
        """Where a screen's own work runs that takes the CPU or a disk: on daemon threads, which hold no exit."""
        from kumoss_console.clients.blocking import run_blocking

        return run_blocking

    @cached_property
    def keys(self) -> KeyService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.keys.service import KeyService

        return KeyService(self.context, self._adapters.store, off_loop=run_blocking)

    @cached_property
    def owner_search(self) -> OwnerSearchService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.clones import clones_with_history
        from kumoss_console.config.discovery import expanded
        from kumoss_console.services.keys.owner_search import OwnerSearchService

        folders = [expanded(folder, self.environ) for folder in self.context.clones]
        return OwnerSearchService(self.context, clones_with_history, run_blocking, folders=folders)

    @cached_property
    def backend(self) -> BackendService:
        from kumoss_console.services.backend.override import BackendService

        return BackendService(self.context)

    @cached_property
    def override_proof(self) -> OverrideProofService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.backend.proof import OverrideProofService
        from kumoss_console.workspace import read_workspace

        return OverrideProofService(read_workspace, self.environ, run_blocking)

    @cached_property
    def workspaces(self) -> WorkspaceBackendService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.backend.effective import WorkspaceBackendService
        from kumoss_console.workspace import read_workspace

        real = isinstance(self._adapters, RealAdapters)

        def installed(name: str) -> bool:
            return real and shutil.which(name, path=self.environ.get("PATH", "")) is not None

        return WorkspaceBackendService(self.context, read_workspace, self.environ, run_blocking, installed=installed)

    @cached_property
    def workspace_list(self) -> WorkspaceListService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.workspaces.service import WorkspaceListService
        from kumoss_console.workspaces import workspace_folders, workspaces_in

        return WorkspaceListService(
            self.context, workspace_folders, workspaces_in, self.keys.owners, self.clock, off_loop=run_blocking
        )

    @cached_property
    def trace(self) -> TraceService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.trace.project import Surveyor
        from kumoss_console.services.trace.service import TraceService
        from kumoss_console.workspaces import beside, clone_around, relatives

        return TraceService(
            self.context,
            store=self._adapters.store,
            journal=lambda: self._adapters.journal,
            workspaces=self.workspaces,
            listing=self.workspace_list,
            surveyor=Surveyor(self.context, clone_around, beside, run_blocking, relatives),
            clock=self.clock,
            off_loop=run_blocking,
            lend=lambda bucket: self._adapters.store_of(bucket) if isinstance(self._adapters, LendsStores) else None,
        )

    @cached_property
    def bucket(self) -> BucketService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.bucket.service import BucketService

        return BucketService(
            self.context,
            self._adapters.store,
            self.keys.owners,
            self.clock,
            keepers=self.lock_keepers,
            off_loop=run_blocking,
        )

    @cached_property
    def state_detail(self) -> StateDetailService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.clients.givenfile import read_document
        from kumoss_console.services.states.detail import StateDetailService

        return StateDetailService(
            self.context,
            self._adapters.store,
            self.bucket.owner_of,
            read_document,
            self.clock,
            keepers=self.lock_keepers,
            off_loop=run_blocking,
        )

    @cached_property
    def xray(self) -> XrayService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.clients.headcache import HeadFiles
        from kumoss_console.services.states.xray import XrayService

        cache = HeadFiles(self._cache / "heads") if self._cache is not None else None
        return XrayService(self.context, self._adapters.store, off_loop=run_blocking, cache=cache)

    @cached_property
    def scan(self) -> ScanService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.scan.service import ScanService
        from kumoss_console.services.workspaces.places import workspace_places

        return ScanService(
            self.context,
            self._adapters.store,
            bucket=self.bucket,
            xray=self.xray,
            owners=self.keys.owners,
            journal=lambda: self._adapters.journal,
            places=lambda: workspace_places(self.workspace_list, self.context.storage),
            clock=self.clock,
            off_loop=run_blocking,
        )

    @cached_property
    def endpoint(self) -> EndpointService:
        from kumoss_console.services.endpoint.service import EndpointService

        return EndpointService(self.context, self._adapters.store, self.clock, lambda: uuid4().hex)

    @cached_property
    def versions(self) -> VersionService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.versions.service import VersionService
        from kumoss_console.services.workspaces.places import workspace_places

        return VersionService(
            self.context,
            self._adapters.store,
            lambda: self._adapters.journal,
            self.clock,
            places=lambda: workspace_places(self.workspace_list, self.context.storage),
            keepers=self.lock_keepers,
            off_loop=run_blocking,
        )

    @cached_property
    def _lock_table(self) -> DynamoTable | None:
        """Where the backend blocks of this context keep locks in a table, too."""
        named, context = self.context.locks, self.context
        if not named.dynamodb_table:
            return None
        from kumoss_console.clients.dynamodb import DynamoTable

        return DynamoTable(named.dynamodb_table, context.storage, context.credentials, endpoint=named.dynamodb_endpoint or None)

    @cached_property
    def lock_keepers(self) -> tuple[LockKeeper, ...]:
        """Who keeps the locks of this context's states: none where it has no store."""
        from kumoss_console.clients.lock_objects import LockObjects

        store, table = self._adapters.store, self._lock_table
        if store is None:
            return ()
        if self.context.storage.provider is StorageProvider.STORAGE_ACCOUNT:
            from kumoss_console.clients.azure import AzureStore
            from kumoss_console.clients.azure_leases import AzureLeases

            return (AzureLeases(store),) if isinstance(store, AzureStore) else ()
        return (LockObjects(store), *([table] if table is not None else []))

    @cached_property
    def locks(self) -> LockService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.locks.service import LockService
        from kumoss_console.services.workspaces.places import workspace_places

        return LockService(
            self.context,
            store=self._adapters.store,
            keepers=self.lock_keepers,
            bucket=self.bucket,
            journal=lambda: self._adapters.journal,
            places=lambda: workspace_places(self.workspace_list, self.context.storage),
            clock=self.clock,
            off_loop=run_blocking,
        )

    @cached_property
    def unlock(self) -> UnlockService:
        from kumoss_console.identity import identity
        from kumoss_console.services.locks.unlock import UnlockService

        store = self._adapters.store
        return UnlockService(
            self.context,
            self.locks,
            self.jobs,
            lambda: self._adapters.journal,
            self.clock,
            store=store.label if store is not None else "",
            by=identity(),
        )

    @cached_property
    def jobs(self) -> JobService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.jobs.service import JobService

        adapters = self._adapters
        return JobService(self.context, adapters.sidecar, adapters.journal, self.clock, sleep=self._sleep, off_loop=run_blocking)

    @cached_property
    def follow(self) -> Follower:
        from kumoss_console.services.follow.follower import Follower

        return Follower(self.context, self.jobs, self._adapters.journal, self.clock, sleep=self._sleep)

    @cached_property
    def follow_all(self) -> FollowAll:
        """The jobs of the other contexts: one for the console, whichever context it shows."""
        from kumoss_console.services.follow.everywhere import FollowAll

        names = tuple(context.name for context in self.config.contexts)
        everywhere = FollowAll(
            self._adapters.journal, names, lambda name: build(self.config, name, environ=self.environ), sleep=self._sleep
        )
        everywhere.shown = self.context.name
        return everywhere

    @cached_property
    def explain(self) -> ExplainService:
        from kumoss_console.services.jobs.explain import ExplainService

        return ExplainService(self.environ)

    @cached_property
    def transfer(self) -> TransferService:
        from kumoss_console.services.jobs.intake import secrets_of
        from kumoss_console.services.jobs.transfer import TransferService

        found = [secret for context in self.config.contexts for secret in secrets_of(context)]
        return TransferService(self._adapters.journal, self.clock, tuple(found))

    @cached_property
    def chain(self) -> ChainService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.services.chain.override import place_override
        from kumoss_console.services.chain.service import ChainService

        async def place(request: ChainRequest) -> Placed:
            return await run_blocking(place_override, self.context, self.backend, request)

        return ChainService(self.context, self.jobs, self.clock, place=place, off_loop=run_blocking)

    @cached_property
    def discovery(self) -> DiscoveryService:
        from kumoss_console.clients.blocking import run_blocking
        from kumoss_console.config.suppressions import load_suppressions
        from kumoss_console.services.discovery.service import DiscoveryService
        from kumoss_console.services.discovery.states import BucketStates

        states = BucketStates(self.context, self._adapters.store, self.bucket, self.xray, run_blocking)
        return DiscoveryService(
            lambda: self.jobs,
            states,
            self.clock,
            suppressions=lambda: load_suppressions(self.environ),
            off_loop=run_blocking,
        )

    @cached_property
    def imports(self) -> ImportService:
        from kumoss_console.services.discovery.imports import ImportService

        return ImportService(self.context, self.jobs)

    @cached_property
    def overview(self) -> OverviewService:
        from kumoss_console.services.overview.service import OverviewService

        adapters = self._adapters
        return OverviewService(
            self.context, adapters.sidecar, adapters.store, self.jobs, self.bucket, self.clock, scanned=self._scanned
        )

    def _scanned(self) -> tuple[Attention, ...]:
        """What the last scan and the card of the endpoint found wrong, as far as there are any: asking for it starts neither."""
        found: list[Attention] = []
        if "endpoint" in vars(self):
            from kumoss_console.services.overview.endpoint_attention import endpoint_attention

            found += endpoint_attention(self.endpoint.last)
        if "scan" in vars(self):
            from kumoss_console.services.overview.scan_attention import scan_attention

            found += scan_attention(self.scan.last, self.clock())
        return tuple(found)

    @cached_property
    def doctor(self) -> DoctorService:
        from kumoss_console.services.doctor.service import DoctorService

        return DoctorService(
            config=self.config,
            context=self.context,
            sidecar=self._adapters.sidecar,
            store=self._adapters.store,
            backend=self.backend,
            journal_file=journal_file(self.environ),
            environ=self.environ,
        )

    async def aclose(self) -> None:
        """Close what was opened. The services are not usable afterwards."""
        if "endpoint" in vars(self):
            await self.endpoint.aclose()
        if "_lock_table" in vars(self) and self._lock_table is not None:
            await self._lock_table.aclose()
        await self._adapters.aclose()


def journal_file(environ: Mapping[str, str]) -> Path:
    """Where the job journal lives: one file for all contexts, so that a renamed context does not lose its jobs."""
    from kumoss_console.config.xdg import state_dir

    return state_dir(environ) / "jobs.sqlite3"


def build(
    config: LoadedConfig, name: str | None = None, *, read_only: bool = False, environ: Mapping[str, str] = os.environ
) -> Services:
    """The services of context ``name`` (the default one where ``None``).

    ``read_only`` can only add to what the configuration says, never lift it. Raises
    :class:`~kumoss_console.errors.InputError` for a name that the configuration does not have.
    """
    from kumoss_console.config.xdg import cache_dir

    context = config.context(name)
    if read_only and not context.read_only:
        context = replace(context, read_only=True)
    adapters = RealAdapters(context, journal_file(environ), config.journal)
    return Services(config=config, context=context, adapters=adapters, environ=environ, cache=cache_dir(environ))
