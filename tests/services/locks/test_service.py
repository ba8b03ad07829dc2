"""The locks of a bucket in one answer, over a store in memory, a table and leases that are pretended, and a real journal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.clients.lock_objects import LockObjects
from kumoss_console.errors import AccessDenied, ConfigError, ConsoleError, Refused, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import ApplyRequest, CloudProvider, JobKind
from kumoss_console.model.lock import LockMechanism, Removal, parse_lock
from kumoss_console.model.lock.refusals import lock_changed
from kumoss_console.ports.locks import LockKeeper, LockSighting
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.services.bucket.service import BucketService
from kumoss_console.services.jobs.service import JobService
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
    return json.dumps(said | members).encode()


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
            clock=self.clock,
        )

    @property
    def unlock(self) -> UnlockService:
        jobs = JobService(CONTEXT, self.sidecar, self.journal, self.clock)
        return UnlockService(CONTEXT, self.locks, jobs, lambda: self.journal, self.clock, store="a store", by="ops@laptop")

    async def apply(self, workspace: str = "/w/net") -> None:
        """An apply that the sidecar runs."""
        request = ApplyRequest(workspace_path=workspace, scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="p")
        entry = await self.journal.record("prod", request, START)
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
    assert report.release[0].command == "terraform -chdir=/w/net force-unlock b1f6"


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
    journal_of_store = UnlockService(
        CONTEXT,
        desk.locks,
        JobService(CONTEXT, desk.sidecar, desk.journal, desk.clock),
        lambda: desk.journal,
        desk.clock,
        store=desk.store.label,
        by="ops@laptop",
    )
    with pytest.raises(RemovalUnclear) as caught:
        await journal_of_store.unlock(KEY, "b1f6")
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
