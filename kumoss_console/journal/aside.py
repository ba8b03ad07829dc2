"""A damaged journal, set aside: under its old name with a suffix, never thrown away, and found again by it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from os import stat_result
from pathlib import Path

from kumoss_console.model.journal import SetAside

_MARK = ".damaged-"
_STAMP = "%Y%m%dT%H%M%SZ"
_NAMED = re.compile(r"(\d{8}T\d{6}Z)(?:-\d+)?\Z", re.ASCII)


def set_aside(path: Path, now: datetime) -> Path:
    """Rename the database and the files beside it, keeping them together. Returns the new name."""
    stem = f"{path.name}{_MARK}{now:{_STAMP}}"
    aside = path.with_name(stem)
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{stem}-{number}")
    for suffix in ("", "-wal", "-shm"):
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    return aside


def set_asides(path: Path) -> tuple[SetAside, ...]:
    """Those that lie beside the journal ``path``, newest first."""
    head = f"{path.name}{_MARK}"
    found = [
        SetAside(file=str(beside), name=beside.name, at=_when(named[1], beside.stat()))
        for beside in path.parent.iterdir()
        if beside.name.startswith(head) and (named := _NAMED.fullmatch(beside.name.removeprefix(head))) is not None
    ]
    return tuple(sorted(found, key=lambda one: (one.at, one.name), reverse=True))


def _when(stamp: str, file: stat_result) -> datetime:
    """By its name; where that is no time, when it was last written. Never later than the file system itself knows of it, as a
    renaming is: a clock that was ahead, or a person, may have named it."""
    known = datetime.fromtimestamp(file.st_ctime, UTC)
    try:
        named = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        named = datetime.fromtimestamp(file.st_mtime, UTC)
    return min(named, known)
