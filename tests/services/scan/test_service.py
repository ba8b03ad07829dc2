"""A scan of a whole bucket: what it asks for, what it says while it goes, and what becomes of it where the store fails."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import AccessDenied, ConfigError, ServiceError, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.contract import CloudProvider, PlanRequest
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import StorageSettings
from kumoss_console.ports.objects import ObjectContent, ObjectVersion
from kumoss_console.services.bucket.service import BucketService
from kumoss_console.services.scan.service import ScanOptions, ScanProgress, ScanService
from kumoss_console.services.states.xray import XrayService
from kumoss_console.services.workspaces.places import Places
from tests.fakes.clock import START, FakeClock
from tests.fakes.store import FakeStore
from tests.services.states.test_xray import state

A, B, C = (f"{digit * 64}/terraform.tfstate" for digit in "abc")
NET = KnownProject(repo="https://github.com/acme/net", scope="prod", name="net")


class Desk:
    """A scan over fakes; ``places`` and the journal are what a test makes of them."""

    def __init__(self, store: FakeStore | None, folder: Path) -> None:
        self.clock = FakeClock()
        self.journal = Journal.open(folder / "jobs.sqlite3")
        self.places: Places = {}
        self.context = Context(name="prod", storage=StorageSettings(terraform_state_bucket="b" if store else ""))
        owners = {"a" * 64: NET, "b" * 64: NET}
        self.scan = ScanService(
            self.context,
            store,
            bucket=BucketService(self.context, store, lambda: owners, self.clock, off_loop=run_blocking),
            xray=XrayService(self.context, store, off_loop=run_blocking),
            owners=lambda: owners,
            journal=lambda: self.journal,
            places=self._places,
            clock=self.clock,
            off_loop=run_blocking,
        )

    async def _places(self) -> Places:
        return self.places

    async def run(self, options: ScanOptions | None = None) -> ScanProgress:
        *_, last = [progress async for progress in self.scan.scan(options)]
        return last


def codes(progress: ScanProgress) -> list[tuple[str, str]]:
    return [(finding.code, finding.key) for finding in progress.findings]


async def test_a_scan_lists_once_reads_each_state_once_and_its_end_and_no_lock(tmp_path: Path) -> None:
    store = FakeStore({A: state(41, resources=30), f"{A}.tflock": b"{}", B: state(40, resources=30), "empty-folder/": b""})
    last = await Desk(store, tmp_path).run()
    assert codes(last) == [("scan.shared_lineage", A), ("scan.shared_lineage", B)]
    assert (last.objects, last.to_read, last.read, last.complete) == (4, 2, 2, True)
    reads = [call for call in store.calls if call[0] not in {"page", "pages"}]
    assert sorted(reads) == [("fetch_range", A)] * 2 + [("fetch_range", B)] * 2


async def test_a_second_scan_asks_only_for_what_changed_and_is_at_hand_when_whole(tmp_path: Path) -> None:
    store = FakeStore({A: state(1, "a", resources=30), B: state(1, "b", resources=30)})
    desk = Desk(store, tmp_path)
    await desk.run(ScanOptions(text="nothing like it"))
    assert desk.scan.last is None
    last = await desk.run()
    assert repr(desk.scan.last) == repr(last)
    store.calls.clear()
    store.objects[B] = state(2, "a", resources=30)
    last = await desk.run()
    assert {call[1] for call in store.calls if call[0] == "fetch_range"} == {B}
    assert codes(last) == [("scan.shared_lineage", A), ("scan.shared_lineage", B)]


async def test_each_look_says_how_far_it_is_and_the_last_alone_is_complete(tmp_path: Path) -> None:
    store = FakeStore({f"{number:064x}/terraform.tfstate": state(1, f"l{number}") for number in range(30)})
    looks = [look async for look in Desk(store, tmp_path).scan.scan()]
    assert [look.complete for look in looks] == [False] * (len(looks) - 1) + [True]
    assert [look.read for look in looks] == sorted(look.read for look in looks)
    assert looks[-1].read == looks[-1].to_read == 30


async def test_what_a_listing_gave_before_it_broke_off_is_looked_at_all_the_same(tmp_path: Path) -> None:
    lock, sibling = "lone.tflock", f"env:/stage/{A}"
    store = FakeStore({A: b"", sibling: b"x", lock: b"{}", "z": b""}, page_size=3)
    store.seeks = False
    store.errors["pages"] = Unreachable("nobody answers")
    store.fail_after_pages = 1
    last = None
    try:
        async for look in Desk(store, tmp_path).scan.scan():
            last = look
    except Unreachable as error:
        assert error.title == "nobody answers"  # noqa: PT017 - what came before it counts
    assert last is not None
    assert (last.objects, last.listed, last.complete, last.read) == (3, False, False, 2)
    assert ("scan.empty", A) in {(one.code, one.key) for one in last.findings}
    assert not any(one.code == "scan.lock_without_state" for one in last.findings), "its state may be on a page that did not come"


class Slowing(FakeStore):
    """Answers 503 from the third read on."""

    async def fetch_range(self, key: str, start: int, length: int, *, version: str | None = None) -> ObjectContent:
        if sum(1 for call in self.calls if call[0] == "fetch_range") >= 3:
            raise ServiceError("the store asks to be left alone (503 SlowDown)", hint="look again later", code="store.throttled")
        return await super().fetch_range(key, start, length, version=version)


async def test_a_store_that_slows_down_half_way_leaves_what_was_found_and_says_what_was_not_looked_at(tmp_path: Path) -> None:
    store = Slowing({f"{number:064x}/terraform.tfstate": state(1, "one", resources=0) for number in range(9)})
    last = await Desk(store, tmp_path).run(ScanOptions(stale_days=0))
    told = [code for code, _ in codes(last)]
    assert told.count("scan.shared_lineage") == 3
    assert told.count("scan.not_looked") == 6
    assert last.count(Severity.ERROR) == 9


async def test_refused_reads_and_refused_histories_are_findings(tmp_path: Path) -> None:
    store = FakeStore({A: state(1, resources=1), B: state(1, "b", resources=1)})
    store.errors[A] = AccessDenied("no s3:GetObject", detail="403 AccessDenied: Access Denied")
    store.errors["versions"] = AccessDenied("no s3:ListBucketVersions")
    last = await Desk(store, tmp_path).run(ScanOptions(versions=True))
    assert codes(last) == [("scan.history_not_looked", B), ("scan.not_looked", A)]
    assert "403 AccessDenied" in last.findings[1].message
    assert (last.to_read, last.read, last.unread, last.looked) == (2, 1, 1, 2), "a head that nobody could read is not read"


def version(name: str, body: bytes, *, hours: int) -> tuple[ObjectVersion, bytes]:
    at = START + timedelta(hours=hours)
    told = ObjectVersion(key=A, version_id=name, kind="version", latest=False, size=len(body), modified=at, etag=f'"{name}"')
    return told, body


async def test_histories_are_read_by_version_and_kept_by_etag(tmp_path: Path) -> None:
    store = FakeStore({A: state(3, "new", resources=30)})
    marker = ObjectVersion(key=A, version_id="d", kind="delete_marker", latest=False, size=None, modified=START, etag=None)
    store.history[A] = [
        version("v4", state(3, "new", resources=30), hours=4),
        version("v3", state(1, "new", resources=30), hours=3),
        (marker, None),
        version("v2", state(8, "old", resources=30), hours=2),
        version("v1", state(9, "old", resources=30), hours=1),
    ]
    desk = Desk(store, tmp_path)
    last = await desk.run(ScanOptions(versions=True))
    assert codes(last) == [("scan.lineage_changed", A), ("scan.serial_fell", A)]
    assert (last.histories, last.histories_to_read) == (1, 1)
    store.calls.clear()
    await desk.run(ScanOptions(versions=True))
    assert [call for call in store.calls if call[0] not in {"page", "pages"}] == [("versions", A)]


async def test_a_store_without_versions_says_so_once(tmp_path: Path) -> None:
    store = FakeStore({key: state(1, key, resources=1) for key in (A, B, C)})
    store.errors["versions"] = ServiceError("it keeps no versions", code="store.versions_unsupported")
    last = await Desk(store, tmp_path).run(ScanOptions(versions=True))
    assert [code for code, _ in codes(last)].count("scan.no_versions") == 1


async def test_a_state_with_a_young_job_in_a_workspace_that_is_bound_to_it_is_not_stale(tmp_path: Path) -> None:
    store = FakeStore({A: state(1, "a", resources=1), B: state(1, "b", resources=1)})
    desk = Desk(store, tmp_path)
    desk.clock.advance(400 * 86400)
    desk.places = {"/workspaces/net": frozenset({A})}
    request = PlanRequest(workspace_path="/workspaces/net", scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="p")
    await desk.journal.record("prod", request, desk.clock())
    last = await desk.run(ScanOptions(stale_days=90))
    assert codes(last) == [("scan.stale", B)]
    assert "no workspace that can be seen from here is bound to it" in last.findings[0].message
    assert codes(await desk.run(ScanOptions(stale_days=0))) == []
    desk.clock.advance(100 * 86400)
    stale = {finding.key: finding.message for finding in (await desk.run(ScanOptions(stale_days=90))).findings}
    assert "the last job of this console in its workspace was plan" in stale[A]


async def test_stopping_half_way_leaves_nothing_running(tmp_path: Path) -> None:
    store = FakeStore({f"{number:064x}/terraform.tfstate": state(1, f"l{number}", resources=9) for number in range(200)})
    async with aclosing(Desk(store, tmp_path).scan.scan()) as looks:
        async for look in looks:
            if look.listed:
                break
    before = len(asyncio.all_tasks())
    calls = len(store.calls)
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(store.calls) == calls
    assert before == len(asyncio.all_tasks()) == 1


async def test_without_a_store_there_is_a_next_step(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        await Desk(None, tmp_path).run()
