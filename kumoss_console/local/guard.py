"""A small program that runs another one and ends it when its own parent ends, whatever ended the parent.

``python -I -S guard.py GRACE LEFTOVERS COMMAND...``: stdin is a pipe whose other end only the parent holds, so it closes even
when the parent is killed with SIGKILL, on Linux and macOS alike. Then the command's process group gets SIGTERM, GRACE seconds
to end, and SIGKILL together with every group its descendants made. LEFTOVERS are files and folders to remove afterwards,
joined by ``os.pathsep``. The guard answers with the command's exit code. Standard library only: it must start in milliseconds.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

_PS_SECONDS = 5.0


def main(argv: Sequence[str]) -> int:
    grace, leftovers, command = float(argv[0]), [name for name in argv[1].split(os.pathsep) if name], list(argv[2:])
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
    ended = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
    threading.Thread(target=_watch_parent, args=(ended,), daemon=True).start()
    threading.Thread(target=_watch_child, args=(child, ended), daemon=True).start()
    ended.wait()
    _end(child, grace)
    for name in leftovers:
        _remove(name)
    code = child.returncode if child.returncode is not None else 1
    return code if code >= 0 else 128 - code


def _watch_parent(ended: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    ended.set()


def _watch_child(child: subprocess.Popen[bytes], ended: threading.Event) -> None:
    child.wait()
    ended.set()


def _end(child: subprocess.Popen[bytes], grace: float) -> None:
    if grace > 0 and child.poll() is None:
        _signal_group(child.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            child.wait(grace)
    # Read while the child still lives: once it is gone its children belong to init and cannot be told from others.
    groups = _groups_below(child.pid) if child.poll() is None else set()
    for group in {child.pid, *groups}:
        _signal_group(group, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        child.wait(_PS_SECONDS)


def _remove(name: str) -> None:
    if os.path.isdir(name) and not os.path.islink(name):
        shutil.rmtree(name, ignore_errors=True)
        return
    with suppress(OSError):
        os.unlink(name)


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _groups_below(root: int) -> set[int]:
    """The process groups of all descendants of ``root``, without the guard's own."""
    try:
        table = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid=,pgid="], capture_output=True, text=True, timeout=_PS_SECONDS, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return set()
    rows = [tuple(map(int, line.split())) for line in table.splitlines()]
    family, groups = {root}, set()
    grown = True
    while grown:
        grown = False
        for pid, parent, group in rows:
            if parent in family and pid not in family:
                family.add(pid)
                groups.add(group)
                grown = True
    return groups - {os.getpgrp()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
