"""Files that a command line names: read as far as any document goes, and never waited for without end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from kumoss_console.cli.world import World
from kumoss_console.text import printable


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

    Raises :class:`~kumoss_console.errors.InputError` for what cannot be read, for more than 512 MiB, and for a
    named pipe that nobody writes to. ``hint`` says what kind of file is wanted.
    """
    from kumoss_console.clients.givenfile import read_file, read_stream

    if str(name) == "-":
        return read_stream(world.stdin, shown="stdin", hint=hint)
    return read_file(world.cwd / name, shown=printable(str(name)), hint=hint)
