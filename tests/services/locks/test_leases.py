"""Leases of a real container, from a look at them to their removal: what is not known of one is not made up."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.config import LoadedConfig
from kumoss_console.errors import AccessDenied, Refused
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import ApplyRequest, CloudProvider, JobKind
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.services.build import Services
from kumoss_console.services.locks.judgement import judged
from kumoss_console.services.locks.shape import report_shape
from kumoss_console.services.locks.words import unlock_command, why
from kumoss_console.services.wiring.adapters import GivenAdapters
from tests.azure_between import between
from tests.azurite import RealContainer, with_sas
from tests.clients.test_azure_errors import said
from tests.clients.test_azure_leases import KEY, lease, metadata_of, retake, status_of, take
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar

JOB = UUID("7f3a2b1c-4f89-41d3-9a0c-0305e82c3301")


def in_two_days() -> datetime:
    return datetime.now(UTC) + timedelta(days=2)


@asynccontextmanager
async def desk(
    container: RealContainer,
    folder: Path,
    *,
    settings: StorageSettings | None = None,
    credentials: StorageCredentials | None = None,
    sidecar: FakeSidecar | None = None,
) -> AsyncIterator[Services]:
    """A console whose clock is two days ahead, so that every blob is an old one to it."""
    settings, credentials = settings or container.settings, credentials or container.credentials
    context = Context(name="azure", storage=settings, credentials=credentials)
    adapters = GivenAdapters(
        sidecar=sidecar or FakeSidecar(),
        store=AzureStore(settings, credentials),
        journal=Journal.open(folder / "jobs.sqlite3"),
    )
    config = LoadedConfig(contexts=(context,), default="azure")
    services = Services(config=config, context=context, adapters=adapters, clock=in_two_days)
    yield services
    await services.aclose()


async def test_a_lease_without_a_lock_in_its_metadata_is_as_old_as_nobody_knows(container: RealContainer, tmp_path: Path) -> None:
    container.write(KEY, b"{}")
    lease(container, KEY, str(uuid4()))
    async with desk(container, tmp_path) as console:
        [report] = (await console.locks.on(KEY)).locks
        [listed] = (await console.locks.survey()).locks
        snapshot = await console.bucket.snapshot()
    for one in (report, listed):
        assert one.held.since is None
        assert one.stale == ""
        assert judged(one.held, in_two_days()).held == ""
        shape = report_shape(one, in_two_days())
        assert (shape["since"], shape["modified"], shape["stale"]) == (None, None, None)
    assert [(row.locked, row.locked_at) for row in snapshot.rows] == [(True, None)]


async def test_a_lease_that_may_be_any_running_jobs_is_not_broken_without_naming_the_job(
    container: RealContainer, tmp_path: Path
) -> None:
    container.write(KEY, b"{}")
    lease(container, KEY, str(uuid4()))
    sidecar = FakeSidecar(FakeClock(in_two_days()))
    async with desk(container, tmp_path, sidecar=sidecar) as console:
        request = ApplyRequest(workspace_path="/w/net", scope_id="s", terraform_provider=CloudProvider.AZURE, plan_file="p")
        journal = Journal.open(tmp_path / "jobs.sqlite3")
        entry = await journal.record("azure", request, in_two_days())
        await journal.accept(entry, JOB, in_two_days())
        journal.close()
        sidecar.add(JobKind.APPLY, job_id=JOB, created=in_two_days())
        sidecar.start(JOB)
        [report] = (await console.locks.on(KEY)).locks
        with pytest.raises(Refused) as caught:
            await console.unlock.unlock(KEY, report.word)
        assert caught.value.code == "lock.job_running"
        assert status_of(container) == "locked"
        [done] = await console.unlock.unlock(KEY, report.word, despite=[str(JOB)])
    assert done.despite == (str(JOB),)
    assert status_of(container) == "unlocked"


async def test_a_lease_of_another_run_than_the_metadatas_is_removed_by_the_command_that_is_shown_for_it(
    container: RealContainer, tmp_path: Path
) -> None:
    container.write(KEY, b"{}")
    first = take(container)
    retake(container, first)
    async with desk(container, tmp_path) as console:
        [report] = (await console.locks.on(KEY)).locks
        assert report.held.lock is None, "who wrote the metadata does not hold it"
        shown = (await console.state_detail.open(KEY)).detail
        assert shown is not None
        assert (shown.lock_status, shown.lock) == ("locked", None), "nor does an open state say so"
        assert [way.by for way in report.release] == ["store"], "no engine's command works"
        assert why(report, in_two_days()) == "it cannot be read: its metadata tells of another lock"
        assert f"--lock-id={report.word}" in unlock_command(report, "azure")
        with pytest.raises(Refused) as caught:
            await console.unlock.unlock(KEY, first)
        assert caught.value.code == "lock.other_id"
        [done] = await console.unlock.unlock(KEY, report.word)
        assert "had to be broken" in done.caveats[0]
        [removal] = await console.locks.removals()
    assert removal.outcome == "removed"
    assert first.encode() in removal.document, "what lay there is kept"
    assert (status_of(container), metadata_of(container)) == ("unlocked", {"Owner": "acme"})


async def test_what_became_of_a_lease_and_of_its_metadata_is_what_the_journal_says(
    container: RealContainer, tmp_path: Path
) -> None:
    container.write(KEY, b"{}")
    take(container, written="@@not base64@@")
    sas = container.sas(permission="rdl", expiry=datetime.now(UTC) + timedelta(hours=1))
    async with desk(container, tmp_path, credentials=with_sas(container, sas)) as console:
        [report] = (await console.locks.on(KEY)).locks
        [done] = await console.unlock.unlock(KEY, report.word)
        [removal] = await console.locks.removals()
        after = await console.locks.on(KEY)
    assert "was left on the blob" in done.caveats[0]
    assert (removal.outcome, removal.note) == ("removed", done.caveats[0])
    assert after.locks == ()
    assert [finding.code for finding in after.findings] == ["lock.metadata_left"]


async def test_a_release_that_is_refused_keeps_the_lock_whole_and_the_journal_says_kept(
    container: RealContainer, tmp_path: Path
) -> None:
    container.write(KEY, b"{}")
    lock_id = take(container)
    before = metadata_of(container)
    refused = {"release": said(403, "AuthorizationPermissionMismatch")}
    async with between(container, instead=refused) as way, desk(container, tmp_path, settings=way.settings) as console:
        with pytest.raises(AccessDenied):
            await console.unlock.unlock(KEY, lock_id)
        [removal] = await console.locks.removals()
        [report] = (await console.locks.on(KEY)).locks
    assert (removal.outcome, removal.lock_id) == ("kept", lock_id)
    assert report.word == lock_id
    assert (status_of(container), metadata_of(container)) == ("locked", before)


async def test_a_lease_that_ends_by_itself_is_shown_to(container: RealContainer, tmp_path: Path) -> None:
    from azure.storage.blob import BlobLeaseClient

    container.write(KEY, b"{}")
    BlobLeaseClient(container.blob(KEY)).acquire(lease_duration=60)
    async with desk(container, tmp_path) as console:
        found = await console.locks.on(KEY)
    [report] = found.locks
    assert "ends by itself" in why(report, in_two_days())
    assert [finding.code for finding in found.findings] == ["lock.unreadable", "lock.ends_by_itself"]


async def test_a_key_without_a_state_is_said_to_have_none(container: RealContainer, tmp_path: Path) -> None:
    container.write(KEY, b"{}")
    async with desk(container, tmp_path) as console:
        found = [(await console.locks.on(key)).state for key in (KEY, "typo/terraform.tfstate")]
    assert found == [True, False]


async def test_an_old_lock_that_may_be_of_another_lease_is_neither_stale_nor_released_by_its_id(
    container: RealContainer, tmp_path: Path
) -> None:
    container.write(KEY, b"{}")
    lock_id = str(uuid4())
    lock = {"ID": lock_id, "Who": "ops@x", "Path": f"{container.name}/{KEY}", "Created": "2026-11-01T14:00:00Z"}
    take(container, written=base64.b64encode(json.dumps(lock).encode()).decode())
    async with (
        between(container, instead={"whose": said(503, "ServerBusy")}) as way,
        desk(container, tmp_path, settings=replace(way.settings, max_attempts=1)) as console,
    ):
        found = [*(await console.locks.on(KEY)).locks, *(await console.locks.survey()).locks]
    for report in found:
        assert report.held.lock is not None
        assert report.stale == ""
        assert [way.by for way in report.release] == ["store"]
        assert judged(report.held, in_two_days()).severity is Severity.WARNING
        assert "could not be asked (503 ServerBusy)" in why(report, in_two_days())
    assert len(found) == 2
