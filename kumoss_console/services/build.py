"""The composition root's front door: the use cases of one context, each made when it is first asked for.

Deriving a key needs no HTTP client (0.1 s to import), no SDK and no journal file; so nothing here is made ahead of need, and
what a command never asks for is never imported. Who is made of what is in :mod:`kumoss_console.services.wiring`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kumoss_console.model.context import Context
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.locks import LockKeeper
from kumoss_console.services.wiring.across import AcrossSides
from kumoss_console.services.wiring.adapters import Adapters, RealAdapters, journal_file
from kumoss_console.services.wiring.ground import Ground, utc_now
from kumoss_console.services.wiring.projects import ProjectSide
from kumoss_console.services.wiring.sidecar import SidecarSide
from kumoss_console.services.wiring.store import StoreSide

if TYPE_CHECKING:
    from kumoss_console.config import LoadedConfig
    from kumoss_console.ports.offloop import OffLoop
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
    from kumoss_console.services.overview.service import OverviewService
    from kumoss_console.services.scan.service import ScanService
    from kumoss_console.services.states.detail import StateDetailService
    from kumoss_console.services.states.xray import XrayService
    from kumoss_console.services.trace.service import TraceService
    from kumoss_console.services.versions.service import VersionService
    from kumoss_console.services.workspaces.service import WorkspaceListService


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
        self.config = config
        self.context = context
        self.environ = environ
        self.clock = clock
        self._ground = ground = Ground(
            config=config, context=context, adapters=adapters, clock=clock, sleep=sleep, environ=environ, cache=cache
        )
        self._projects = ProjectSide(ground)
        self._store = StoreSide(ground, self._projects)
        self._sidecar = SidecarSide(ground, self._projects, lambda name: build(config, name, environ=environ))
        self._across = AcrossSides(ground, self._projects, self._store, self._sidecar)

    @property
    def read_only(self) -> bool:
        return self.context.read_only

    @property
    def off_loop(self) -> OffLoop:
        """Where a screen's own work runs that takes the CPU or a disk: on daemon threads, which hold no exit."""
        return self._ground.off_loop

    @property
    def keys(self) -> KeyService:
        return self._projects.keys

    @property
    def owner_search(self) -> OwnerSearchService:
        return self._projects.owner_search

    @property
    def backend(self) -> BackendService:
        return self._projects.backend

    @property
    def override_proof(self) -> OverrideProofService:
        return self._projects.override_proof

    @property
    def workspaces(self) -> WorkspaceBackendService:
        return self._projects.workspaces

    @property
    def workspace_list(self) -> WorkspaceListService:
        return self._projects.workspace_list

    @property
    def bucket(self) -> BucketService:
        return self._store.bucket

    @property
    def state_detail(self) -> StateDetailService:
        return self._store.state_detail

    @property
    def xray(self) -> XrayService:
        return self._store.xray

    @property
    def scan(self) -> ScanService:
        return self._store.scan

    @property
    def endpoint(self) -> EndpointService:
        return self._store.endpoint

    @property
    def versions(self) -> VersionService:
        return self._store.versions

    @property
    def lock_keepers(self) -> tuple[LockKeeper, ...]:
        """Who keeps the locks of this context's states: none where it has no store."""
        return self._store.lock_keepers

    @property
    def locks(self) -> LockService:
        return self._store.locks

    @property
    def jobs(self) -> JobService:
        return self._sidecar.jobs

    @property
    def follow(self) -> Follower:
        return self._sidecar.follow

    @property
    def follow_all(self) -> FollowAll:
        """The jobs of the other contexts: one for the console, whichever context it shows."""
        return self._sidecar.follow_all

    @property
    def explain(self) -> ExplainService:
        return self._sidecar.explain

    @property
    def transfer(self) -> TransferService:
        return self._sidecar.transfer

    @property
    def chain(self) -> ChainService:
        return self._sidecar.chain

    @property
    def imports(self) -> ImportService:
        return self._sidecar.imports

    @property
    def trace(self) -> TraceService:
        return self._across.trace

    @property
    def unlock(self) -> UnlockService:
        return self._across.unlock

    @property
    def discovery(self) -> DiscoveryService:
        return self._across.discovery

    @property
    def overview(self) -> OverviewService:
        return self._across.overview

    @property
    def doctor(self) -> DoctorService:
        return self._across.doctor

    async def aclose(self) -> None:
        """Close what was opened. The services are not usable afterwards."""
        await self._store.aclose()
        await self._ground.adapters.aclose()


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
