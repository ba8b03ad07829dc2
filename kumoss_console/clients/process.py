"""Child processes that cannot outlive their job.

A child runs in a session and process group of its own, reads nothing (``/dev/null``), and its output is buffered whole. What
the command leaves behind when it ends (the background process of a provisioner, a plugin) is killed with the group.
"""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, Process
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumoss_console.clients.heirs import Heirs

GRACE_SECONDS = 2.0
# What is still in the pipes when the command ends arrives at once; only a process that left the group could hold them open.
_DRAIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Completed:
    """What a child left: its exit code (negative where a signal ended it) and what it wrote.

    ``stdout_cut`` and ``stderr_cut`` are the bytes that a limit left out of the middle, where a line says so.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    stdout_cut: int = 0
    stderr_cut: int = 0


async def run(
    argv: Sequence[str],
    *,
    cwd: Path | str,
    env: Mapping[str, str],
    grace: float = GRACE_SECONDS,
    heirs: Heirs | None = None,
    limit: int | None = None,
    at_once: asyncio.Event | None = None,
    on_start: Callable[[int], None] | None = None,
    end_rest: Callable[[], Awaitable[None]] | None = None,
) -> Completed:
    """Run ``argv`` to its end, without a shell, and give what it wrote. With ``heirs`` the child ends with this process.

    Of what it writes to stdout, and of what it writes to stderr, ``limit`` bytes are kept: the first half and the last one.
    ``on_start`` gets the child's pid; ``end_rest`` is awaited once the child and its group have ended, however they did.

    A cancelled call ends the child before it returns, see :func:`end_group`. Raises :class:`OSError` where the child cannot be
    started (no such program, no such folder), :class:`ValueError` where an argument holds a NUL.
    """
    stdout, stderr = _Output(limit), _Output(limit)
    try:
        out, err = await stdout.open(), await stderr.open()
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=DEVNULL, stdout=out, stderr=err, cwd=cwd, env=env, start_new_session=True
        )
        if heirs is not None:
            heirs.began(process.pid)
        if on_start is not None:
            on_start(process.pid)
        # Our copies of the ends the child writes to: as long as they are open, its output never ends.
        stdout.close_write_end()
        stderr.close_write_end()
        try:
            exit_code = await process.wait()
        finally:
            try:
                await end_group(process, grace, at_once)
            finally:
                if heirs is not None:
                    heirs.ended(process.pid)
                if end_rest is not None:
                    await end_rest()
        await asyncio.wait([stdout.ended, stderr.ended], timeout=_DRAIN_SECONDS)
        return Completed(exit_code, stdout.content(), stderr.content(), stdout.cut, stderr.cut)
    finally:
        stdout.close()
        stderr.close()


async def end_group(process: Process, grace: float = GRACE_SECONDS, at_once: asyncio.Event | None = None) -> None:
    """End a child that leads its group, and everything in the group with it.

    The leader is asked first (SIGTERM) and has ``grace`` seconds: an engine that is asked stops its providers in order, writes
    its state and gives back its lock, which it could not if they were killed under it. Then whatever is left gets SIGKILL,
    also where this wait is cancelled, and without a wait once ``at_once`` is set.
    """
    try:
        if process.returncode is None and not (at_once and at_once.is_set()):
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            await _first(grace, process.wait(), *([at_once.wait()] if at_once else []))
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        # A child that SIGKILL does not end hangs in the kernel (a dead network disk): it must not hold us as well.
        if process.returncode is None:
            await _first(_DRAIN_SECONDS, process.wait())


async def _first(seconds: float, *waits: Coroutine[Any, Any, Any]) -> None:
    """Return with the first of ``waits``, at the latest after ``seconds``."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


class _Output(asyncio.Protocol):
    """One pipe from the child, read as it fills.

    Not the pipes of :mod:`asyncio.subprocess`: with those, waiting for a process also waits for every process that inherited
    its output.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._head: list[bytes] = []
        self._tail: deque[bytes] = deque()
        self._room = None if limit is None else limit - limit // 2
        self._tail_limit = 0 if limit is None else limit // 2
        self._tail_size = 0
        self.cut = 0
        self._write_end: int | None = None
        self._transport: asyncio.ReadTransport | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def open(self) -> int:
        """The descriptor the child writes to."""
        read_end, self._write_end = os.pipe()
        pipe = os.fdopen(read_end, "rb", buffering=0)
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: self, pipe)
        return self._write_end

    def data_received(self, data: bytes) -> None:
        if self._room is None:
            self._head.append(data)
            return
        if self._room:
            kept, data = data[: self._room], data[self._room :]
            self._room -= len(kept)
            self._head.append(kept)
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
            self._trim()

    def _trim(self) -> None:
        while (excess := self._tail_size - self._tail_limit) > 0:
            first = self._tail.popleft()
            if len(first) > excess:
                self._tail.appendleft(first[excess:])
            gone = min(excess, len(first))
            self._tail_size -= gone
            self.cut += gone

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def content(self) -> bytes:
        between = [b"\n[%d bytes are left out here]\n" % self.cut] if self.cut else []
        return b"".join([*self._head, *between, *self._tail])

    def close_write_end(self) -> None:
        if self._write_end is not None:
            os.close(self._write_end)
            self._write_end = None

    def close(self) -> None:
        self.close_write_end()
        if self._transport is not None:
            self._transport.close()
