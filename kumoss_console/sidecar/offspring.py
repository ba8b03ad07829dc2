"""What jobs leave behind, also where it left the group of its engine (``setsid``, a daemon of a provisioner).

On Linux the service becomes the parent of every descendant whose own parent has ended (a child subreaper). So whatever a job
started is found below the service when the job has ended, and each engine is started with a mark in its environment that its
descendants inherit. One that has dropped the mark belongs to some job that ran when it began: it is ended with the last of those.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

MARK = "KUMOSS_JOB_MARK"
"""The variable that tells a job's processes from those of another."""

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS, _PAUSE = 200, 0.005  # a process may start others while it is being ended; after a second it is given up


@dataclass(eq=False, slots=True)
class Lineage:
    """One job's processes. ``all_ended``: nothing of it is left, for certain; known once its command has ended."""

    began: int
    mark: str = field(default_factory=lambda: uuid4().hex)
    leader: int | None = None
    ending: bool = False
    all_ended: bool = False

    def started(self, pid: int) -> None:
        """Its command runs, as this process. Whoever started it waits for it."""
        self.leader = pid


class _Status(NamedTuple):
    is_zombie: bool
    began: int
    """Clock ticks since the machine started."""


class Offspring:
    """All processes below this one. Those that were there at its construction are no job's."""

    def __init__(self) -> None:
        self._adopts = _become_subreaper()
        self._others = set(_adopted()) if self._adopts else set()
        self._lineages: set[Lineage] = set()

    @contextmanager
    def job(self) -> Iterator[Lineage]:
        """A job, from before its first process on."""
        lineage = Lineage(int(_since_boot() * os.sysconf("SC_CLK_TCK")) - 1)
        self._lineages.add(lineage)
        try:
            yield lineage
        finally:
            self._lineages.discard(lineage)

    async def end(self, lineage: Lineage) -> None:
        """End what is left of a job whose command has ended. A second is enough for all but what hangs in the kernel."""
        if not self._adopts:
            return
        lineage.ending = True
        for _ in range(_ROUNDS):
            doomed, unclear = self._left_of(lineage)
            if not doomed:
                lineage.all_ended = not unclear
                return
            for pid in doomed:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(_PAUSE)

    def _left_of(self, lineage: Lineage) -> tuple[list[int], bool]:
        """The processes to end, and whether there are others of which nobody can say whose they are. Collects what has ended."""
        leaders = {each.leader for each in self._lineages}
        running = [each for each in self._lineages if not each.ending]
        doomed: list[int] = []
        unclear = False
        for pid in _adopted():
            if pid in self._others or pid in leaders or (status := _status(pid)) is None:
                continue
            if (mark := _mark(pid)) is not None:
                is_others = any(each.mark == mark for each in running)
            else:
                # Also an engine that is being started right now looks so: its own job runs already, and protects it.
                is_others = any(each.began <= status.began for each in running)
                unclear |= is_others and not status.is_zombie
            if is_others:
                continue
            if status.is_zombie:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            else:
                doomed.append(pid)
        for pid in doomed:  # grows while it is walked: descendants end with their ancestors
            doomed.extend(_children(pid))
        return doomed, unclear


def _become_subreaper() -> bool:
    """Whether it did: on Linux, where the kernel also lists a process's children."""
    pid = os.getpid()
    if sys.platform != "linux" or not Path(f"/proc/{pid}/task/{pid}/children").exists():
        return False
    adopts: int = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return adopts == 0


def _since_boot() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else 0.0


def _adopted() -> list[int]:
    """The children of our first thread: it starts all engines, and the system gives it all orphans."""
    return _children_of_thread(os.getpid(), os.getpid())


def _children(pid: int) -> list[int]:
    """Of all its threads; a process that has ended has none."""
    with suppress(OSError):
        return [child for thread in os.listdir(f"/proc/{pid}/task") for child in _children_of_thread(pid, int(thread))]
    return []


def _children_of_thread(pid: int, thread: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
            return list(map(int, file.read().split()))
    except OSError:
        return []


def _fields(pid: int) -> list[bytes] | None:
    """What ``/proc`` says of a process after its name: state, parent, ...; ``None`` where there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return None


def _status(pid: int) -> _Status | None:
    fields = _fields(pid)
    return None if fields is None else _Status(fields[0] in (b"Z", b"X"), int(fields[19]))


def _mark(pid: int) -> str | None:
    """The mark that a process was started with; ``None`` where it has none, or does not show it."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            entries = file.read().split(b"\0")
    except OSError:
        return None
    name = f"{MARK}=".encode()
    return next((entry[len(name) :].decode("ascii", "replace") for entry in entries if entry.startswith(name)), None)
