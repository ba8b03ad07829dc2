"""What a removal of a lock asks the journal: who may be at work in any context, and which journals were set aside."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kumoss_console.journal import Journal
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.model.job import ServicePlane
from tests.fakes.clock import START
from tests.journal.conftest import Written
from tests.journal.test_removals import REMOVAL


async def test_at_work_may_be_what_is_open_in_any_context_and_what_was_lost_or_never_answered_lately(
    journal: Journal, written: Written
) -> None:
    day = timedelta(days=1)
    running = await written(context="dev")
    ancient = await written(at=START - 30 * day)
    await written(0)
    lost = replace(await written(), service=ServicePlane.LOST, seen=START)
    forgotten = replace(await written(at=START - 3 * day), service=ServicePlane.LOST, seen=START - 2 * day)
    for job in (lost, forgotten):
        await journal.save(job)
    sent = await journal.record("other", ValidateRequest(workspace_path="/w"), START)
    await journal.record("other", ValidateRequest(workspace_path="/w"), START - 2 * day)
    found = [job.entry for job in await journal.at_work(START - day)]
    assert found == [sent, lost.entry, ancient.entry, running.entry]


async def test_the_newest_jobs_of_all_contexts_are_one_list(journal: Journal, written: Written) -> None:
    first, second, third = [await written(context=name) for name in ("prod", "dev", "prod")]
    assert [job.entry for job in await journal.jobs(None, 2)] == [third.entry, second.entry]
    assert [job.entry for job in await journal.jobs("prod", 2)] == [third.entry, first.entry]


async def test_removals_of_other_contexts_come_with_the_store_they_share(journal: Journal) -> None:
    for context, store in (("prod", "tf at one:9000"), ("dev", "tf at two:9000"), ("dev", "tf-dev at one:9000")):
        await journal.removing(replace(REMOVAL, context=context, store=store))
    assert [one.store for one in await journal.removals("prod", 10)] == ["tf at one:9000"]
    assert [one.store for one in await journal.removals("prod", 10, store="tf at ")] == ["tf at two:9000", "tf at one:9000"]


async def test_journals_that_were_set_aside_are_found_by_their_names_and_nothing_else_is(path: Path, journal: Journal) -> None:
    assert await journal.aside() == ()
    names = ["20201130T080000Z", "20201130T090000Z", "20201130T090000Z-2", "20201130T090000Z-wal", "by-hand"]
    for name in names:
        path.with_name(f"{path.name}.damaged-{name}").write_bytes(b"rubbish")
    path.with_name("another.damaged-20201130T080000Z").write_bytes(b"rubbish")
    found = await journal.aside()
    assert [one.name.partition("damaged-")[2] for one in found] == [names[2], names[1], names[0]]
    assert found[-1].at == datetime(2020, 11, 30, 8, tzinfo=UTC)
    assert Path(found[-1].file).parent == path.parent


async def test_a_journal_set_aside_under_a_name_that_is_no_time_or_one_to_come_counts_from_when_its_file_was_written(
    path: Path, journal: Journal
) -> None:
    assert await journal.aside() == ()
    for name in ("20261399T999999Z", "99991231T000000Z"):
        path.with_name(f"{path.name}.damaged-{name}").write_bytes(b"rubbish")
    assert [one.at <= datetime.now(UTC) for one in await journal.aside()] == [True, True]
