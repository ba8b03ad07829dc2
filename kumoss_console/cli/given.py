"""Files that a command line names: read as far as any document goes, and never waited for without end."""

from __future__ import annotations

import os
import select
import stat
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

import click

from kumoss_console.cli.world import World
from kumoss_console.errors import InputError
from kumoss_console.text import printable

LARGEST = 512 * 1024 * 1024
"""Bytes of a document at hand; as many as are read of an object in a store."""

_WRITER_SECONDS = 10.0
_CHUNK = 1 << 20


class _TooLarge(Exception):
    """More than :data:`LARGEST` bytes."""


class GivenPath(click.ParamType[Path]):
    """A path as it was typed. The empty one is refused: it would silently mean the current folder."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        text = os.fspath(value)
        if not text.strip():
            self.fail("it is empty, which names no file and no folder", param, ctx)
        return Path(text)


def read_given(world: World, name: Path, *, hint: str) -> bytes:
    """The bytes of ``name``, seen from the current folder; ``-`` is stdin.

    Raises :class:`InputError` for what cannot be read, for more than :data:`LARGEST` bytes, and for a named pipe that nobody
    writes to. ``hint`` says what kind of file is wanted.
    """
    shown = "stdin" if str(name) == "-" else printable(str(name))
    try:
        return _limited(world.stdin) if str(name) == "-" else _read(world.cwd / name)
    except _TooLarge:
        size = f"{LARGEST // 1024 // 1024} MiB"
        raise InputError(f"{shown} is too large: more than {size}", hint=hint, code="input.too_large") from None
    except TimeoutError:
        raise InputError(
            f"Nobody writes to the named pipe {shown}",
            detail=f"no writer within {_WRITER_SECONDS:.0f} s",
            hint="Start the command that writes to it first.",
            code="input.unreadable_file",
        ) from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{shown} cannot be read: {said}", hint=hint, code="input.unreadable_file") from None


def _read(path: Path) -> bytes:
    # Non-blocking: opening a named pipe would otherwise wait for a writer, for good.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb", buffering=0) as raw:
        status = os.fstat(descriptor)
        begun = _first_of(descriptor) if stat.S_ISFIFO(status.st_mode) else b""
        os.set_blocking(descriptor, True)
        return _limited(raw, begun)


def _first_of(descriptor: int) -> bytes:
    """What a pipe has to say once it says something. A writer that is there and thinks is waited for, later and for good."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if poll.poll(_WRITER_SECONDS * 1000):
        return b""
    try:
        begun = os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return b""
    if not begun:
        raise TimeoutError
    return begun


def _limited(stream: BinaryIO | FileIO, begun: bytes = b"") -> bytes:
    """``begun`` and everything after it, to the end."""
    chunks = [begun]
    size = len(begun)
    while chunk := stream.read(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > LARGEST:
            raise _TooLarge
    return b"".join(chunks)
