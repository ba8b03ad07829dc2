"""Projects and their workspaces: what is worked out from names and folders."""

from __future__ import annotations

import shutil
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kumoss_console.services.wiring.adapters import RealAdapters
from kumoss_console.services.wiring.ground import Ground

if TYPE_CHECKING:
    from kumoss_console.services.backend.effective import WorkspaceBackendService
    from kumoss_console.services.backend.engine import Ran, WhichEngine
    from kumoss_console.services.backend.override import BackendService
    from kumoss_console.services.backend.proof import OverrideProofService
    from kumoss_console.services.keys.owner_search import OwnerSearchService
    from kumoss_console.services.keys.service import KeyService
    from kumoss_console.services.workspaces.places import Binding, Places
    from kumoss_console.services.workspaces.service import WorkspaceListService


class ProjectSide:
    """Keys, owners, overrides and workspaces of one context."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    @cached_property
    def keys(self) -> KeyService:
        from kumoss_console.services.keys.service import KeyService

        ground = self._ground
        return KeyService(ground.context, ground.store, off_loop=ground.off_loop)

    @cached_property
    def owner_search(self) -> OwnerSearchService:
        from kumoss_console.clones import clones_with_history
        from kumoss_console.config.discovery import expanded
        from kumoss_console.services.keys.owner_search import OwnerSearchService

        ground = self._ground
        folders = [expanded(folder, ground.environ) for folder in ground.context.clones]
        return OwnerSearchService(ground.context, clones_with_history, ground.off_loop, folders=folders)

    @cached_property
    def backend(self) -> BackendService:
        from kumoss_console.services.backend.override import BackendService

        return BackendService(self._ground.context)

    @cached_property
    def override_proof(self) -> OverrideProofService:
        from kumoss_console.services.backend.proof import OverrideProofService
        from kumoss_console.workspace import read_workspace

        return OverrideProofService(read_workspace, self._ground.environ, self._ground.off_loop, self.engines)

    @cached_property
    def engines(self) -> WhichEngine:
        """One for all who read a workspace: they are to read it for the same engine."""
        from kumoss_console.services.backend.engine import WhichEngine

        ground = self._ground
        real = isinstance(ground.adapters, RealAdapters)

        def installed(name: str) -> bool:
            return real and shutil.which(name, path=ground.environ.get("PATH", "")) is not None

        async def ran(folder: Path) -> Ran | None:
            from kumoss_console.services.backend.lastinit import engine_that_ran

            return await engine_that_ran(ground.journal, ground.context.name, folder)

        return WhichEngine(environ=ground.environ, installed=installed, ran=ran)

    @cached_property
    def workspaces(self) -> WorkspaceBackendService:
        from kumoss_console.services.backend.effective import WorkspaceBackendService
        from kumoss_console.workspace import read_workspace

        ground = self._ground
        return WorkspaceBackendService(ground.context, read_workspace, ground.environ, ground.off_loop, engines=self.engines)

    @cached_property
    def workspace_list(self) -> WorkspaceListService:
        from kumoss_console.services.workspaces.service import WorkspaceListService
        from kumoss_console.workspaces import workspace_folders, workspaces_in

        ground = self._ground
        return WorkspaceListService(
            ground.context, workspace_folders, workspaces_in, self.keys.owners, ground.clock, off_loop=ground.off_loop
        )

    async def places(self) -> Places:
        """Which workspaces that can be seen from here are bound to which states of the context's store."""
        from kumoss_console.services.workspaces.places import workspace_places

        return await workspace_places(self.workspace_list, self._ground.context.storage)

    async def bindings(self) -> tuple[Binding, ...]:
        """As :meth:`places`, with who says so: the override, the engine."""
        from kumoss_console.services.workspaces.places import workspace_bindings

        return await workspace_bindings(self.workspace_list, self._ground.context.storage)
