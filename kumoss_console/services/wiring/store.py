"""The store of a context: its states, their locks and their versions, and what the store itself is like."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from uuid import uuid4

from kumoss_console.model.storage import StorageProvider
from kumoss_console.ports.locks import LockKeeper
from kumoss_console.services.wiring.ground import Ground
from kumoss_console.services.wiring.projects import ProjectSide

if TYPE_CHECKING:
    from kumoss_console.clients.dynamodb import DynamoTable
    from kumoss_console.services.bucket.service import BucketService
    from kumoss_console.services.endpoint.service import EndpointService
    from kumoss_console.services.locks.service import LockService
    from kumoss_console.services.overview.attention import Attention
    from kumoss_console.services.scan.service import ScanService
    from kumoss_console.services.states.detail import StateDetailService
    from kumoss_console.services.states.xray import XrayService
    from kumoss_console.services.versions.service import VersionService


class StoreSide:
    """What reads the context's store. Where there is none, each service says so when it is asked."""

    def __init__(self, ground: Ground, projects: ProjectSide) -> None:
        self._ground = ground
        self._projects = projects

    @cached_property
    def bucket(self) -> BucketService:
        from kumoss_console.services.bucket.service import BucketService

        ground = self._ground
        return BucketService(
            ground.context,
            ground.store,
            self._projects.keys.owners,
            ground.clock,
            keepers=self.lock_keepers,
            off_loop=ground.off_loop,
        )

    @cached_property
    def state_detail(self) -> StateDetailService:
        from kumoss_console.clients.givenfile import read_document
        from kumoss_console.services.states.detail import StateDetailService

        ground = self._ground
        return StateDetailService(
            ground.context,
            ground.store,
            self.bucket.owner_of,
            read_document,
            ground.clock,
            keepers=self.lock_keepers,
            off_loop=ground.off_loop,
        )

    @cached_property
    def xray(self) -> XrayService:
        from kumoss_console.clients.headcache import HeadFiles
        from kumoss_console.services.states.xray import XrayService

        ground = self._ground
        cache = HeadFiles(ground.cache / "heads") if ground.cache is not None else None
        return XrayService(ground.context, ground.store, off_loop=ground.off_loop, cache=cache)

    @cached_property
    def scan(self) -> ScanService:
        from kumoss_console.services.scan.service import ScanService

        ground = self._ground
        return ScanService(
            ground.context,
            ground.store,
            bucket=self.bucket,
            xray=self.xray,
            owners=self._projects.keys.owners,
            journal=ground.journal,
            places=self._projects.places,
            clock=ground.clock,
            off_loop=ground.off_loop,
        )

    @cached_property
    def endpoint(self) -> EndpointService:
        from kumoss_console.services.endpoint.service import EndpointService

        ground = self._ground
        return EndpointService(ground.context, ground.store, ground.clock, lambda: uuid4().hex)

    @cached_property
    def versions(self) -> VersionService:
        from kumoss_console.services.versions.service import VersionService

        ground = self._ground
        return VersionService(
            ground.context,
            ground.store,
            ground.journal,
            ground.clock,
            places=self._projects.places,
            keepers=self.lock_keepers,
            off_loop=ground.off_loop,
            bindings=self._projects.bindings,
            config=next((file.path for file in ground.config.files if file.found_by == "--config"), ""),
        )

    @cached_property
    def _lock_table(self) -> DynamoTable | None:
        """Where the backend blocks of this context keep locks in a table, too."""
        context = self._ground.context
        named = context.locks
        if not named.dynamodb_table:
            return None
        from kumoss_console.clients.dynamodb import DynamoTable

        return DynamoTable(named.dynamodb_table, context.storage, context.credentials, endpoint=named.dynamodb_endpoint or None)

    @cached_property
    def lock_keepers(self) -> tuple[LockKeeper, ...]:
        """Who keeps the locks of this context's states: none where it has no store."""
        from kumoss_console.clients.lock_objects import LockObjects

        store, table = self._ground.store, self._lock_table
        if store is None:
            return ()
        if self._ground.context.storage.provider is StorageProvider.STORAGE_ACCOUNT:
            from kumoss_console.clients.azure import AzureStore
            from kumoss_console.clients.azure_leases import AzureLeases

            return (AzureLeases(store),) if isinstance(store, AzureStore) else ()
        return (LockObjects(store), *([table] if table is not None else []))

    @cached_property
    def locks(self) -> LockService:
        from kumoss_console.services.locks.reach import reaches
        from kumoss_console.services.locks.service import LockService

        ground = self._ground
        return LockService(
            ground.context,
            store=ground.store,
            keepers=self.lock_keepers,
            bucket=self.bucket,
            journal=ground.journal,
            places=self._projects.places,
            clock=ground.clock,
            reaches=reaches(ground.context, ground.config.contexts),
            off_loop=ground.off_loop,
        )

    def found_wrong(self) -> tuple[Attention, ...]:
        """What the last scan and the card of the endpoint found wrong, as far as there are any: asking for it starts neither."""
        found: list[Attention] = []
        if "endpoint" in vars(self):
            from kumoss_console.services.overview.endpoint_attention import endpoint_attention

            found += endpoint_attention(self.endpoint.last)
        if "scan" in vars(self):
            from kumoss_console.services.overview.scan_attention import scan_attention

            found += scan_attention(self.scan.last, self._ground.clock())
        return tuple(found)

    def conditional_delete(self) -> bool | None:
        """Whether the store looks at the condition of a deletion, as far as a trial of this session tells: it starts none."""
        last = self.endpoint.last if "endpoint" in vars(self) else None
        tried = next((aspect for aspect in last.aspects if aspect.name == "conditional_delete"), None) if last else None
        return {"good": True, "bad": False}.get(tried.standing) if tried is not None else None

    async def aclose(self) -> None:
        """Close what was opened beside the adapters."""
        if "endpoint" in vars(self):
            await self.endpoint.aclose()
        if "_lock_table" in vars(self) and self._lock_table is not None:
            await self._lock_table.aclose()
