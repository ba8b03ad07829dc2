"""A look at the journal's file that changes nothing: not the file, not those beside it, not its folder."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from kumoss_console.journal.schema import VERSION, is_journal

_CHECKED = 64 * 1024 * 1024
"""Bytes of a file whose every page is looked at (some 0.1 s); of a larger one only the first pages are."""


@dataclass(frozen=True, slots=True)
class Look:
    """``well``: it was opened and can be written; ``absent``: it is not there yet, and can be made; ``damaged``: the next
    write sets it aside; ``unusable``: it can be neither read nor replaced. ``why`` ends a sentence about the file."""

    status: Literal["well", "absent", "damaged", "unusable"]
    why: str


def look_at(file: Path) -> Look:
    """What a command would meet that opens the journal ``file``."""
    try:
        status = os.stat(file)
    except (FileNotFoundError, NotADirectoryError):
        return _nowhere(file)
    except OSError as error:
        return Look("unusable", f"it cannot be reached: {error.strerror}")
    if not stat.S_ISREG(status.st_mode):
        return Look("unusable", "it is a folder" if stat.S_ISDIR(status.st_mode) else "it is no regular file")
    if not os.access(file, os.R_OK | os.W_OK):
        return Look("unusable", "this user may not read and write it")
    if (why := _unwritable(file.parent)) is not None:
        return Look("unusable", f"its folder takes no files, which SQLite needs beside it: {why}")
    if not status.st_size:
        return Look("well", "is empty and can be written")
    return _opened(file, status.st_size)


def _nowhere(file: Path) -> Look:
    for folder in file.parents:
        try:
            status = os.stat(folder)
        except FileNotFoundError:
            continue
        except OSError as error:
            return Look("unusable", f"{folder} cannot be used: {error.strerror}")
        if not stat.S_ISDIR(status.st_mode):
            return Look("unusable", f"{folder} is not a folder")
        why = _unwritable(folder)
        return Look("absent", "will be made here") if why is None else Look("unusable", f"{folder} cannot be written: {why}")
    return Look("unusable", "there is no folder on the way to it")


def _unwritable(folder: Path) -> str | None:
    """Permissions do not tell (root may write everywhere, and cannot in /proc): only trying does, with a file without a name."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror or str(error)


def _opened(file: Path, size: int) -> Look:
    # Without the shared memory beside it nobody has it open, and reading it so makes no such file.
    beside = file.with_name(f"{file.name}-shm").exists()
    logged = not beside and file.with_name(f"{file.name}-wal").exists()
    uri = f"file:{quote(str(file))}?mode=ro" + ("" if beside else "&immutable=1")
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=1.0)) as connection:
            [version] = connection.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                return Look("unusable", f"a newer console wrote it: it has version {version}, this console knows {VERSION}")
            if version and not is_journal(connection, version):
                return Look("unusable", "it is a database, but not a job journal")
            # What a crash left in the log may be missing from the pages: only the console that replays it can tell.
            if size <= _CHECKED and not logged:
                [said] = connection.execute("PRAGMA quick_check(1)").fetchone()
                if said != "ok":
                    return Look("damaged", said)
    except sqlite3.OperationalError as error:
        return Look("unusable", str(error))
    except sqlite3.DatabaseError as error:
        return Look("damaged", str(error))
    return Look("well", "was opened, and can be written")
