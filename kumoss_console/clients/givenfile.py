"""A file that somebody named: read as far as any document goes, and never waited for without end. Blocking."""

from __future__ import annotations

import os
import select
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from kumoss_console.errors import InputError
from kumoss_console.text import printable

LARGEST = 512 * 1024 * 1024
"""Bytes of a document at hand; as many as are read of an object in a store."""

_WRITER_SECONDS = 10.0
_CHUNK = 1 << 20
_STATE_HINT = "Give the path of a state, a lock or another document."


class _TooLarge(Exception):
    """More than :data:`LARGEST` bytes."""


def read_document(path: Path) -> tuple[bytes, datetime | None]:
    """A file as its bytes, and when it was last modified. Raises :class:`InputError` like :func:`read_file`."""
    raw = read_file(path, shown=printable(str(path)), hint=_STATE_HINT)
    try:
        return raw, datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, OverflowError, ValueError):
        return raw, None


def read_file(path: Path, *, shown: str, hint: str) -> bytes:
    """The bytes of ``path``. ``shown`` is its printable name in a refusal, ``hint`` says what kind of file is wanted.

    Raises :class:`InputError` for what cannot be read, for more than :data:`LARGEST` bytes, and for a named pipe that nobody
    writes to.
    """
    return _refusing(lambda: _read(path), shown=shown, hint=hint)


def read_stream(stream: BinaryIO, *, shown: str, hint: str) -> bytes:
    """Everything in a stream, within the same limit."""
    return _refusing(lambda: _limited(stream), shown=shown, hint=hint)


def _refusing(read: Callable[[], bytes], *, shown: str, hint: str) -> bytes:
    try:
        return read()
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
