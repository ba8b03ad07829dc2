"""Processes that cannot outlive us: started under :mod:`kumoss_console.local.guard`, ended when the ``with`` block ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kumoss_console.local import guard
from kumoss_console.text import printable

_PATIENCE = 10.0
"""Seconds that the guard gets beyond the grace of its child before it is killed itself."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A running process and the files that hold what it said."""

    process: subprocess.Popen[bytes]
    stdout: Path
    stderr: Path

    def exit_code(self) -> int | None:
        """``None`` while it runs; 128 and the signal's number where a signal ended it."""
        return self.process.poll()

    def answered(self) -> str:
        """Its stdout so far."""
        with suppress(OSError):
            return self.stdout.read_text("utf-8", "replace")
        return ""

    def said(self, lines: int = 12) -> str:
        """The end of its stderr, fit to print."""
        with suppress(OSError):
            tail = self.stderr.read_text("utf-8", "replace").splitlines()[-lines:]
            return printable("\n".join(tail), newlines=True)
        return ""


@contextmanager
def guarded(
    argv: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    stdout: Path,
    stderr: Path,
    grace: float = 0.0,
    leftovers: Sequence[str] = (),
) -> Iterator[Guarded]:
    """Run ``argv`` until the block ends. SIGTERM and ``grace`` seconds first, where ``grace`` is above zero.

    It also ends when this process is killed with SIGKILL. ``leftovers`` are files and folders to remove once it has ended.
    Ending does not await anything, so a cancellation cannot leave the process behind.
    """
    command = [sys.executable, "-I", "-S", guard.__file__, str(grace), os.pathsep.join(leftovers), *argv]
    with open(stdout, "wb") as out, open(stderr, "ab") as err:
        # A session of its own: Ctrl-C in the terminal is for the console, which then ends its processes in order.
        process = subprocess.Popen(
            command, cwd=cwd, env=dict(environ), stdin=subprocess.PIPE, stdout=out, stderr=err, start_new_session=True
        )
    try:
        yield Guarded(process, stdout, stderr)
    finally:
        _end(process, grace)


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(grace + _PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
