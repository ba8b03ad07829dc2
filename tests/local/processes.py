"""Looking at processes from outside, as an operator would with ps and ss."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout.strip()
    return bool(found) and not found.startswith("Z")


def mentioning(text: str | Path) -> set[int]:
    """The processes whose command line or folder holds ``text``, without ours."""
    table = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
    rows = (line.split(None, 1) for line in table.splitlines())
    found = {int(pid) for pid, args in rows if str(text) in args}
    return (found | set(_working_below(str(text)))) - {os.getpid()}


def _working_below(text: str) -> Iterable[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            where = os.readlink(entry / "cwd")
        except OSError:
            continue
        if text in where:
            yield int(entry.name)


def until(predicate: Callable[[], bool], *, timeout: float = 30.0) -> None:
    """Return as soon as ``predicate`` holds; fail the test after ``timeout`` seconds. For tests without a loop."""
    deadline = time.monotonic() + timeout
    while not predicate():
        assert time.monotonic() < deadline, f"still not true after {timeout} s"
        time.sleep(0.01)
