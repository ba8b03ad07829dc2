"""The bridge to blocking calls: never in the way of the loop, of a cancellation or of the exit."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
import time

import pytest

from kumoss_console.clients.blocking import Bridge, run_blocking
from tests.waiting import AT_ONCE, wait_until


async def test_the_value_comes_back_and_the_call_ran_on_another_thread() -> None:
    assert await run_blocking(threading.current_thread) is not threading.current_thread()


async def test_arguments_are_handed_over_by_position_and_by_name() -> None:
    assert await run_blocking(sorted, [1, 3, 2], reverse=True) == [3, 2, 1]


async def test_an_exception_arrives_as_it_was_raised() -> None:
    error = LookupError("nothing here")

    def fail() -> None:
        raise error

    with pytest.raises(LookupError) as caught:
        await run_blocking(fail)
    assert caught.value is error


async def test_stop_iteration_does_not_end_the_generator_that_awaits_it() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await run_blocking(next, iter(()))


async def test_context_variables_travel_with_the_call() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    variable.set("prod")
    assert await run_blocking(variable.get) == "prod"


async def test_cancelling_returns_at_once_while_the_call_hangs_on() -> None:
    release = threading.Event()
    begun = threading.Event()

    def hang() -> None:
        begun.set()
        release.wait(30)

    task = asyncio.create_task(run_blocking(hang))
    await wait_until(begun.is_set)
    before = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - before < AT_ONCE
    release.set()


async def test_a_call_cancelled_while_it_waits_in_line_never_begins() -> None:
    bridge = Bridge(threads=1)
    release = threading.Event()
    ran: list[str] = []
    first = asyncio.create_task(bridge.run(release.wait, 30))
    second = asyncio.create_task(bridge.run(ran.append, "second"))
    third = asyncio.create_task(bridge.run(ran.append, "third"))
    await asyncio.sleep(0)
    second.cancel()
    release.set()
    await first
    await third
    assert ran == ["third"]


async def test_no_more_calls_run_at_once_than_the_bridge_has_threads() -> None:
    bridge = Bridge(threads=3)
    together = threading.Barrier(3)
    names: set[str] = set()

    def meet() -> None:
        together.wait(10)
        names.add(threading.current_thread().name)

    # Twelve calls that can only pass in threes: fewer threads would break the barrier, more would show more names.
    await asyncio.gather(*(bridge.run(meet) for _ in range(12)))
    assert len(names) <= 3


async def test_calls_one_after_another_share_one_thread() -> None:
    bridge = Bridge()
    names = {await bridge.run(lambda: threading.current_thread().name) for _ in range(20)}
    assert len(names) <= 2


def test_the_interpreter_exits_at_once_while_a_call_hangs() -> None:
    program = """
import asyncio, threading
from kumoss_console.clients.blocking import run_blocking
async def main():
    begun = threading.Event()
    def hang():
        begun.set()
        threading.Event().wait(60)
    task = asyncio.create_task(run_blocking(hang))
    while not begun.is_set():
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
asyncio.run(main())
"""
    before = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert time.monotonic() - before < 10
