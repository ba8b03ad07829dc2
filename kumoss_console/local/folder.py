"""The folder of a local stack: ours alone while it runs, recognised when it is given again, never somebody else's."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kumoss_console.errors import InputError, Refused
from kumoss_console.text import printable

MARKER = "kumoss-console-demo.json"


@dataclass(frozen=True, slots=True)
class StackFolder:
    """The places in a claimed folder."""

    path: Path

    @property
    def workspaces(self) -> Path:
        return self.path / "workspaces"

    @property
    def store(self) -> Path:
        return self.path / "store"

    @property
    def state_home(self) -> Path:
        """What ``XDG_STATE_HOME`` is for the console on this stack: its journal is not the operator's own."""
        return self.path / "state"

    @property
    def config_file(self) -> Path:
        return self.path / "kumoss-console.yaml"

    @property
    def environ_file(self) -> Path:
        return self.path / "environment"

    @property
    def gate(self) -> Path:
        return self.path / "gate"

    def seeded(self) -> bool:
        """Whether the world in it was made to its end."""
        try:
            return json.loads((self.path / MARKER).read_text())["seeded"] is True
        except (ValueError, KeyError, TypeError):
            return False

    def mark(self, *, seeded: bool) -> None:
        fresh = self.path / f"{MARKER}.new"
        fresh.write_text(json.dumps({"what": "the local stack of kumoss-console demo", "seeded": seeded}) + "\n")
        fresh.replace(self.path / MARKER)


@contextmanager
def claimed(path: Path) -> Iterator[StackFolder]:
    """The folder for one run of a stack, made where it is missing.

    Raises :class:`Refused` for a folder with something in it that is not ours and for one that another run uses, and
    :class:`InputError` where there can be no folder.
    """
    path = path.absolute()
    shown = printable(str(path))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (path / MARKER).exists() and any(path.iterdir()):
            raise Refused(
                f"{shown} is not empty, and no local stack was made there: nothing is touched.",
                hint="Name a folder that does not exist yet, an empty one, or one that was given with --keep before.",
                code="local.foreign_folder",
            )
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(
            f"{shown} cannot hold a local stack: {error.strerror}.",
            hint="Name a folder that you may write to.",
            code="local.folder",
        ) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(
                f"A local stack runs in {shown} already.",
                hint="End it first, or name another folder.",
                code="local.folder_in_use",
            ) from None
        folder = StackFolder(path)
        if not (path / MARKER).exists():
            folder.mark(seeded=False)
        yield folder
    finally:
        os.close(handle)
