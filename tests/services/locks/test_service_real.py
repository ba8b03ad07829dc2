"""Locks between two consoles and a real engine on a real store: the lock of a living run is never removed by a stale view."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import http.client
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from kumoss_console.clients.lock_objects import LockObjects
from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.config import LoadedConfig
from kumoss_console.errors import Refused
from kumoss_console.journal import Journal
from kumoss_console.local.sidecar import SidecarEndpoint
from kumoss_console.model.context import Context, LockSettings
from kumoss_console.model.contract import ApplyRequest, CloudProvider, PlanRequest
from kumoss_console.ports.locks import LockSighting
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.services.build import Services
from kumoss_console.services.locks.unlock import RemovalUnclear
from kumoss_console.services.wiring.adapters import GivenAdapters
from kumoss_console.sidecar.engine import Engine
from tests.fakes.dynamodb import FakeTable, serving
from tests.fakes.scripted_service import Exchange, Seen, hang_up, head, scripted_service
from tests.fakes.sidecar import FakeSidecar
from tests.services.locks.runs import KEY, Run, kill, workspace
from tests.stack import RealStore

LOCK = f"{KEY}.tflock"


def console(store: RealStore, folder: Path, *, table: str = "", sidecar: Sidecar | None = None) -> Services:
    """One console of its own: its own store client, its own connection to the journal that both share."""
    locks = LockSettings(dynamodb_table="tf-locks", dynamodb_endpoint=table) if table else LockSettings()
    context = Context(
        name="local", storage=store.settings, credentials=store.credentials, locks=locks, workspaces_root=str(folder)
    )
    adapters = GivenAdapters(
        sidecar=sidecar or FakeSidecar(),
        store=S3Store(store.settings, store.credentials),
        journal=Journal.open(folder / "jobs.sqlite3"),
    )
    return Services(config=LoadedConfig(contexts=(context,), default="local"), context=context, adapters=adapters)


@pytest.fixture
async def consoles(real_store: RealStore, tmp_path: Path) -> AsyncIterator[tuple[Services, Services]]:
    pair = console(real_store, tmp_path), console(real_store, tmp_path)
    yield pair
    for one in pair:
        await one.aclose()


async def lock_of(services: Services, run: Run, *, not_this: str = "") -> LockSighting:
    """The lock that the run takes, as soon as it is there."""
    while run.process.returncode is None:
        for report in (await services.locks.on(KEY)).locks:
            if report.sighting is not None and report.word != not_this:
                return report.sighting
    raise AssertionError(f"the run ended without a lock: {await run.ended()} {run.output}")


async def refusal(services: Services, word: str, shown: LockSighting | None = None) -> str:
    with pytest.raises(Refused) as refused:
        await services.unlock.unlock(KEY, word, shown=shown)
    return refused.value.code


async def test_the_lock_of_a_living_run_is_shown_and_never_removed_by_a_view_of_the_run_before(
    consoles: tuple[Services, Services], real_store: RealStore, engine: Engine, tmp_path: Path
) -> None:
    one, other = consoles
    folder = tmp_path / "net"
    folder.mkdir()
    async with workspace(engine, real_store, folder) as net:
        first = await net.apply(1)
        old = await lock_of(one, first)
        held = old.document.lock
        assert held is not None
        assert held.user_and_host[0] == getpass.getuser()
        assert (held.operation, held.path, len(held.id)) == ("OperationTypeApply", f"{real_store.bucket}/{KEY}", 36)
        assert held.engine_version
        [report] = (await other.locks.survey()).locks
        assert (report.key, report.word, report.stale) == (KEY, held.id, "")
        assert report.release[0].command.endswith(f"force-unlock {held.id}")
        assert await first.let_go() == 0, first.output

        second = await net.apply(2)
        living = await lock_of(one, second, not_this=held.id)
        # The old view, with the very lock that was shown; the old id, looked up anew; the old ETag, straight at the store.
        assert await refusal(one, held.id, old) == "lock.changed"
        assert await refusal(other, held.id) == "lock.other_id"
        store = S3Store(real_store.settings, real_store.credentials)
        with pytest.raises(Refused):
            await store.delete(LOCK, etag=old.proof)
        await store.aclose()
        [still] = (await other.locks.on(KEY)).locks
        assert still.sighting == living
        assert [removal.outcome for removal in await one.locks.removals()] == ["kept"]
        assert await second.let_go() == 0, second.output
        assert "Error releasing" not in second.output

        third = await net.apply(3)
        left = await lock_of(one, third)
        kill(third)
        await third.ended()
        word = left.document.lock.id if left.document.lock is not None else ""
        done = await asyncio.gather(*(desk.unlock.unlock(KEY, word, shown=left) for desk in consoles), return_exceptions=True)
        codes = [result.code if isinstance(result, Refused) else "removed" for result in done]
        assert sorted(codes) == ["lock.gone", "removed"]
        fourth = await net.apply(4)
        await lock_of(one, fourth)
        assert await fourth.let_go() == 0, fourth.output
    outcomes = [(removal.outcome, removal.lock_id == word) for removal in await other.locks.removals()]
    assert sorted(outcomes) == [("kept", False), ("kept", True), ("removed", True)]
    assert json.loads((await other.locks.removals())[0].document)["ID"]


async def test_no_interleaving_of_two_consoles_removes_the_lock_of_the_next_run(
    consoles: tuple[Services, Services], real_store: RealStore
) -> None:
    """What the engines do on the store (put where nothing is, delete), without the seconds that an engine takes to do it."""
    runs = S3Store(real_store.settings, real_store.credentials)
    await runs.put(LOCK, b'{"ID":"run-0"}', if_absent=True)

    async def next_run(number: int) -> None:
        with contextlib.suppress(Refused):
            await runs.delete(LOCK)
        await runs.put(LOCK, json.dumps({"ID": f"run-{number}"}).encode(), if_absent=True)

    desks = [S3Store(real_store.settings, real_store.credentials) for _ in range(2)]
    keepers = [LockObjects(desk) for desk in desks]
    for number in range(10):
        seen = await keepers[0].look(KEY)
        assert seen is not None
        results = await asyncio.gather(next_run(number + 1), *(keeper.remove(seen) for keeper in keepers), return_exceptions=True)
        assert results[0] is None
        assert all(result is None or isinstance(result, Refused) for result in results), results
        there = await keepers[0].look(KEY)
        assert there is not None, f"round {number}: the lock of the living run is gone"
        assert there.document.lock is not None
        assert there.document.lock.id == f"run-{number + 1}"
    for store in (runs, *desks):
        await store.aclose()


async def test_a_run_that_takes_the_lock_between_the_last_look_and_the_removal_keeps_it(real_store: RealStore) -> None:
    """The store itself holds the condition: nothing that this console does before could."""
    runs = S3Store(real_store.settings, real_store.credentials)

    class Late(S3Store):
        async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
            if key == LOCK:
                await runs.delete(LOCK)
                await runs.put(LOCK, b'{"ID":"next"}', if_absent=True)
            await super().delete(key, etag=etag, version=version)

    late = Late(real_store.settings, real_store.credentials)
    await runs.put(LOCK, b'{"ID":"old"}', if_absent=True)
    keeper = LockObjects(late)
    seen = await keeper.look(KEY)
    assert seen is not None
    with pytest.raises(Refused) as refused:
        await keeper.remove(seen)
    assert refused.value.code == "lock.changed"
    assert await runs.get(LOCK) == b'{"ID":"next"}'
    for store in (runs, late):
        await store.aclose()


async def test_a_removal_whose_answer_was_lost_on_the_way_takes_nothing_of_the_next_run(
    real_store: RealStore, tmp_path: Path
) -> None:
    deletions: list[str] = []

    async def on_the_way(exchange: Exchange) -> None:
        asked = exchange.request
        answer = await asyncio.to_thread(passed_on, asked, real_store.settings.endpoint_url)
        if asked.method == "DELETE" and asked.path.endswith(LOCK):
            deletions.append(asked.path)
            # It was done, the next run has taken the lock, and the answer is lost.
            await runs.put(LOCK, b'{"ID":"next"}', if_absent=True)
            return await hang_up(exchange)
        return await exchange.send(answer)

    runs = S3Store(real_store.settings, real_store.credentials)
    await runs.put(LOCK, b'{"ID":"old"}', if_absent=True)
    async with scripted_service(on_the_way) as proxy:
        behind = replace(real_store, settings=replace(real_store.settings, endpoint_url=proxy.endpoint))
        desk = console(behind, tmp_path)
        with pytest.raises(RemovalUnclear):
            await desk.unlock.unlock(KEY, "old")
        assert [removal.outcome for removal in await desk.locks.removals()] == ["begun"]
        [report] = (await desk.locks.on(KEY)).locks
        await desk.aclose()
    assert (len(deletions), report.word) == (1, "next")
    assert await runs.get(LOCK) == b'{"ID":"next"}'
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    assert [removal.outcome for removal in await journal.removals("local", 10)] == ["removed"]
    journal.close()
    await runs.aclose()


def passed_on(asked: Seen, endpoint: str) -> bytes:
    """What the store behind answers, as it goes over the wire. The signature is of the address that was asked."""
    connection = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=20)
    try:
        connection.putrequest(asked.method, asked.path, skip_host=True, skip_accept_encoding=True)
        for name, value in asked.headers.items():
            connection.putheader(name, value)
        connection.endheaders(asked.body)
        answer = connection.getresponse()
        body = answer.read()
        own = {"connection", "transfer-encoding", "content-length"}
        kept = {name: value for name, value in answer.getheaders() if name.lower() not in own}
        return head(answer.status, kept | {"Content-Length": str(len(body))}) + body
    finally:
        connection.close()


async def test_the_lock_of_a_job_is_told_as_its_own_and_stays_while_the_job_runs(
    real_store: RealStore, engine: Engine, real_sidecar: SidecarEndpoint, tmp_path: Path
) -> None:
    folder = tmp_path / "net"
    folder.mkdir()
    desk = console(real_store, tmp_path, sidecar=SidecarClient(real_sidecar.url, real_sidecar.token, timeout=30.0))
    scope = {"workspace_path": str(folder), "scope_id": "s", "terraform_provider": CloudProvider.AWS, "plan_file": "session.plan"}
    async with workspace(engine, real_store, folder):
        planned = await desk.jobs.submit(msgspec.convert(scope, PlanRequest))
        async for look in desk.jobs.watch(planned.job_id or ""):
            planned = look
        assert planned.exit_code == 0, planned.stderr
        applied = await desk.jobs.submit(msgspec.convert(scope, ApplyRequest))
        while not (found := await desk.locks.on(KEY)).locks:
            assert not (await desk.jobs.poll(applied.job_id or "")).service.final
        [report] = found.locks
        assert report.tie is not None
        assert (report.tie.name, report.tie.certainty, report.tie.standing) == (applied.job_id, "likely", "running")
        assert report.release[0].command == f"TF_WORKSPACE=default terraform -chdir={folder} force-unlock {report.word}"
        assert await refusal(desk, report.word) == "lock.job_running"
        await asyncio.to_thread((folder / "gate").write_text, "go\n")
        async for look in desk.jobs.watch(applied.job_id or ""):
            applied = look
        assert applied.exit_code == 0, applied.stderr
        assert (await desk.locks.on(KEY)).locks == ()
    await desk.aclose()


async def test_a_lock_that_an_engine_keeps_in_a_table_too_is_one_lock_with_two_places(
    real_store: RealStore, engine: Engine, tmp_path: Path
) -> None:
    folder = tmp_path / "net"
    folder.mkdir()
    with serving(FakeTable()) as table:
        desk = console(real_store, tmp_path, table=table.url)
        async with workspace(engine, real_store, folder, table=table.url) as net:
            run = await net.apply(1)
            await lock_of(desk, run)
            while len((found := await desk.locks.on(KEY)).locks) < 2:
                assert run.process.returncode is None
            assert [report.mechanism for report in found.locks] == ["object", "table"]
            assert len({report.word for report in found.locks}) == 1
            assert [report.mechanism for report in (await desk.locks.survey()).locks] == ["object", "table"]
            kill(run)
            await run.ended()
            done = await desk.unlock.unlock(KEY, found.locks[0].word)
            assert [one.sighting.mechanism for one in done] == ["object", "table"]
            second = await net.apply(2)
            await lock_of(desk, second)
            assert await second.let_go() == 0, second.output
        assert (await desk.locks.on(KEY)).findings == ()
        table.put(f"{real_store.bucket}/{KEY}-md5", Digest="0cc175b9c0f1b6a831c399e269772661")
        [finding] = (await desk.locks.on(KEY)).findings
        assert finding.code == "lock.digest"
        await desk.aclose()
