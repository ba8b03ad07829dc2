"""Putting a file with secrets into somebody's folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from kumoss_console.errors import Refused
from kumoss_console.text import Secret, printable


def place_private_file(folder: Path, name: str, content: Secret) -> Path:
    """Write ``folder/name`` in one step, mode 0600, owned by the folder's owner. Raises :class:`Refused` with nothing changed.

    The sidecar runs as another user: a file that its owner cannot be given would make every ``init`` fail on a read.
    """
    target = folder / name
    try:
        # A dot in front and no .tf at the end: an engine that looks meanwhile does not read half a file.
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)
    except OSError as error:
        raise _refused(target, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            _give_to_owner_of(folder, file.fileno())
            file.write(content.reveal().encode())
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise _refused(target, error) from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target


def _give_to_owner_of(folder: Path, descriptor: int) -> None:
    owner = folder.stat()
    try:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    except PermissionError:
        # The group alone does not matter: the file is for its owner.
        if owner.st_uid != os.geteuid():
            raise


def _refused(target: Path, error: OSError) -> Refused:
    return Refused(
        f"{printable(str(target))} was not written",
        detail=error.strerror or type(error).__name__,
        hint="Run this as the owner of the workspace, whom the sidecar runs as.",
        code="override.not_written",
    )
