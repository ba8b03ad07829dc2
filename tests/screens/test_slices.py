"""Work on very many rows gives way to keys, and ends in the same order as if it had not."""

from __future__ import annotations

import asyncio
import random

import pytest

from screens.widgets.slices import SLICE, SMALL, Pace, Superseded, chunks, sorted_slowly

CHANCE = random.Random(5)
ROWS = [(CHANCE.randint(0, 40), number) for number in range(20_000)]


@pytest.mark.parametrize("count", [0, 1, SMALL, SMALL + 1, len(ROWS)])
async def test_rows_come_in_the_order_that_sorting_gives_equal_ones_as_they_were(count: int) -> None:
    rows = ROWS[:count]
    assert await sorted_slowly(rows, lambda row: row[0], Pace()) == sorted(rows, key=lambda row: row[0])


@pytest.mark.parametrize(
    "rows",
    [
        [7] * 5000,
        list(range(5000)),
        list(range(5000, 0, -1)),
        [*([3] * 4000), *range(1000)],
        [CHANCE.random() for _ in range(5000)],
    ],
    ids=["all the same", "sorted", "backwards", "mostly the same", "chance"],
)
async def test_any_order_of_any_values_is_sorted(rows: list[float]) -> None:
    assert await sorted_slowly(rows, lambda row: row, Pace()) == sorted(rows)


async def test_others_get_their_turn_meanwhile() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    loop = asyncio.get_running_loop()
    began = loop.time()
    await sorted_slowly(ROWS * 5, lambda row: row[0], Pace())
    spent = loop.time() - began
    task.cancel()
    assert turns > spent / SLICE / 20


async def test_what_is_not_wanted_any_more_is_left() -> None:
    with pytest.raises(Superseded):
        await sorted_slowly(ROWS * 5, lambda row: row[0], Pace(lambda: False))


async def test_chunks_hold_every_row_once() -> None:
    assert [row async for some in chunks(ROWS, Pace()) for row in some] == ROWS
