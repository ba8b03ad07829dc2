"""What each kind of job does. Whatever the engine or the cloud says, also a failure, is a result: only our own faults raise."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from http import HTTPStatus

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.heirs import Heirs
from kumoss_console.model.contract import (
    CloudProvider,
    JobResult,
    Problem,
    ScopeResourceIdsRequest,
    StateResourceIdsRequest,
    SubmitRequest,
)
from kumoss_console.model.identifiers import resource_ids
from kumoss_console.model.state.repair import shallow
from kumoss_console.sidecar.commands import arguments, scope_overlay, unpassable
from kumoss_console.sidecar.jobs import JobFault
from kumoss_console.sidecar.offspring import Lineage, Offspring
from kumoss_console.sidecar.runner import EngineRunner
from kumoss_console.sidecar.settings import SidecarSettings
from kumoss_console.sidecar.variables import COMMAND_TIMEOUT, OUTPUT_LIMIT

_log = logging.getLogger(__name__)

_UNPARSABLE = JobResult(1, "", "state pull returned an unparsable state document")

ListScope = Callable[[CloudProvider, str, Mapping[str, str]], Awaitable[JobResult]]


class Operations:
    """The eight kinds of job on the engine of ``settings``."""

    def __init__(self, settings: SidecarSettings, heirs: Heirs | None = None, offspring: Offspring | None = None) -> None:
        self._settings = settings
        self._offspring = offspring
        self._engine = EngineRunner(settings, heirs, offspring)

    def hurry(self) -> None:
        """Whatever is to end from now on, or is ending, is killed at once."""
        self._engine.at_once.set()

    async def perform(self, request: SubmitRequest, workspace: str) -> JobResult:
        """Do the job of ``request`` in ``workspace``, the true path of its folder.

        Raises :class:`JobFault` for a job that took too long or whose folder is another by now, and whatever else the service
        itself fails with, such as :class:`OSError` for an engine that has gone.
        """
        with self._offspring.job() if self._offspring else nullcontext() as lineage:
            return await self._in_time(request, workspace, lineage)

    async def _in_time(self, request: SubmitRequest, workspace: str, lineage: Lineage | None) -> JobResult:
        seconds = self._settings.command_timeout
        try:
            async with asyncio.timeout(seconds) as deadline:
                return await self._perform(request, workspace, lineage)
        except TimeoutError:
            if not deadline.expired():
                raise
            raise JobFault(
                Problem(
                    title="Gateway Timeout",
                    status=HTTPStatus.GATEWAY_TIMEOUT.value,
                    detail=f"{request.kind.value} took longer than {seconds:g} s and was {_ended(request, lineage)} "
                    f"({COMMAND_TIMEOUT.name}).",
                )
            ) from None

    async def _perform(self, request: SubmitRequest, workspace: str, lineage: Lineage | None) -> JobResult:
        if isinstance(request, ScopeResourceIdsRequest):
            list_scope = await run_blocking(_scope_listing)
            return await list_scope(request.terraform_provider, request.scope_id, self._settings.environ)
        if refusal := unpassable(request):
            return JobResult(1, "", f"The engine was not started: {refusal}.\n")
        if await run_blocking(os.path.realpath, workspace) != workspace:
            raise JobFault(
                Problem(title="Internal Server Error", status=500, detail="The workspace became a link while the job waited.")
            )
        ran = await self._engine.run(arguments(request, self._settings.backend_config), workspace, _overlay(request), lineage)
        if not isinstance(request, StateResourceIdsRequest):
            return ran.result
        if ran.stdout_is_cut:
            return JobResult(1, "", f"the state is larger than the output that the service keeps ({OUTPUT_LIMIT.name})")
        return await run_blocking(identifiers_in, ran.result)


def _ended(request: SubmitRequest, lineage: Lineage | None) -> str:
    if isinstance(request, ScopeResourceIdsRequest):
        return "given up"
    if lineage and lineage.all_ended:
        return "ended with all it had started"
    return "ended with its process group; what it started outside of that may still run"


def _overlay(request: SubmitRequest) -> dict[str, str]:
    provider: CloudProvider | None = getattr(request, "terraform_provider", None)
    if provider is None:
        return {}
    overlay = scope_overlay(provider, getattr(request, "scope_id", ""))
    if not overlay:
        _log.info("provider %s has no scope variable: the command runs on the credentials it finds", provider)
    return overlay


def identifiers_in(pulled: JobResult) -> JobResult:
    """The result of ``state pull`` with its document turned into the JSON array of the identifiers in it."""
    if pulled.exit_code != 0:
        return JobResult(pulled.exit_code, "", pulled.stderr)
    if not pulled.stdout.strip():
        return JobResult(0, "[]", pulled.stderr)
    try:
        document = _decoded(pulled.stdout)
    except json.JSONDecodeError:
        return _UNPARSABLE
    if not isinstance(document, dict):
        return _UNPARSABLE
    # ASCII escapes on purpose: a state may hold lone surrogates, which UTF-8 cannot carry.
    return JobResult(0, json.dumps(resource_ids(document)), pulled.stderr)


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except RecursionError:
        # An attribute may nest as deep as its provider likes, and no identifier is that deep.
        return json.loads(shallow(text.encode()))


def _scope_listing() -> ListScope:
    # Only a service that is asked for a scope pays for what asks the clouds.
    from kumoss_console.sidecar.discovery.scope import list_scope

    return list_scope
