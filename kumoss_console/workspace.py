"""A workspace folder, read without trusting it: no name in it can block, loop or fill the memory.

Blocking: call it off the event loop. 2,000 ordinary files take about the time it takes to read them.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from kumoss_console.errors import InputError, Refused
from kumoss_console.model.backend.snapshot import Entry, Snapshot
from kumoss_console.text import printable

POINTER = Path(".terraform", "terraform.tfstate")
SELECTED = Path(".terraform", "environment")
LOCK = ".terraform.lock.hcl"
PROVIDERS = Path(".terraform", "providers")
_MOST_REGISTRIES = 50
LARGEST = 16 * 1024 * 1024
"""Bytes of one file that are read at all; what is parsed is less."""

_READ = (".tf", ".tf.json", ".tofu", ".tofu.json", ".tfvars", ".tfvars.json")
_OTHERS = frozenset({"terragrunt.hcl"})
# Names that tell something by being there: leftovers that look like configuration.
_SEEN = re.compile(r".*\.(?:tf|tofu)(?:\.json)?(?:[~.#].*)?", re.IGNORECASE | re.DOTALL)
_SPECIAL = ((stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))
_REASONS = {
    errno.ELOOP: "a symbolic link that leads to itself",
    errno.ENOENT: "not found",
    errno.EACCES: "permission denied",
    errno.EISDIR: "a folder",
    errno.ENOTDIR: "not found",
    errno.ENAMETOOLONG: "the name is too long",
}


def read_workspace(folder: Path, options: Iterable[str] = (), *, environ_workspace: str = "") -> Snapshot:
    """The folder as :mod:`kumoss_console.model.backend` takes it.

    ``options`` are files that ``-backend-config`` names, absolute or relative to the folder; ``environ_workspace`` is what
    TF_WORKSPACE selects. Raises :class:`InputError` for a folder that is not there, :class:`Refused` for one that may not be
    looked into.
    """
    shown = printable(str(folder))
    try:
        with os.scandir(folder) as found:
            items = sorted((item for item in found if _told(item.name)), key=lambda item: os.fsencode(item.name))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{shown} is not a folder", hint="Give the folder of a root module.", code="workspace.missing") from None
    except (OSError, ValueError) as error:
        raise Refused(
            f"{shown} cannot be looked into",
            detail=_reason(error),
            hint="Run this as the owner of the workspaces.",
            code="workspace.unreadable",
        ) from None
    return Snapshot(
        folder=str(folder),
        entries=tuple(map(_entry, items)),
        options={name: read_file(folder / name, name) for name in options},
        pointer=_pointer(folder),
        selected=environ_workspace or _selected(folder),
        lock=read_file(folder / LOCK, LOCK).raw,
        registries=_registries(folder),
    )


def _registries(folder: Path) -> tuple[str, ...]:
    try:
        with os.scandir(folder / PROVIDERS) as found:
            return tuple(item.name for item in islice(found, _MOST_REGISTRIES))
    except (OSError, ValueError):
        return ()


def _told(name: str) -> bool:
    return name.endswith(_READ) or name in _OTHERS or bool(_SEEN.fullmatch(name))


def _entry(item: os.DirEntry[str]) -> Entry:
    name = item.name
    try:
        folder = item.is_dir(follow_symlinks=False)
    except OSError as error:
        return Entry(name=name, error=_reason(error))
    if folder:
        return Entry(name=name, kind="folder")
    if name.startswith(".") or not (name.endswith(_READ) or name in _OTHERS):
        return Entry(name=name)
    return read_file(item.path, name)


def read_file(path: Path | str, name: str) -> Entry:
    """One file, never waiting: a FIFO is opened without a writer and closed again."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        special = isinstance(error, OSError) and error.errno == errno.ENXIO
        return Entry(name=name, kind="special" if special else "file", error="a socket" if special else _reason(error))
    try:
        return _opened(handle, name)
    except OSError as error:
        return Entry(name=name, error=_reason(error))
    finally:
        os.close(handle)


def _opened(handle: int, name: str) -> Entry:
    status = os.fstat(handle)
    if stat.S_ISDIR(status.st_mode):
        return Entry(name=name, error=_REASONS[errno.EISDIR])
    for test, what in _SPECIAL:
        if test(status.st_mode):
            return Entry(name=name, kind="special", error=what)
    if status.st_size > LARGEST:
        return Entry(name=name, kind="large", error=f"more than {LARGEST // 1024 // 1024} MiB")
    raw = os.read(handle, status.st_size + 1)
    while len(raw) <= LARGEST and (more := os.read(handle, 1 << 20)):
        raw += more
    return Entry(name=name, raw=raw[:LARGEST], mode=stat.S_IMODE(status.st_mode), owner=status.st_uid, modified=status.st_mtime)


def _pointer(folder: Path) -> Entry | None:
    entry = read_file(folder / POINTER, str(POINTER))
    return None if entry.error == _REASONS[errno.ENOENT] else entry


def _selected(folder: Path) -> str:
    raw = read_file(folder / SELECTED, str(SELECTED)).raw
    return (raw or b"").decode("utf-8", "replace").strip() or "default"


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError):
        return _REASONS.get(error.errno or 0, error.strerror or "the system refused it")
    return "no usable name"
