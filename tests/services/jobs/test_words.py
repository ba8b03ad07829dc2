"""What commands said of their end: from what the journal keeps, whoever can be asked, and never obeyed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kumoss_console.journal import Journal
from kumoss_console.model.contract import CloudProvider, PlanRequest
from kumoss_console.model.journal import JournalSettings
from kumoss_console.services.jobs.service import as_data
from kumoss_console.text import printable
from tests.hostile import HOSTILE
from tests.services.jobs.test_service import APPLY, DEAD, REQUEST, World, uuid_of

PLAN = PlanRequest(workspace_path="/workspaces/net", scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="p")
SUMS_UP = "Plan: 5 to add, 0 to change, 0 to destroy."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    yield World(journal)
    journal.close()


async def test_a_list_has_the_words_of_every_end_while_nobody_can_be_asked(world: World) -> None:
    plan, apply, mute, waiting = [await world.jobs.submit(request) for request in (PLAN, APPLY, REQUEST, REQUEST)]
    # Longer than what is looked into, on both sides.
    world.sidecar.answer(uuid_of(plan), 0, stdout=f"{'x' * 50_000}\n{SUMS_UP}\n\nSaved the plan\n")
    world.sidecar.answer(uuid_of(apply), 1, stderr=f"│ Error: no such thing\n{'y' * 50_000}\nError: later\n")
    world.sidecar.answer(uuid_of(mute), 1)
    rows = await world.jobs.refresh()
    world.fail(DEAD)
    assert await world.jobs.said(rows) == {plan.entry: SUMS_UP, apply.entry: "no such thing"}
    told = {row.entry: as_data(row, words=(await world.jobs.said([row])).get(row.entry, "")) for row in rows}
    assert [told[job.entry]["said"] for job in (plan, apply, mute, waiting)] == [SUMS_UP, "no such thing", None, None]


async def test_a_line_of_which_only_the_end_was_looked_at_is_nobodys_word(world: World) -> None:
    plan = await world.jobs.submit(PLAN)
    world.sidecar.answer(uuid_of(plan), 0, stdout="# " + SUMS_UP + "x" * (32 * 1024 - len(SUMS_UP)))
    assert await world.jobs.said(await world.jobs.refresh()) == {}


async def test_an_output_that_is_not_kept_has_no_words(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "jobs.sqlite3", JournalSettings(store_output=False))
    world = World(journal)
    plan = await world.jobs.submit(PLAN)
    world.sidecar.answer(uuid_of(plan), 0, stdout=SUMS_UP)
    assert await world.jobs.said(await world.jobs.refresh()) == {}
    journal.close()


@pytest.mark.parametrize("text", HOSTILE)
async def test_words_are_fit_to_be_told(world: World, text: str) -> None:
    plan, apply = [await world.jobs.submit(request) for request in (PLAN, APPLY)]
    world.sidecar.answer(uuid_of(plan), 0, stdout=f"No changes. {text}")
    world.sidecar.answer(uuid_of(apply), 1, stderr=f"Error: password=hunter2 {text}")
    words = await world.jobs.said(await world.jobs.refresh())
    assert words.keys() == {plan.entry, apply.entry}
    for told in words.values():
        assert told == printable(told)
        assert len(told) <= 200
        assert "hunter2" not in told
