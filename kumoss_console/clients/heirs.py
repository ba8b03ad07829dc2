"""Children that end with us even when we are killed with SIGKILL: somebody else knows of them.

The module is also that somebody, a small program of the standard library: ``python -I -S heirs.py GRACE`` reads ``+PID`` and
``-PID`` lines from a pipe whose other end only we hold. It closes when we end, whatever ended us; then each process still named
gets SIGTERM, GRACE seconds to end in order (an engine gives back its lock), and SIGKILL with its whole group. A child is named
once it runs: one that was started in the very millisecond of our death is missed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import TracebackType

_POLL_SECONDS = 0.05
# All that an interpreter may need to start. What we were started with (a token, credentials) would stand open in its /proc entry.
_INHERITED = ("LD_LIBRARY_PATH", "PATH")


class Heirs:
    """A context manager around the program. Children lead groups of their own, so a group has its leader's number."""

    def __init__(self, grace: float) -> None:
        # A session of its own: what ends our terminal or our group must not end it before its work.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, str(grace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            env={name: os.environ[name] for name in _INHERITED if name in os.environ},
        )

    def __enter__(self) -> Heirs:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        self._process.wait()

    def began(self, pid: int) -> None:
        """A child that is to end with us."""
        self._tell(f"+{pid}\n")

    def ended(self, pid: int) -> None:
        """It has, with its group."""
        self._tell(f"-{pid}\n")

    def _tell(self, line: str) -> None:
        pipe = self._process.stdin
        # Where somebody killed the program, children end with us as they did before it: in every way but SIGKILL.
        with suppress(OSError):
            if pipe is not None:
                pipe.write(line.encode())
                pipe.flush()


def main(argv: Sequence[str]) -> int:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    left: set[int] = set()
    for line in sys.stdin.buffer:
        pid = int(line[1:])
        if line.startswith(b"+"):
            left.add(pid)
        else:
            left.discard(pid)
    _end(left, float(argv[0]))
    return 0


def _end(leaders: Iterable[int], grace: float) -> None:
    leaders = set(leaders)
    for pid in leaders:
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + grace
    while any(map(_lives, leaders)) and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
    for pid in leaders:
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
