"""Everything of the outside that the command line touches, as one value: streams, environment, and how services are made."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TextIO

if TYPE_CHECKING:
    from kumoss_console.config import LoadedConfig
    from kumoss_console.ports.clock import Clock
    from kumoss_console.services.build import Services


class Load(Protocol):
    """Signature of :func:`kumoss_console.config.load`."""

    def __call__(self, *, config: Path | None, environ: Mapping[str, str], cwd: Path) -> LoadedConfig: ...


class Build(Protocol):
    """Signature of :func:`kumoss_console.services.build.build`."""

    def __call__(self, config: LoadedConfig, name: str | None, *, read_only: bool, environ: Mapping[str, str]) -> Services: ...


def _load(*, config: Path | None, environ: Mapping[str, str], cwd: Path) -> LoadedConfig:
    from kumoss_console.config import load

    return load(config=config, environ=environ, cwd=cwd)


def _build(config: LoadedConfig, name: str | None, *, read_only: bool, environ: Mapping[str, str]) -> Services:
    from kumoss_console.services.build import build

    return build(config, name, read_only=read_only, environ=environ)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class World:
    """``columns`` is the width of the terminal on stdout, ``None`` where stdout is no terminal: then nothing is clipped.

    ``interactive`` says that a question on stderr would be read and answered by a person on stdin.
    """

    stdin: BinaryIO
    stdout: BinaryIO
    stderr: BinaryIO
    environ: Mapping[str, str]
    cwd: Path
    columns: int | None = None
    stderr_is_terminal: bool = False
    interactive: bool = False
    clock: Clock = _utc_now
    load: Load = _load
    build: Build = _build

    @property
    def colour(self) -> bool:
        """Whether stdout may carry colour: a terminal that is not dumb, and nobody asked for none (NO_COLOR, any value)."""
        return self.columns is not None and self.may_colour

    @property
    def may_colour(self) -> bool:
        return not self.environ.get("NO_COLOR") and self.environ.get("TERM") != "dumb"


def real_world() -> World:
    """The process's own streams and environment. A stdin that was closed for us (``<&-``) reads as empty, a stderr swallows,
    and a stdout says so to whoever writes."""
    terminal = _is_terminal(sys.stdout)
    return World(
        stdin=sys.stdin.buffer if sys.stdin else io.BytesIO(),
        stdout=sys.stdout.buffer if sys.stdout else _Closed(),
        stderr=sys.stderr.buffer if sys.stderr else io.BytesIO(),
        environ=os.environ,
        cwd=_current_folder(),
        columns=shutil.get_terminal_size().columns if terminal else None,
        stderr_is_terminal=_is_terminal(sys.stderr),
        interactive=_is_terminal(sys.stdin) and _is_terminal(sys.stderr),
    )


class _Closed(io.BytesIO):
    """A stream that was closed before we came."""

    def write(self, _: object, /) -> int:
        raise OSError(errno.EBADF, "it is closed")


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        # It was deleted under the shell's feet; what needs it will say so.
        return Path("/")
