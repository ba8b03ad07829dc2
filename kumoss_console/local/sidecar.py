"""The bundled IaC service as a process of the local stack."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import secrets
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kumoss_console.errors import ConfigError, Unreachable
from kumoss_console.local.guarded import Guarded, guarded
from kumoss_console.text import Secret

READY_SECONDS = 30.0
GRACE_SECONDS = 8.0
"""Time for the service to end its engines itself; a lock that an engine holds is released by an engine that ends in order."""
_LISTENING = re.compile(r"^listening on (http://\S+)$", re.MULTILINE)
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "IAC_BINARY")


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarEndpoint:
    """Where the service answers and the token it takes. ``process`` is what runs there."""

    url: str
    token: Secret
    process: Guarded = field(repr=False, compare=False)


def engine_environ(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """What the service and its engines see: nothing of the operator's clouds, plugins or settings, and no version check."""
    kept = {name: environ[name] for name in _KEPT if environ.get(name)}
    return kept | {"HOME": str(home), "CHECKPOINT_DISABLE": "1", "AWS_EC2_METADATA_DISABLED": "true"}


@asynccontextmanager
async def bundled_sidecar(
    environ: Mapping[str, str], folder: Path, *, leftovers: Sequence[str] = ()
) -> AsyncIterator[SidecarEndpoint]:
    """The service on a free loopback port until the block ends. ``folder`` gets its log; ``leftovers`` are removed with it.

    ``environ`` is taken as it is, see :func:`engine_environ`. Raises :class:`ConfigError` where its packages are missing,
    :class:`Unreachable` where it does not start.
    """
    require_packages()
    token = Secret(secrets.token_urlsafe(32))
    argv = [sys.executable, "-m", "kumoss_console.sidecar", "--host", "127.0.0.1", "--port", "0"]
    with guarded(
        argv,
        cwd=folder,
        environ={**environ, "KUMOSS_IAC_TOKEN": token.reveal()},
        stdout=folder / "sidecar.out",
        stderr=folder / "sidecar.log",
        grace=GRACE_SECONDS,
        leftovers=leftovers,
    ) as process:
        yield SidecarEndpoint(url=await _listening(process), token=token, process=process)


def require_packages() -> None:
    """Raises :class:`ConfigError` where the packages of the bundled service are missing."""
    missing = [name for name in ("starlette", "uvicorn") if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"The local stack needs packages that are not installed: {', '.join(missing)}.",
            hint="Install them: pip install 'kumoss-console[local]'",
            code="local.sidecar_missing",
        )


async def _listening(process: Guarded) -> str:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + READY_SECONDS
    while True:
        found = _LISTENING.search(process.answered())
        if found:
            return found[1]
        if process.exit_code() is not None or loop.time() > deadline:
            raise Unreachable(
                "The bundled sidecar of the local stack did not start.",
                detail=process.said() or "It said nothing.",
                hint="See what it needs: kumoss-console sidecar serve",
                code="local.sidecar_failed",
            )
        await asyncio.sleep(0.02)
