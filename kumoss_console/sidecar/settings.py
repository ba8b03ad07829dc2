"""What the service is told by its environment, under the variable names of the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kumoss_console.clients.process import GRACE_SECONDS
from kumoss_console.errors import ConfigError
from kumoss_console.model.contract import JOB_TTL_SECONDS
from kumoss_console.sidecar.engine import Engine, find_engine
from kumoss_console.text import Secret

TOKEN_VARIABLE = "KUMOSS_IAC_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarSettings:
    """``environ`` is what every child of the service inherits: the service's own environment without its token."""

    engine: Engine
    token: Secret
    backend_config: str | None = None
    environ: Mapping[str, str] = field(repr=False)
    job_ttl: float = JOB_TTL_SECONDS
    stop_grace: float = GRACE_SECONDS


def load_settings(environ: Mapping[str, str]) -> SidecarSettings:
    """Raises :class:`ConfigError` for an engine that cannot be found or a token that no request could ever carry."""
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
        backend_config=environ.get("IAC_BACKEND_CONFIG", "").strip() or None,
        environ={name: value for name, value in environ.items() if name != TOKEN_VARIABLE},
    )
