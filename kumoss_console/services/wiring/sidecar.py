"""The IaC service of a context: its jobs, who follows them, and what is done by several of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from kumoss_console.services.wiring.ground import Ground
from kumoss_console.services.wiring.projects import ProjectSide

if TYPE_CHECKING:
    from kumoss_console.services.chain.service import ChainService
    from kumoss_console.services.discovery.imports import ImportService
    from kumoss_console.services.follow.everywhere import FollowAll, Following
    from kumoss_console.services.follow.follower import Follower
    from kumoss_console.services.jobs.explain import ExplainService
    from kumoss_console.services.jobs.service import JobService
    from kumoss_console.services.jobs.transfer import TransferService


class SidecarSide:
    """What sends jobs, or knows of them. ``another`` gives the services of another context, by its name."""

    def __init__(self, ground: Ground, projects: ProjectSide, another: Callable[[str], Following]) -> None:
        self._ground = ground
        self._projects = projects
        self._another = another

    @cached_property
    def jobs(self) -> JobService:
        from kumoss_console.services.jobs.service import JobService

        ground = self._ground
        return JobService(
            ground.context,
            ground.adapters.sidecar,
            ground.adapters.journal,
            ground.clock,
            sleep=ground.sleep,
            off_loop=ground.off_loop,
        )

    @cached_property
    def follow(self) -> Follower:
        from kumoss_console.services.follow.follower import Follower

        ground = self._ground
        return Follower(ground.context, self.jobs, ground.adapters.journal, ground.clock, sleep=ground.sleep)

    @cached_property
    def follow_all(self) -> FollowAll:
        """The jobs of the other contexts: one for the console, whichever context it shows."""
        from kumoss_console.services.follow.everywhere import FollowAll

        ground = self._ground
        names = tuple(context.name for context in ground.config.contexts)
        everywhere = FollowAll(ground.adapters.journal, names, self._another, sleep=ground.sleep)
        everywhere.shown = ground.context.name
        return everywhere

    @cached_property
    def explain(self) -> ExplainService:
        from kumoss_console.services.jobs.explain import ExplainService

        return ExplainService(self._ground.environ)

    @cached_property
    def transfer(self) -> TransferService:
        from kumoss_console.services.jobs.intake import secrets_of
        from kumoss_console.services.jobs.transfer import TransferService

        ground = self._ground
        found = [secret for context in ground.config.contexts for secret in secrets_of(context)]
        return TransferService(ground.adapters.journal, ground.clock, tuple(found))

    @cached_property
    def chain(self) -> ChainService:
        from kumoss_console.services.chain.override import OverridePlacer
        from kumoss_console.services.chain.service import ChainService

        ground, projects = self._ground, self._projects
        placer = OverridePlacer(ground.context, projects.backend, projects.override_proof, ground.off_loop)
        return ChainService(ground.context, self.jobs, ground.clock, place=placer.place, off_loop=ground.off_loop)

    @cached_property
    def imports(self) -> ImportService:
        from kumoss_console.services.discovery.imports import ImportService

        return ImportService(self._ground.context, self.jobs)
