"""What the service is told by its environment, under the variable names of the reference and some of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kumoss_console.clients.process import GRACE_SECONDS
from kumoss_console.errors import ConfigError
from kumoss_console.model.contract import JOB_TTL_SECONDS
from kumoss_console.sidecar import variables
from kumoss_console.sidecar.engine import Engine, find_engine
from kumoss_console.sidecar.variables import TOKEN_VARIABLE, choice, count, folder, seconds
from kumoss_console.text import Secret

REQUEST_LIMIT = 4 * 1024 * 1024
"""Bytes: 256 targets of 1,024 characters, each escaped in the longest way JSON has, fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarSettings:
    """``environ`` is what every child of the service inherits: the service's own environment without its token.

    Spans are in seconds, sizes in bytes; ``None`` is no limit. ``workspace_root`` has its links resolved.
    """

    engine: Engine
    token: Secret
    backend_config: str | None = None
    environ: Mapping[str, str] = field(repr=False)
    workspace_root: str | None = None
    command_timeout: float | None = None
    output_limit: int | None = None
    running_limit: int | None = None
    request_limit: int = REQUEST_LIMIT
    job_ttl: float = JOB_TTL_SECONDS
    stop_wait: float = 0.0
    stop_grace: float = GRACE_SECONDS
    log_format: str = "text"
    log_level: str = "info"


def load_settings(environ: Mapping[str, str]) -> SidecarSettings:
    """Raises :class:`ConfigError` for an engine that cannot be found, a token that no request could ever carry, or a value
    that its variable cannot have."""
    token = environ.get(TOKEN_VARIABLE, "")
    if token != token.strip() or not token.isprintable():
        raise ConfigError(
            f"{TOKEN_VARIABLE} begins or ends with white space, or holds a control character.",
            detail="No request header can carry such a token, so every request would be refused.",
            hint=f"Set {TOKEN_VARIABLE} to the token alone; a line feed at its end often comes from the file it was read from.",
            code="sidecar.token_unusable",
            key=TOKEN_VARIABLE,
        )
    return SidecarSettings(
        engine=find_engine(environ),
        token=Secret(token),
        backend_config=variables.BACKEND_CONFIG.read(environ) or None,
        environ={name: value for name, value in environ.items() if name != TOKEN_VARIABLE},
        workspace_root=folder(variables.WORKSPACE_ROOT, environ),
        command_timeout=seconds(variables.COMMAND_TIMEOUT, environ) or None,
        output_limit=count(variables.OUTPUT_LIMIT, environ) or None,
        running_limit=count(variables.RUNNING_LIMIT, environ) or None,
        request_limit=count(variables.REQUEST_LIMIT, environ, least=1),
        job_ttl=seconds(variables.JOB_TTL, environ),
        stop_wait=seconds(variables.STOP_WAIT, environ),
        stop_grace=seconds(variables.STOP_GRACE, environ),
        log_format=choice(variables.LOG_FORMAT, environ),
        log_level=choice(variables.LOG_LEVEL, environ),
    )
