"""What each kind of job does. Whatever the engine or the cloud says, also a failure, is a result: only our own faults raise."""

from __future__ import annotations

import json
import logging

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.heirs import Heirs
from kumoss_console.model.contract import (
    CloudProvider,
    JobResult,
    ScopeResourceIdsRequest,
    StateResourceIdsRequest,
    SubmitRequest,
)
from kumoss_console.model.identifiers import resource_ids
from kumoss_console.model.state.repair import shallow
from kumoss_console.sidecar.commands import arguments, scope_overlay, unpassable
from kumoss_console.sidecar.runner import EngineRunner
from kumoss_console.sidecar.settings import SidecarSettings

_log = logging.getLogger(__name__)

_UNPARSABLE = JobResult(1, "", "state pull returned an unparsable state document")
# Clouds for which the contract knows no way to list a scope.
_NEVER_LISTED = frozenset({CloudProvider.OCI, CloudProvider.KUBERNETES})


class Operations:
    """The eight kinds of job on the engine of ``settings``."""

    def __init__(self, settings: SidecarSettings, heirs: Heirs | None = None) -> None:
        self._settings = settings
        self._engine = EngineRunner(settings, heirs)

    async def perform(self, request: SubmitRequest) -> JobResult:
        """Raises whatever the service itself fails with, such as :class:`OSError` for an engine that has gone."""
        if isinstance(request, ScopeResourceIdsRequest):
            return list_scope(request.terraform_provider)
        if refusal := unpassable(request):
            return JobResult(1, "", f"The engine was not started: {refusal}.\n")
        result = await self._engine.run(
            arguments(request, self._settings.backend_config), request.workspace_path, _overlay(request)
        )
        return await run_blocking(identifiers_in, result) if isinstance(request, StateResourceIdsRequest) else result


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


def list_scope(provider: CloudProvider) -> JobResult:
    """What exists in a cloud scope; no cloud can be asked yet."""
    if provider in _NEVER_LISTED:
        return JobResult(2, "", f"no scope discovery for provider '{provider}'")
    return JobResult(1, "", f"this build of the sidecar cannot list the scope of provider '{provider}' yet")
