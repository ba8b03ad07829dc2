"""What the service is told by its environment, under the variable names of the reference and some of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kumoss_console.clients.process import GRACE_SECONDS
from kumoss_console.model.contract import JOB_TTL_SECONDS
from kumoss_console.sidecar import variables
from kumoss_console.sidecar.engine import Engine, find_engine
from kumoss_console.sidecar.secrets import secrets_in, token_of
from kumoss_console.sidecar.variables import TOKEN_FILE, TOKEN_VARIABLE, choice, count, folder, seconds
from kumoss_console.text import Secret

REQUEST_LIMIT = 4 * 1024 * 1024
"""Bytes: 256 targets of 1,024 characters, each escaped in the longest way JSON has, fit."""

_OWN = (TOKEN_VARIABLE, TOKEN_FILE.name)
"""What is the service's alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarSettings:
    """``environ`` is what every child of the service inherits: the service's own environment without its token.

    ``token_sha256`` is what callers' tokens are held against, ``None`` where nobody is asked. ``secrets`` are the values of the
    environment that look like one, and the token where it is known: none of them may stand in the log.
    Spans are in seconds, sizes in bytes; ``None`` is no limit. ``workspace_root`` has its links resolved.
    """

    engine: Engine
    token_sha256: bytes | None = field(repr=False)
    secrets: tuple[Secret, ...] = field(repr=False)
    backend_config: str | None = None
    environ: Mapping[str, str] = field(repr=False)
    workspace_root: str | None = None
    command_timeout: float | None = None
    output_limit: int | None = None
    running_limit: int | None = None
    waiting_limit: int | None = None
    request_limit: int = REQUEST_LIMIT
    job_ttl: float = JOB_TTL_SECONDS
    stop_wait: float = 0.0
    stop_grace: float = GRACE_SECONDS
    log_format: str = "text"
    log_level: str = "info"


def load_settings(environ: Mapping[str, str]) -> SidecarSettings:
    """Raises :class:`ConfigError` for an engine that cannot be found, a token that no request could ever carry, or a value
    that its variable cannot have."""
    token, digest = token_of(environ)
    return SidecarSettings(
        engine=find_engine(environ),
        token_sha256=digest,
        secrets=(token, *secrets_in(environ)) if token else secrets_in(environ),
        backend_config=variables.BACKEND_CONFIG.read(environ) or None,
        environ={name: value for name, value in environ.items() if name not in _OWN},
        workspace_root=folder(variables.WORKSPACE_ROOT, environ),
        command_timeout=seconds(variables.COMMAND_TIMEOUT, environ) or None,
        output_limit=count(variables.OUTPUT_LIMIT, environ) or None,
        running_limit=count(variables.RUNNING_LIMIT, environ) or None,
        waiting_limit=count(variables.WAITING_LIMIT, environ) or None,
        request_limit=count(variables.REQUEST_LIMIT, environ, least=1),
        job_ttl=seconds(variables.JOB_TTL, environ),
        stop_wait=seconds(variables.STOP_WAIT, environ),
        stop_grace=seconds(variables.STOP_GRACE, environ),
        log_format=choice(variables.LOG_FORMAT, environ),
        log_level=choice(variables.LOG_LEVEL, environ),
    )
