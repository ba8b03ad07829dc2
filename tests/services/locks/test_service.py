"""The locks of a bucket in one answer, over a store in memory, a table and leases that are pretended, and a real journal."""

# ruff: noqa: ASYNC240 - a test may wait for its own small files

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.clients.lock_objects import LockObjects
from kumoss_console.errors import AccessDenied, ConfigError, ConsoleError, NotFound, Refused, ServiceError, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import ApplyRequest, CloudProvider, JobKind
from kumoss_console.model.job import ServicePlane
from kumoss_console.model.lock import LockMechanism, Removal, parse_lock
from kumoss_console.model.lock.holder import Reach
from kumoss_console.model.lock.refusals import lock_changed
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.ports.locks import LockKeeper, LockSighting
from kumoss_console.ports.objects import ObjectContent, ObjectVersion
from kumoss_console.services.bucket.service import BucketService
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.locks.obstacles import ObstacleLook
from kumoss_console.services.locks.service import LockService
from kumoss_console.services.locks.settling import UNDER_WAY
from kumoss_console.services.locks.unlock import RemovalUnclear, UnlockService
from tests.fakes.clock import START, FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore

KEY = f"{'a' * 64}/terraform.tfstate"
JOB = UUID("7f3a2b1c-4f89-41d3-9a0c-0305e82c3301")
CONTEXT = Context(name="prod")


def info(**members: object) -> bytes:
    said = {"ID": "b1f6", "Operation": "OperationTypeApply", "Who": "ops@laptop", "Created": START.isoformat()}
    return json.dumps(said | {"Path": f"kumoss-terraform-state/{KEY}"} | members).encode()


@dataclass
class Keeper:
    """Locks that are kept elsewhere: satisfies :class:`kumoss_console.ports.locks.LockTable`."""

    mechanism: LockMechanism = "table"
    rows: dict[str, bytes] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    error: ConsoleError | None = None
    removed: list[str] = field(default_factory=list)

    async def look(self, key: str) -> LockSighting | None:
        self._strike()
        raw = self.rows.get(key)
        return None if raw is None else self._seen(key, raw)

    async def held(self) -> tuple[LockSighting, ...]:
        self._strike()
        return tuple(self._seen(key, raw) for key, raw in sorted(self.rows.items()))

    async def digest(self, key: str) -> str | None:
        self._strike()
        return self.digests.get(key)

    async def remove(self, sighting: LockSighting) -> str | None:
        self._strike()
        if self.rows.get(sighting.key) != sighting.raw:
            raise lock_changed(sighting.key)
        self.removed.append(sighting.key)
        del self.rows[sighting.key]
        return None

    def _seen(self, key: str, raw: bytes) -> LockSighting:
        return LockSighting(
            key=key, mechanism=self.mechanism, document=parse_lock(raw), proof="1", modified=None, where="a row", raw=raw
        )

    def _strike(self) -> None:
        if self.error is not None:
            raise self.error


@dataclass
class Desk:
    """A console's services on fakes. ``places`` are the workspaces that can be seen."""

    journal: Journal
    store: FakeStore = field(default_factory=FakeStore)
    table: Keeper | None = None
    clock: FakeClock = field(default_factory=FakeClock)
    places: dict[str, frozenset[str]] = field(default_factory=dict)
    reaches: dict[str, Reach] | None = None

    def __post_init__(self) -> None:
        self.sidecar = FakeSidecar(self.clock)

    @property
    def keepers(self) -> list[LockKeeper]:
        return [LockObjects(self.store), *([self.table] if self.table is not None else [])]

    @property
    def bucket(self) -> BucketService:
        return BucketService(CONTEXT, self.store, dict, self.clock, keepers=self.keepers)

    @property
    def locks(self) -> LockService:
        async def places() -> dict[str, frozenset[str]]:
            return self.places

        return LockService(
            CONTEXT,
            store=self.store,
            keepers=self.keepers,
            bucket=self.bucket,
            journal=lambda: self.journal,
            places=places,
            reaches=self.reaches,
            clock=self.clock,
        )

    @property
    def unlock(self) -> UnlockService:
        return self.unlock_in()

    def unlock_in(self, context: Context = CONTEXT, conditions: bool | None = None) -> UnlockService:
        """Of a console of its own, which has asked nobody yet."""
        jobs = JobService(context, self.sidecar, self.journal, self.clock)
        look = ObstacleLook(self.locks, jobs, lambda: self.journal, self.clock, context=context.name, patience=timedelta(hours=1))
        return UnlockService(
            context,
            self.locks,
            look,
            lambda: self.journal,
            self.clock,
            store=self.store.label,
            by="ops@laptop",
            conditions=lambda: conditions,
        )

    async def apply(self, workspace: str = "/w/net", *, context: str = "prod") -> None:
        """An apply that the sidecar runs."""
        request = ApplyRequest(workspace_path=workspace, scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="p")
        entry = await self.journal.record(context, request, START)
        await self.journal.accept(entry, JOB, START)
        self.sidecar.add(JobKind.APPLY, job_id=JOB, created=START)
        self.sidecar.start(JOB)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    yield Desk(journal)
    journal.close()


async def test_locks_of_all_keepers_are_one_list(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info(), "lone.tflock": info(ID="2")}
    desk.table = Keeper(rows={"gone/terraform.tfstate": info(ID="3"), KEY: info()})
    found = {(report.key, report.mechanism): report for report in (await desk.locks.survey()).locks}
    assert set(found) == {(KEY, "object"), (KEY, "table"), ("lone", "object"), ("gone/terraform.tfstate", "table")}
    stateless = {key for key, report in found.items() if report.held.stateless}
    assert stateless == {("lone", "object"), ("gone/terraform.tfstate", "table")}


async def test_a_table_that_cannot_be_asked_leaves_the_rest_and_says_so(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.table = Keeper(error=AccessDenied("the table said no"))
    survey = await desk.locks.survey()
    assert [report.key for report in survey.locks] == [KEY]
    assert [error.title for error in survey.unlooked] == ["the table said no"]
    one = await desk.locks.on("other")
    assert (one.locks, [error.title for error in one.unlooked]) == ((), ["the table said no"])


async def test_the_bucket_says_unlocked_only_where_every_keeper_does(desk: Desk) -> None:
    desk.store.objects = {KEY: b'{"version": 4}'}
    desk.table = Keeper()
    assert (await desk.bucket.detail(KEY)).lock_status == "unlocked"
    desk.table.rows[KEY] = info()
    detail = await desk.bucket.detail(KEY)
    assert (detail.lock_status, detail.lock and detail.lock.id) == ("locked", "b1f6")
    assert [held.key for held in await desk.bucket.locks()] == [KEY]
    desk.store.objects[f"{KEY}.tflock"] = info()
    assert [held.key for held in await desk.bucket.locks()] == [KEY]
    del desk.store.objects[f"{KEY}.tflock"]
    desk.table.error = AccessDenied("the table said no")
    detail = await desk.bucket.detail(KEY)
    assert (detail.lock_status, detail.lock_error and detail.lock_error.title) == ("unknown", "the table said no")


async def test_a_digest_that_is_not_the_states_is_a_finding_and_the_right_one_is_none(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}"}
    desk.table = Keeper(digests={KEY: hashlib.md5(b"{}", usedforsecurity=False).hexdigest()})
    assert (await desk.locks.on(KEY)).findings == ()
    desk.table.digests[KEY] = "0cc175b9c0f1b6a831c399e269772661"
    [finding] = (await desk.locks.on(KEY)).findings
    assert finding.code == "lock.digest"
    assert "0cc175b9c0f1b6a831c399e269772661" in finding.message
    desk.store.objects.clear()
    [finding] = (await desk.locks.on(KEY)).findings
    assert "not there" in finding.message


async def test_a_delete_marker_over_a_lock_object_is_told_as_what_it_is(desk: Desk) -> None:
    lock = f"{KEY}.tflock"
    desk.store.objects = {KEY: b"{}"}
    desk.store.history[lock] = [
        (ObjectVersion(key=lock, version_id="2", kind="delete_marker", latest=True, size=None, modified=START, etag=None), None),
        (ObjectVersion(key=lock, version_id="1", kind="version", latest=False, size=2, modified=START, etag='"e"'), info()),
    ]
    found = await desk.locks.on(KEY)
    assert (found.locks, [finding.code for finding in found.findings]) == ((), ["lock.delete_marker"])


async def test_the_workspace_of_the_job_is_in_the_engines_command(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.places = {"/w/net": frozenset({KEY})}
    await desk.apply()
    [report] = (await desk.locks.survey()).locks
    assert report.tie is not None
    assert (report.tie.certainty, report.stale) == ("likely", "")
    assert report.release[0].command == "TF_WORKSPACE=default terraform -chdir=/w/net force-unlock b1f6"


async def test_a_lock_of_a_running_job_is_not_stale_however_old(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.places = {"/w/net": frozenset({KEY})}
    await desk.apply()
    desk.clock.now = START + timedelta(hours=5)
    assert [report.stale for report in (await desk.locks.survey()).locks] == [""]
    desk.places = {}
    assert [bool(report.stale) for report in (await desk.locks.survey()).locks] == [True]


async def test_a_job_in_a_workspace_that_is_bound_elsewhere_does_not_stand_in_the_way(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    await desk.apply()
    with pytest.raises(Refused) as refused:
        await desk.unlock.unlock(KEY, "b1f6")
    assert refused.value.code == "lock.job_running"
    desk.places = {"/w/net": frozenset()}
    await desk.unlock.unlock(KEY, "b1f6")
    assert f"{KEY}.tflock" not in desk.store.objects


async def test_one_lock_in_two_places_is_removed_from_both(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.table = Keeper(rows={KEY: info()})
    done = await desk.unlock.unlock(KEY, "b1f6")
    assert [one.sighting.mechanism for one in done] == ["object", "table"]
    assert (f"{KEY}.tflock" in desk.store.objects, desk.table.rows) == (False, {})
    assert len(await desk.journal.removals("prod", 10)) == 2


async def test_where_only_one_of_two_places_could_be_cleared_that_is_what_is_said(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.table = Keeper(rows={KEY: info()})

    class Late(FakeStore):
        async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
            await super().delete(key, etag=etag, version=version)
            assert desk.table is not None
            desk.table.rows[KEY] = info(ID="next")

    desk.store = Late(desk.store.objects)
    [done] = await desk.unlock.unlock(KEY, "b1f6")
    assert done.sighting.mechanism == "object"
    assert done.incomplete
    assert done.caveats[-1].startswith("a row was not removed: ")
    assert desk.table.rows == {KEY: info(ID="next")}
    assert [removal.outcome for removal in await desk.journal.removals("prod", 10)] == ["kept", "removed"]


async def test_a_removal_without_an_answer_stays_written_as_not_known_until_somebody_looks_again(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.store.errors["delete"] = Unreachable("the connection broke")
    with pytest.raises(RemovalUnclear) as caught:
        await desk.unlock.unlock(KEY, "b1f6")
    assert "may have been" in caught.value.title
    assert f"state locks {KEY}" in caught.value.hint
    [removal] = await desk.journal.removals("prod", 10)
    assert (removal.outcome, removal.note, removal.document) == ("begun", "the connection broke", info())
    del desk.store.objects[f"{KEY}.tflock"]
    await desk.locks.on(KEY)
    [removal] = await desk.journal.removals("prod", 10)
    assert removal.outcome == "removed"
    assert removal.note.startswith("the connection broke; seen again at ")
    assert removal.note.endswith("the lock is gone")


@pytest.mark.parametrize(
    ("found", "outcome", "told"), [(info(), "kept", "still there"), (info(ID="next"), "removed", "another one")]
)
async def test_what_lies_there_when_somebody_looks_again_tells_how_the_removal_ended(
    desk: Desk, found: bytes, outcome: str, told: str
) -> None:
    desk.table = Keeper(rows={KEY: info()})
    seen = await desk.table.look(KEY)
    assert seen is not None
    removal = Removal(
        context="prod",
        store=desk.store.label,
        key=KEY,
        mechanism="table",
        where=seen.where,
        lock_id="b1f6",
        document=seen.raw,
        proof=seen.proof,
        by="ops@laptop",
        at=START,
    )
    await desk.journal.removing(removal)
    desk.table.error = Unreachable("nobody answers")
    await desk.locks.on(KEY)
    assert [one.outcome for one in await desk.journal.removals("prod", 10)] == ["begun"], "nobody could look"
    desk.table.error = None
    await desk.locks.on(KEY)
    assert [one.outcome for one in await desk.journal.removals("prod", 10)] == ["begun"], "the store may be at it still"
    desk.clock.advance(UNDER_WAY.total_seconds())
    desk.table.rows = {KEY: found}
    await desk.locks.on(KEY)
    [settled] = await desk.journal.removals("prod", 10)
    assert (settled.outcome, settled.note.endswith(told)) == (outcome, True)


async def test_a_removed_lock_is_known_by_its_id_also_where_nobody_can_type_that(desk: Desk) -> None:
    odd = " an id\twith blanks "
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info(ID=odd)}
    [report] = (await desk.locks.on(KEY)).locks
    await desk.unlock.unlock(KEY, report.word)
    assert [removal.lock_id for removal in await desk.journal.removals("prod", 10)] == [odd]


async def test_a_removal_that_is_not_allowed_removed_nothing(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.store.errors["delete"] = AccessDenied("the store said no")
    with pytest.raises(AccessDenied):
        await desk.unlock.unlock(KEY, "b1f6")
    assert [removal.outcome for removal in await desk.journal.removals("prod", 10)] == ["kept"]


async def test_without_a_store_every_question_says_what_to_do(desk: Desk) -> None:
    async def nowhere() -> dict[str, frozenset[str]]:
        return {}

    bucket = BucketService(CONTEXT, None, dict, desk.clock)
    locks = LockService(
        CONTEXT,
        store=None,
        keepers=(),
        bucket=bucket,
        journal=lambda: desk.journal,
        places=nowhere,
        clock=desk.clock,
    )
    for question in (locks.survey(), locks.on(KEY)):
        with pytest.raises(ConfigError):
            await question


async def stands(desk: Desk, unlock: UnlockService, *, despite: str = "") -> str:
    """The code of the refusal, after which the lock is there."""
    with pytest.raises(Refused) as refused:
        await unlock.unlock(KEY, "b1f6", despite=[despite] if despite else [])
    assert f"{KEY}.tflock" in desk.store.objects
    return refused.value.code


async def test_a_job_of_another_context_of_the_same_sidecar_stands_in_the_way_until_it_has_ended(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.places = {"/w/net": frozenset({KEY})}
    desk.reaches = {"prod": Reach(here=True), "other": Reach(here=True)}
    await desk.apply(context="other")
    with pytest.raises(Refused) as refused:
        await desk.unlock.unlock(KEY, "b1f6")
    assert refused.value.code == "lock.job_running"
    assert f"apply {JOB} on /w/net (context other) is running" in refused.value.detail
    assert "jobs list --context other" in refused.value.hint
    assert await stands(desk, desk.unlock, despite="another") == "lock.job_running"
    # Nobody has looked under the other context: the sidecar that both have is asked here.
    desk.sidecar.answer(JOB, 0)
    await desk.unlock.unlock(KEY, "b1f6")
    assert f"{KEY}.tflock" not in desk.store.objects
    known = await desk.journal.by_id("other", JOB)
    assert known is not None
    assert (known.service, known.exit_code) == (ServicePlane.ANSWERED, 0)


@pytest.mark.parametrize("reaches", [{"prod": Reach(here=True)}, {"prod": Reach(here=True), "old": Reach()}])
async def test_a_job_of_a_context_of_which_nothing_is_known_stands_in_the_way_and_is_named_to_override(
    desk: Desk, reaches: dict[str, Reach]
) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.reaches = reaches
    await desk.apply(context="old")
    with pytest.raises(Refused) as refused:
        await desk.unlock.unlock(KEY, "b1f6")
    assert refused.value.code == "lock.job_running"
    assert ("jobs list --context old" in refused.value.hint) is ("old" in reaches)
    [done] = await desk.unlock.unlock(KEY, "b1f6", despite=[str(JOB)])
    assert done.despite == (str(JOB),)


async def test_a_job_that_nobody_can_ask_about_is_given_up_after_its_time_and_an_hour_unless_it_is_bound_here(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.reaches = {"prod": Reach(here=True)}
    await desk.apply(context="old")
    desk.clock.now = START + timedelta(hours=2)
    assert await stands(desk, desk.unlock) == "lock.job_running"
    desk.clock.now += timedelta(minutes=1)
    desk.reaches["old"] = Reach()
    assert await stands(desk, desk.unlock) == "lock.job_running"
    del desk.reaches["old"]
    desk.places = {"/w/net": frozenset({KEY})}
    assert await stands(desk, desk.unlock) == "lock.job_running"
    desk.places = {}
    [done] = await desk.unlock.unlock(KEY, "b1f6")
    assert f"{JOB} on /w/net (context old)" in done.caveats[-1]
    assert "it was not waited for" in done.caveats[-1]
    assert f"{KEY}.tflock" not in desk.store.objects


async def test_a_job_of_a_context_with_another_store_stands_in_the_way_where_its_folder_is_bound_here(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.reaches = {"prod": Reach(here=True), "other": Reach(elsewhere=True)}
    desk.places = {"/w/net": frozenset({KEY})}
    await desk.apply(context="other")
    assert await stands(desk, desk.unlock) == "lock.job_running"


async def test_a_job_of_a_context_with_another_store_does_not_stand_in_the_way(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.reaches = {"prod": Reach(here=True), "other": Reach(elsewhere=True)}
    await desk.apply(context="other")
    await desk.unlock.unlock(KEY, "b1f6")
    assert f"{KEY}.tflock" not in desk.store.objects


async def test_a_job_of_another_context_is_told_as_the_one_that_took_the_lock(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.places = {"/w/net": frozenset({KEY})}
    desk.reaches = {"prod": Reach(here=True), "other": Reach(here=True)}
    await desk.apply(context="other")
    [report] = (await desk.locks.survey()).locks
    assert report.tie is not None
    assert (report.tie.certainty, report.tie.job.context) == ("likely", "other")


async def test_one_404_does_not_turn_a_living_job_into_none(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    await desk.apply()
    desk.sidecar.forget(JOB)
    with pytest.raises(Refused) as refused:
        await desk.unlock.unlock(KEY, "b1f6")
    assert refused.value.code == "lock.job_running"
    assert "may be running still" in refused.value.detail
    assert "is running" not in refused.value.detail
    [report] = (await desk.locks.survey()).locks
    assert report.tie is not None
    assert report.tie.standing == "lost"
    [done] = await desk.unlock.unlock(KEY, "b1f6", despite=[str(JOB)])
    assert done.despite == (str(JOB),)


async def test_a_lost_job_that_the_service_knows_after_all_is_what_the_service_says(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.reaches = {"prod": Reach(here=True)}
    await desk.apply()
    desk.sidecar.errors["job"] = NotFound("a proxy that knows no such page")
    assert await stands(desk, desk.unlock) == "lock.job_running"
    del desk.sidecar.errors["job"]
    with pytest.raises(Refused) as refused:
        await desk.unlock.unlock(KEY, "b1f6")
    assert f"apply {JOB} on /w/net is running" in refused.value.detail
    desk.clock.advance(60)
    desk.sidecar.answer(JOB, 0)
    await desk.unlock.unlock(KEY, "b1f6")
    assert f"{KEY}.tflock" not in desk.store.objects


async def test_a_job_that_was_lost_longer_ago_than_any_job_may_run_stands_in_nobodys_way(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    await desk.apply()
    desk.sidecar.forget(JOB)
    desk.clock.advance(3601)
    await desk.unlock.unlock(KEY, "b1f6")
    assert f"{KEY}.tflock" not in desk.store.objects


async def test_after_a_lost_job_the_next_lock_of_its_workspace_is_not_called_stale(desk: Desk) -> None:
    desk.places = {"/w/net": frozenset({KEY})}
    await desk.apply()
    desk.sidecar.forget(JOB)
    await JobService(CONTEXT, desk.sidecar, desk.journal, desk.clock).refresh()
    later = START + timedelta(minutes=30)
    desk.clock.now = later
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info(Created=later.isoformat())}
    desk.store.modified[f"{KEY}.tflock"] = later
    [report] = (await desk.locks.survey()).locks
    assert (report.stale, report.tie) == ("", None)


async def test_a_holder_whose_clock_is_behind_is_not_stale_and_its_job_is_not_overlooked(desk: Desk) -> None:
    slow = START - timedelta(hours=3)
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info(Created=slow.isoformat())}
    desk.store.modified[f"{KEY}.tflock"] = START
    await desk.apply()
    [report] = (await desk.locks.survey()).locks
    assert (report.stale, report.held.since) == ("", START)
    assert "lock.clock_behind" in [finding.code for finding in report.findings]
    [held] = await desk.bucket.locks()
    assert held.since == START
    assert (await desk.bucket.detail(KEY)).lock_since == START
    assert await stands(desk, desk.unlock) == "lock.job_running"


async def test_a_journal_that_was_set_aside_as_damaged_stops_a_removal_until_it_is_named(desk: Desk, tmp_path: Path) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    await desk.apply()
    desk.journal.close()
    file = tmp_path / "jobs.sqlite3"
    for beside in tmp_path.glob("jobs.sqlite3-*"):
        beside.unlink()
    file.write_bytes(b"SQLite format 3\0" + b"rubbish" * 5000)
    desk.journal = Journal.open(file)
    with pytest.raises(Refused) as refused:
        await desk.unlock.unlock(KEY, "b1f6")
    [aside] = await desk.journal.aside()
    assert refused.value.code == "lock.journal_damaged"
    assert aside.file in refused.value.detail
    assert f"--despite-damaged-journal {aside.name}" in refused.value.hint
    assert f"{KEY}.tflock" in desk.store.objects
    # Another process, which did not find the damage itself, knows it by the file.
    desk.journal.close()
    desk.journal = Journal.open(file)
    assert await stands(desk, desk.unlock) == "lock.journal_damaged"
    desk.clock.now = aside.at + timedelta(hours=23)
    assert await stands(desk, desk.unlock, despite="another") == "lock.journal_damaged"
    [done] = await desk.unlock.unlock(KEY, "b1f6", despite=[aside.name])
    assert done.despite == (aside.name,)
    desk.clock.now = aside.at + timedelta(hours=25)
    seen = LockObjects(FakeStore({f"{KEY}.tflock": info()}))
    sighting = await seen.look(KEY)
    assert sighting is not None
    assert (await desk.unlock.obstacles(sighting)).names == ()


async def test_removals_in_another_context_of_the_same_store_are_told_and_settled_too(desk: Desk) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.store.errors["delete"] = Unreachable("the connection broke")
    with pytest.raises(RemovalUnclear):
        await desk.unlock_in(Context(name="renamed")).unlock(KEY, "b1f6")
    [removal] = await desk.locks.removals()
    assert (removal.context, removal.outcome) == ("renamed", "begun")
    del desk.store.objects[f"{KEY}.tflock"]
    await desk.locks.on(KEY)
    assert [one.outcome for one in await desk.locks.removals()] == ["removed"]
    bucket = desk.store.label.partition(" at ")[0]
    # A bucket of this name at another address may be this one: told, and not settled by what lies here.
    for place, told in ((f"{bucket} at localhost:19000", 2), (f"{bucket}-dev at localhost:19000", 2)):
        await desk.journal.removing(replace(removal, context="dev", store=place))
        await desk.locks.on(KEY)
        found = await desk.locks.removals()
        assert (len(found), found[0].outcome) == (told, "begun")


@pytest.mark.parametrize(("state", "said"), [({KEY: b"{}"}, "is not locked"), ({}, "no state either")])
async def test_a_key_without_a_lock_is_said_to_have_none_and_one_without_a_state_is_to_be_checked(
    desk: Desk, state: dict[str, bytes], said: str
) -> None:
    desk.store.objects = state
    with pytest.raises(Refused) as refused:
        await desk.unlock.unlock(KEY, "b1f6")
    assert refused.value.code == "lock.none"
    assert said in refused.value.title
    assert (await desk.locks.on(KEY)).state is bool(state)


async def test_how_far_a_removal_is_guarded_is_known_without_asking(desk: Desk) -> None:
    desk.store.objects = {f"{KEY}.tflock": info()}
    seen = await LockObjects(desk.store).look(KEY)
    assert seen is not None
    amazon = replace(CONTEXT, storage=StorageSettings(provider=StorageProvider.S3))
    asked = len(desk.store.calls)
    assert [desk.unlock_in(conditions=tried).guard(seen) for tried in (None, True, False)] == ["unknown", "kept", "ignored"]
    assert desk.unlock_in(amazon).guard(seen) == "kept"
    assert desk.unlock.guard(replace(seen, proof=None)) == "ignored"
    assert desk.unlock.guard(replace(seen, mechanism="table")) == "kept"
    assert desk.unlock.guard(replace(seen, mechanism="lease")) == "kept"
    assert desk.unlock.guard(replace(seen, mechanism="lease", document=parse_lock(b""))) == "broken"
    assert len(desk.store.calls) == asked


class Filing(FakeStore):
    """A store that keeps objects as files: slashes in front, or next to each other, mean nothing to it."""

    async def fetch(self, key: str, *, version: str | None = None) -> ObjectContent:
        return await super().fetch("/".join(part for part in key.split("/") if part), version=version)


@pytest.mark.parametrize("asked", [f"/{KEY}", KEY.replace("/", "//")])
async def test_a_key_that_the_store_takes_for_another_one_removes_nothing_and_is_told_as_what_it_is(
    desk: Desk, asked: str
) -> None:
    desk.store = Filing({KEY: b"{}", f"{KEY}.tflock": info()})
    desk.places = {"/w/net": frozenset({KEY})}
    with pytest.raises(Refused) as refused:
        await desk.unlock.unlock(asked, "b1f6")
    assert refused.value.code == "lock.other_spelling"
    assert f"{KEY}.tflock" in desk.store.objects
    found = [finding.code for finding in (await desk.locks.on(asked)).findings]
    assert ("lock.other_spelling" in found, "lock.other_path" in found) == (True, False)
    await desk.apply()
    sighting = await LockObjects(desk.store).look(asked)
    assert sighting is not None
    assert (await desk.unlock.obstacles(sighting)).names == (str(JOB),), "the job is bound to the state that the lock names"


async def test_a_key_with_odd_slashes_that_the_store_has_is_unlocked(desk: Desk) -> None:
    odd = f"/{KEY}"
    desk.store.objects = {odd: b"{}", f"{odd}.tflock": info(Path=f"kumoss-terraform-state/{odd}")}
    await desk.unlock.unlock(odd, "b1f6")
    assert sorted(desk.store.objects) == [odd]


@pytest.mark.parametrize(("code", "outcome"), [("store.refused", "kept"), ("store.fault", "begun")])
async def test_an_answer_that_says_no_kept_the_lock_and_one_of_a_store_that_failed_leaves_it_open(
    desk: Desk, code: str, outcome: str
) -> None:
    desk.store.objects = {KEY: b"{}", f"{KEY}.tflock": info()}
    desk.store.errors["delete"] = ServiceError("it answered", code=code)
    with pytest.raises(ServiceError) as caught:
        await desk.unlock.unlock(KEY, "b1f6")
    assert "no answer came" not in caught.value.title
    assert [removal.outcome for removal in await desk.journal.removals("prod", 10)] == [outcome]
