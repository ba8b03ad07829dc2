"""Many questions at a time, each answer handed on when it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def arriving(
    answers: asyncio.Queue[T | None], work: Callable[[], Coroutine[Any, Any, None]], at_once: int
) -> AsyncGenerator[T, None]:
    """What ``at_once`` tasks of ``work`` put into ``answers``, until all of them have ended; closing it ends them.

    Raises what a task raised once the others have ended: a bug with one subject takes no answer of the rest.
    """
    tasks = [asyncio.create_task(work()) for _ in range(at_once)]
    for task in tasks:
        task.add_done_callback(lambda _: answers.put_nowait(None))
    try:
        left = len(tasks)
        while left:
            answer = await answers.get()
            if answer is None:
                left -= 1
            else:
                yield answer
        for task in tasks:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
