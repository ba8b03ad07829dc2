"""Calls that block, kept off the event loop and out of the way of the exit.

SDK calls (boto3) and heavy parsing run on a few daemon threads. An executor of the standard library would join its threads
when the interpreter ends, so a call that hangs on a dead store holds the exit for as long as it hangs (6.0 s measured);
daemon threads do not (0.3 s). The pool is bounded: a store that hangs must not collect threads without end.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

THREADS = 32
"""Calls that may run at once: the ranges that a listing is cut into are all asked for at the same time."""

P = ParamSpec("P")
T = TypeVar("T")


class _Call:
    """One call on its way to a thread, and the future that waits for it on its loop."""

    __slots__ = ("_context", "_function", "_future", "_loop")

    def __init__(self, function: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> None:
        self._function = function
        self._loop = loop
        self._future: asyncio.Future[Any] = loop.create_future()
        self._context = contextvars.copy_context()

    @property
    def future(self) -> asyncio.Future[Any]:
        return self._future

    def run(self) -> None:
        # Nobody waits any more: a call that has not begun need not begin.
        if self._future.cancelled():
            return
        try:
            value = self._context.run(self._function)
        except BaseException as error:  # noqa: BLE001 - every exception belongs to the task that waits, none to this thread
            self._deliver(self._fail, error)
        else:
            self._deliver(self._succeed, value)

    def _deliver(self, settle: Callable[[Any], None], outcome: object) -> None:
        try:
            self._loop.call_soon_threadsafe(settle, outcome)
        except RuntimeError:
            return  # the loop is closed: the console has ended while the call was out

    def _succeed(self, value: object) -> None:
        if not self._future.done():
            self._future.set_result(value)

    def _fail(self, error: BaseException) -> None:
        if self._future.done():
            return
        if isinstance(error, StopIteration):
            # A future refuses StopIteration, since it would end the generator of whoever awaits it.
            error = RuntimeError("the blocking call raised StopIteration")
        self._future.set_exception(error)


class Bridge:
    """At most ``threads`` daemon threads, started as calls need them. One bridge serves any number of event loops."""

    def __init__(self, threads: int = THREADS) -> None:
        self._limit = threads
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._lock = threading.Lock()
        self._started = 0
        self._unfinished = 0

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """``function(*args, **kwargs)`` on a thread of this bridge.

        Exceptions come back as they were raised. Cancelling the awaiting task returns at once; the call itself runs on to its
        own timeout, and its outcome is dropped.
        """
        call = _Call(lambda: function(*args, **kwargs), asyncio.get_running_loop())
        self._take(call)
        value: T = await call.future
        return value

    def _take(self, call: _Call) -> None:
        with self._lock:
            self._unfinished += 1
            needed = self._unfinished > self._started and self._started < self._limit
            if needed:
                self._started += 1
                name = f"blocking-{self._started}"
        self._calls.put(call)
        if needed:
            threading.Thread(target=self._serve, name=name, daemon=True).start()

    def _serve(self) -> None:
        while True:
            call = self._calls.get()
            call.run()
            del call  # an idle thread must not keep the last answer (34 MB of state) alive
            with self._lock:
                self._unfinished -= 1


_BRIDGE = Bridge()


async def run_blocking(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking call on the process's :class:`Bridge`."""
    return await _BRIDGE.run(function, *args, **kwargs)
