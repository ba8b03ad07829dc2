"""Running the service: what it needs, where it listens, and which doors stand open."""

from __future__ import annotations

import asyncio
import errno
import importlib.util
import ipaddress
import logging
import socket
import sys
from collections.abc import Callable, Mapping

from kumoss_console.clients.heirs import Heirs
from kumoss_console.errors import ConfigError, InputError
from kumoss_console.sidecar.doors import BACKLOG
from kumoss_console.sidecar.logs import configure_logging
from kumoss_console.sidecar.private import close_to_children
from kumoss_console.sidecar.settings import SidecarSettings, load_settings
from kumoss_console.sidecar.variables import TOKEN_FILE, TOKEN_VARIABLE
from kumoss_console.text import printable

_log = logging.getLogger(__name__)


def announce_on_stdout(url: str) -> None:
    """The one line the service writes to stdout."""
    sys.stdout.write(f"listening on {url}\n")
    sys.stdout.flush()


def serve(host: str, port: int, environ: Mapping[str, str], announce: Callable[[str], None] = announce_on_stdout) -> None:
    """Serve until SIGTERM or SIGINT, then end the jobs and return. Call it from the main thread.

    ``announce`` gets the URL once connections are taken; port 0 picks a free port. Raises :class:`ConfigError` or
    :class:`InputError` where the service cannot start.
    """
    _require_packages()
    settings = load_settings(environ)
    close_to_children()
    configure_logging(*settings.secrets, log_format=settings.log_format, level=settings.log_level)
    with _listen(host, port) as listener:
        _log.info("engine: %s (found by %s)", " ".join(settings.engine.argv0), settings.engine.found_by)
        if settings.workspace_root is not None:
            _log.info("workspaces must lie in %s", printable(settings.workspace_root))
        _warn_of_open_doors(settings, listener)
        # Only now, so that a missing package is told from a missing engine and neither costs the import.
        from kumoss_console.sidecar.offspring import Offspring
        from kumoss_console.sidecar.server import Server

        with Heirs(settings.stop_grace) as heirs:
            asyncio.run(Server(settings, lambda: announce(_url(listener)), heirs, Offspring()).serve([listener]))


def _require_packages() -> None:
    missing = [name for name in ("starlette", "uvicorn") if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"The bundled sidecar needs packages that are not installed: {', '.join(missing)}.",
            hint="Install them: pip install 'kumoss-console[sidecar]'",
            code="sidecar.packages_missing",
        )


def _listen(host: str, port: int) -> socket.socket:
    where = f"{printable(host)}:{port}"
    try:
        if not 0 <= port <= 65535:  # the resolver would take it modulo 65536
            raise OverflowError("there is no such port")
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, OverflowError, UnicodeError) as error:
        raise InputError(
            f"The sidecar cannot listen on {where}.",
            detail=printable(str(error)),
            hint="Give --host an address of this machine and --port a number from 0 to 65535.",
            code="sidecar.address_invalid",
        ) from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        hints = {
            errno.EADDRINUSE: "Another program listens there. Stop it, choose another --port, or --port 0 for a free one.",
            errno.EACCES: "Ports below 1024 are for root: choose a higher --port.",
        }
        raise InputError(
            f"The sidecar cannot listen on {where}: {error.strerror}.",
            hint=hints.get(error.errno or 0, "Give --host an address of this machine: 127.0.0.1 for this machine alone."),
            code="sidecar.address_in_use" if error.errno == errno.EADDRINUSE else "sidecar.address_refused",
        ) from None
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _warn_of_open_doors(settings: SidecarSettings, listener: socket.socket) -> None:
    if settings.token_sha256 is not None:
        return
    _log.warning("%s is empty and there is no %s: every request is accepted, with any token", TOKEN_VARIABLE, TOKEN_FILE.name)
    if not ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback:
        _log.warning(
            "listening beyond this machine (%s) without a token: whoever reaches the port runs code and uses the cloud "
            "credentials of this service; set %s, or listen on 127.0.0.1",
            _url(listener),
            TOKEN_VARIABLE,
        )
