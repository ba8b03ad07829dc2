"""What holds one side against another: the store against the jobs, the workspaces against both."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.wiring.adapters import LendsStores, journal_file
from kumoss_console.services.wiring.ground import Ground
from kumoss_console.services.wiring.projects import ProjectSide
from kumoss_console.services.wiring.sidecar import SidecarSide
from kumoss_console.services.wiring.store import StoreSide

if TYPE_CHECKING:
    from kumoss_console.services.discovery.service import DiscoveryService
    from kumoss_console.services.doctor.service import DoctorService
    from kumoss_console.services.locks.unlock import UnlockService
    from kumoss_console.services.overview.service import OverviewService
    from kumoss_console.services.trace.service import TraceService


class AcrossSides:
    """The use cases that need more than one side of a context."""

    def __init__(self, ground: Ground, projects: ProjectSide, store: StoreSide, sidecar: SidecarSide) -> None:
        self._ground = ground
        self._projects = projects
        self._store = store
        self._sidecar = sidecar

    @cached_property
    def trace(self) -> TraceService:
        from kumoss_console.services.trace.project import Surveyor
        from kumoss_console.services.trace.service import TraceService
        from kumoss_console.workspaces import beside, clone_around, relatives

        ground = self._ground
        return TraceService(
            ground.context,
            store=ground.store,
            journal=ground.journal,
            workspaces=self._projects.workspaces,
            listing=self._projects.workspace_list,
            surveyor=Surveyor(ground.context, clone_around, beside, ground.off_loop, relatives),
            clock=ground.clock,
            off_loop=ground.off_loop,
            lend=self._lend,
        )

    def _lend(self, bucket: str) -> ObjectStore | None:
        adapters = self._ground.adapters
        return adapters.store_of(bucket) if isinstance(adapters, LendsStores) else None

    @cached_property
    def unlock(self) -> UnlockService:
        from kumoss_console.identity import identity
        from kumoss_console.services.locks.obstacles import ObstacleLook
        from kumoss_console.services.locks.unlock import UnlockService

        ground, locks = self._ground, self._store.locks
        patience = max(context.iac.job_timeout for context in (ground.context, *ground.config.contexts))
        return UnlockService(
            ground.context,
            locks,
            ObstacleLook(
                locks,
                self._sidecar.jobs,
                ground.journal,
                ground.clock,
                context=ground.context.name,
                patience=timedelta(seconds=patience),
            ),
            ground.journal,
            ground.clock,
            store=ground.store.label if ground.store is not None else "",
            by=identity(),
            conditions=self._store.conditional_delete,
        )

    @cached_property
    def discovery(self) -> DiscoveryService:
        from kumoss_console.config.suppressions import load_suppressions
        from kumoss_console.services.discovery.service import DiscoveryService
        from kumoss_console.services.discovery.states import BucketStates

        ground, store = self._ground, self._store
        return DiscoveryService(
            lambda: self._sidecar.jobs,
            BucketStates(ground.context, ground.store, store.bucket, store.xray, ground.off_loop),
            ground.clock,
            suppressions=lambda: load_suppressions(ground.environ),
            off_loop=ground.off_loop,
        )

    @cached_property
    def overview(self) -> OverviewService:
        from kumoss_console.services.overview.service import OverviewService

        ground, store = self._ground, self._store
        return OverviewService(
            ground.context,
            ground.adapters.sidecar,
            ground.store,
            self._sidecar.jobs,
            store.bucket,
            ground.clock,
            scanned=store.found_wrong,
        )

    @cached_property
    def doctor(self) -> DoctorService:
        from kumoss_console.services.doctor.service import DoctorService

        ground = self._ground
        return DoctorService(
            config=ground.config,
            context=ground.context,
            sidecar=ground.adapters.sidecar,
            store=ground.store,
            backend=self._projects.backend,
            journal_file=journal_file(ground.environ),
            environ=ground.environ,
        )
