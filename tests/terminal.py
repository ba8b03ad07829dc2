"""A real program in a real pseudo-terminal, driven as a person would: read the screen, press keys, wait for facts."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


class Terminal:
    """One child on its own terminal. ``seen`` is everything it wrote so far, control sequences included."""

    def __init__(self, process: subprocess.Popen[bytes], fd: int) -> None:
        self.process = process
        self.seen = ""
        self._fd = fd

    def wait_for(self, text: str, *, timeout: float = 30.0) -> None:
        """Return once ``text`` was written; fail with what was seen instead after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while text not in self.seen:
            left = deadline - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"never saw {text!r} in:\n{self.seen[-4000:]}")

    def press(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def wait(self, *, timeout: float = 10.0) -> int:
        """The exit code. The output is drained meanwhile, so a child never blocks on a full terminal."""
        deadline = time.monotonic() + timeout
        while self.process.poll() is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"still running after {timeout} s; last output:\n{self.seen[-2000:]}")
            self._read(min(left, 0.05))
        return self.process.returncode

    def _read(self, timeout: float) -> bool:
        """Whether the terminal is still open."""
        ready, _, _ = select.select([self._fd], [], [], timeout)
        if not ready:
            return True
        try:
            chunk = os.read(self._fd, 65536)
        except OSError:  # Linux reports the child's end as EIO.
            return False
        self.seen += chunk.decode("utf-8", "replace")
        return bool(chunk)


@contextlib.contextmanager
def terminal(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, columns: int = 120, lines: int = 40
) -> Iterator[Terminal]:
    """Start ``argv`` on a terminal of that size; whatever is left of it is killed at the end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    process = subprocess.Popen(
        argv,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"TERM": "xterm-256color", **env},
        cwd=cwd,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(ours)
