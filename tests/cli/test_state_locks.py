"""``state locks`` and ``state unlock``: who holds what, and removing exactly that."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from kumoss_console.errors import AccessDenied, ServiceError, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.contract import ApplyRequest, CloudProvider, JobKind
from tests.cli.conftest import DIGEST
from tests.cli.harness import Console
from tests.fakes.clock import START
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE

KEY = f"{DIGEST}/terraform.tfstate"
OTHER = f"{'0' * 64}/terraform.tfstate"
ID = "11112222-3333-4444-5555-666677778888"
JOB = UUID("7f3a2b1c-4f89-41d3-9a0c-0305e82c3301")


def lock(**members: object) -> bytes:
    said = {
        "ID": ID,
        "Operation": "OperationTypeApply",
        "Info": "",
        "Who": "ci@runner-7",
        "Version": "1.9.0",
        "Created": "2026-01-02T01:00:00Z",
        "Path": f"kumoss-terraform-state/{KEY}",
    }
    return json.dumps(said | members).encode()


YOUNG = lock(Created=(START - timedelta(minutes=1)).isoformat(), ID="young", Path=f"kumoss-terraform-state/{OTHER}")


@pytest.fixture
def filled(store: FakeStore) -> FakeStore:
    store.objects = {KEY: b"{}", f"{KEY}.tflock": lock(), OTHER: b"{}", f"{OTHER}.tflock": YOUNG}
    return store


def running_apply(console: Console, workspace: str = "/workspaces/net", *, context: str = "prod") -> None:
    """A job that the journal knows as queued, and the sidecar as running."""

    async def record() -> None:
        journal = Journal.open(console.journal_file)
        request = ApplyRequest(
            workspace_path=workspace, scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="session.plan"
        )
        entry = await journal.record(context, request, START)
        await journal.accept(entry, JOB, START)
        journal.close()

    asyncio.run(record())
    console.sidecar.add(JobKind.APPLY, job_id=JOB, created=START)
    console.sidecar.start(JOB)


@pytest.mark.usefixtures("filled")
def test_stale_locks_come_first_each_with_why_and_the_command_that_removes_it(console: Console) -> None:
    run = console.run("state", "locks")
    assert run.code == 1
    lines = run.out.splitlines()
    assert lines[0].split("  ")[0] == "STATE"
    assert lines[1].startswith(f"{KEY}  acme/infra  2 h 4 min  ci@runner-7  apply  object")
    assert "stale: held longer than any job of the core may take (1 h)" in lines[1]
    assert lines[2].startswith(f"{OTHER}  unknown")
    assert "stale" not in lines[2]
    assert f"kumoss-console state unlock {KEY} --lock-id={ID} --context prod" in run.out
    assert run.err == "2 locks held, 1 of them stale\n"


@pytest.mark.usefixtures("filled")
def test_the_data_of_a_lock_says_all_that_is_known(console: Console) -> None:
    first = console.run("state", "locks", "--json").data[0]
    assert list(first)[:5] == ["key", "owner", "lock", "since", "reason"]
    assert (first["lock"]["id"], first["mechanism"], first["severity"], first["unlock_word"]) == (ID, "object", "error", ID)
    assert [one["by"] for one in first["release"]] == ["engine", "store"]
    assert first["release"][0]["command"] == f"TF_WORKSPACE=default terraform force-unlock {ID}"
    assert first["release"][1]["command"].startswith(
        f"aws s3api delete-object --bucket kumoss-terraform-state --key {KEY}.tflock"
    )
    assert first["job"] is None


def test_no_lock_is_a_good_answer(console: Console, store: FakeStore) -> None:
    store.objects = {KEY: b"{}"}
    run = console.run("state", "locks")
    assert (run.code, run.out, run.err) == (0, "", "0 locks held, 0 of them stale\n")
    one = console.run("state", "locks", KEY, "--json")
    assert (one.code, one.data["locked"], one.data["locks"]) == (0, False, [])


def test_a_store_that_cannot_be_asked_is_not_one_without_locks(console: Console, store: FakeStore) -> None:
    store.errors["pages"] = AccessDenied("The store said no", code="store.access_denied")
    store.errors["fetch"] = store.errors["pages"]
    assert console.run("state", "locks", "--json").error["code"] == "store.access_denied"
    assert console.run("state", "locks", KEY, "--json").code == 3


def test_a_lock_that_cannot_be_fetched_stays_in_the_list_with_why(console: Console, filled: FakeStore) -> None:
    filled.errors[f"{KEY}.tflock"] = AccessDenied("The store said no")
    found = {row["key"]: row for row in console.run("state", "locks", "--json").data}
    assert (found[KEY]["reason"], found[KEY]["unlock_word"]) == ("The store said no", None)
    assert found[OTHER]["lock"]["id"] == "young"


def test_the_lock_that_was_named_is_removed_and_kept_in_the_journal(console: Console, filled: FakeStore) -> None:
    run = console.run("state", "unlock", KEY, "--lock-id", ID)
    assert run.code == 0, run.err
    assert f"the lock on {KEY}" in run.out
    assert f"terraform force-unlock {ID}" in run.out
    assert set(filled.objects) == {KEY, OTHER, f"{OTHER}.tflock"}
    (kept,) = console.run("state", "locks", "--removed", "--json").data
    assert (kept["key"], kept["lock_id"], kept["outcome"], kept["document"]) == (KEY, ID, "removed", lock().decode())
    assert "@" in kept["by"]
    assert kept["at"] == "2026-01-02T03:04:05Z"
    assert ID in console.run("state", "locks", "--removed").out


@pytest.mark.parametrize("asked", [DIGEST, KEY, f"{KEY}.tflock"])
def test_a_state_is_named_by_its_key_its_digest_or_its_lock(console: Console, filled: FakeStore, asked: str) -> None:
    assert console.run("state", "unlock", asked, "--lock-id", ID).code == 0
    assert f"{KEY}.tflock" not in filled.objects


@pytest.mark.parametrize("typed", ["young", "", "y", "yes", ID[:8], f"{ID} ", "*"])
def test_another_word_than_the_id_removes_nothing(console: Console, filled: FakeStore, typed: str) -> None:
    run = console.run("state", "unlock", KEY, "--lock-id", typed, "--json")
    assert (run.code, run.error["code"]) == (5, "lock.other_id")
    assert f"{KEY}.tflock" in filled.objects
    assert ("delete", f"{KEY}.tflock") not in filled.calls


def test_without_the_id_it_is_no_command(console: Console, filled: FakeStore) -> None:
    assert console.run("state", "unlock", KEY).code == 2
    assert filled.calls == []


def test_an_unlocked_state_has_nothing_to_remove(console: Console, store: FakeStore) -> None:
    store.objects = {KEY: b"{}"}
    run = console.run("state", "unlock", KEY, "--lock-id", ID, "--json")
    assert (run.code, run.error["code"]) == (5, "lock.none")
    assert "check the key" not in run.error["hint"]
    looked = console.run("state", "locks", KEY, "--json")
    assert (looked.code, looked.data["locked"], looked.data["state_present"]) == (0, False, True)


def test_a_key_without_a_lock_and_without_a_state_is_to_be_checked(console: Console, store: FakeStore) -> None:
    store.objects = {KEY: b"{}"}
    run = console.run("state", "unlock", OTHER, "--lock-id", ID)
    assert run.code == 5
    assert "no state either" in run.err
    assert "check the key" in run.err
    looked = console.run("state", "locks", OTHER)
    assert looked.code == 0
    assert "there is no state at this key either: check the key" in looked.err


def test_a_state_that_is_named_like_a_lock_object_is_meant_where_there_is_a_lock_on_it(
    console: Console, store: FakeStore
) -> None:
    odd = "x.tflock"
    store.objects = {"x": b"{}", odd: b"{}", f"{odd}.tflock": lock(Path=f"kumoss-terraform-state/{odd}")}
    assert console.run("state", "locks", odd, "--json").data["key"] == odd
    run = console.run("state", "unlock", odd, "--lock-id", ID, "--json")
    assert (run.code, run.data["key"], sorted(store.objects)) == (0, odd, ["x", odd])
    # Without a lock of its own it is the lock of x.
    assert console.run("state", "locks", odd, "--json").data["key"] == "x"


@pytest.mark.usefixtures("filled")
def test_in_read_only_mode_nothing_tells_how_a_lock_is_removed(console: Console) -> None:
    for argv in (("state", "locks"), ("state", "locks", KEY)):
        assert "unlock" in console.run(*argv).out
        run = console.run(*argv, "--read-only")
        assert ID in run.out or len(argv) == 2
        for word in ("unlock", "emove", "delete-object"):
            assert word not in run.out


def test_a_row_of_a_table_is_removed_by_a_command_that_says_what_must_hold(console: Console, filled: FakeStore) -> None:
    run = console.run("state", "unlock", KEY, "--lock-id", ID)
    assert "delete-object" in run.out
    assert "# deletes that very lock where the store looks at the condition" in run.out


@pytest.mark.parametrize("flags", [("--read-only",), ("--context", "dev")])
def test_nothing_is_removed_in_read_only_mode(console: Console, filled: FakeStore, flags: tuple[str, ...]) -> None:
    run = console.run("state", "unlock", KEY, "--lock-id", ID, *flags, "--json")
    assert (run.code, run.error["code"]) == (5, "read_only")
    assert filled.calls == []


@pytest.mark.parametrize("content", [b"locked by build 4711\n", lock()[:60], b"", b"{}", lock(ID="a\x1b[31mb"), b'{"ID":42}'])
def test_a_lock_without_a_legible_id_is_named_by_what_it_holds(console: Console, filled: FakeStore, content: bytes) -> None:
    filled.objects[f"{KEY}.tflock"] = content
    shown = {row["key"]: row for row in console.run("state", "locks", "--json").data}[KEY]
    word = shown["unlock_word"]
    assert word.startswith("sha256:")
    assert [one["by"] for one in shown["release"]] == ["store"]
    assert console.run("state", "unlock", KEY, "--lock-id", "sha256:0000000000000000").code == 5
    assert console.run("state", "unlock", KEY, f"--lock-id={word}").code == 0
    assert f"{KEY}.tflock" not in filled.objects


def test_a_running_job_that_may_hold_the_lock_stops_it_until_it_is_named(console: Console, filled: FakeStore) -> None:
    filled.objects[f"{KEY}.tflock"] = lock(Created=START.isoformat())
    running_apply(console)
    refused = console.run("state", "unlock", KEY, "--lock-id", ID, "--json")
    assert (refused.code, refused.error["code"]) == (5, "lock.job_running")
    assert str(JOB) in refused.error["detail"]
    assert f"--despite-running-job {JOB}" in refused.error["hint"]
    assert f"{KEY}.tflock" in filled.objects
    other = console.run("state", "unlock", KEY, "--lock-id", ID, "--despite-running-job", "another", "--json")
    assert other.error["code"] == "lock.job_running"
    assert "no job another stands in the way" in other.error["detail"]
    other = console.run("state", "unlock", KEY, "--lock-id", ID, "--despite-damaged-journal", str(JOB), "--json")
    assert other.error["code"] == "lock.job_running"

    run = console.run("state", "unlock", KEY, "--lock-id", ID, "--despite-running-job", str(JOB), "--json")
    assert run.data["removed"][0]["despite"] == [str(JOB)]
    assert f"{KEY}.tflock" not in filled.objects
    assert console.run("state", "locks", "--removed", "--json").data[0]["despite"] == [str(JOB)]


def test_a_job_of_another_context_that_may_have_the_same_store_stops_it_too(console: Console, filled: FakeStore) -> None:
    filled.objects[f"{KEY}.tflock"] = lock(Created=START.isoformat())
    running_apply(console, context="renamed")
    refused = console.run("state", "unlock", KEY, "--lock-id", ID, "--json")
    assert (refused.code, refused.error["code"]) == (5, "lock.job_running")
    assert f"{JOB} on /workspaces/net (context renamed)" in refused.error["detail"]
    assert console.run("state", "unlock", KEY, "--lock-id", ID, "--despite-running-job", str(JOB)).code == 0


def test_a_damaged_journal_stops_it_until_it_is_named_and_jobs_list_names_it_too(console: Console, filled: FakeStore) -> None:
    filled.objects[f"{KEY}.tflock"] = lock(Created=START.isoformat())
    running_apply(console)
    console.journal_file.write_bytes(b"SQLite format 3\0" + b"rubbish" * 5000)
    for beside in console.journal_file.parent.glob("*-wal"):
        beside.unlink()
    refused = console.run("state", "unlock", KEY, "--lock-id", ID, "--json")
    assert (refused.code, refused.error["code"]) == (5, "lock.journal_damaged")
    assert f"{KEY}.tflock" in filled.objects
    [aside] = [file.name for file in console.journal_file.parent.glob("*.damaged-*") if not file.name.endswith(("-wal", "-shm"))]
    listed = console.run("jobs", "list")
    assert aside in listed.err
    assert "none was submitted" not in listed.err
    other = console.run("state", "unlock", KEY, "--lock-id", ID, "--despite-running-job", aside, "--json")
    assert other.error["code"] == "lock.journal_damaged"
    path = str(console.journal_file.parent / aside)
    assert path in refused.error["detail"]
    run = console.run("state", "unlock", KEY, "--lock-id", ID, "--despite-damaged-journal", path, "--json")
    assert run.data["removed"][0]["despite"] == [aside]
    assert f"{KEY}.tflock" not in filled.objects


@pytest.mark.parametrize("option", ["--despite-running-job", "--despite-damaged-journal"])
def test_a_name_that_overrides_nothing_is_refused(console: Console, filled: FakeStore, option: str) -> None:
    run = console.run("state", "unlock", KEY, "--lock-id", ID, option, "slip", "--json")
    assert (run.code, run.error["code"]) == (5, "lock.override_unknown")
    assert "slip stands in the way" in run.error["detail"]
    assert f"{KEY}.tflock" in filled.objects


def test_a_job_of_a_sidecar_that_cannot_be_asked_counts_as_running(console: Console, filled: FakeStore) -> None:
    filled.objects[f"{KEY}.tflock"] = lock(Created=START.isoformat())
    running_apply(console)
    console.sidecar.errors["job"] = Unreachable("nobody answers")
    assert console.run("state", "unlock", KEY, "--lock-id", ID, "--json").error["code"] == "lock.job_running"
    assert f"{KEY}.tflock" in filled.objects


def test_a_lock_whose_job_has_ended_is_stale_however_young(console: Console, filled: FakeStore) -> None:
    filled.objects[f"{KEY}.tflock"] = lock(Created=START.isoformat())
    running_apply(console)
    console.sidecar.answer(JOB, 1, stderr=f"Error: Error releasing the state lock\n\nLock Info:\n  ID: {ID}\n")
    assert console.run("jobs", "show", str(JOB)).code == 1
    run = console.run("state", "locks", KEY, "--json")
    (found,) = run.data["locks"]
    assert (found["job"]["certainty"], found["job"]["standing"]) == ("proven", "ended")
    assert found["stale"] == f"apply {str(JOB)[:8]}, which took it, has ended"
    assert run.code == 1


def test_a_job_that_began_after_the_lock_was_taken_does_not_hold_it(console: Console, filled: FakeStore) -> None:
    running_apply(console)
    assert console.run("state", "unlock", KEY, "--lock-id", ID).code == 0
    assert f"{KEY}.tflock" not in filled.objects


def test_a_listing_that_breaks_off_leaves_the_locks_that_it_gave(console: Console, filled: FakeStore) -> None:
    filled.page_size, filled.fail_after_pages, filled.seeks = 2, 1, False
    filled.errors["pages"] = ServiceError("the store asks us to slow down", code="store.throttled")
    run = console.run("state", "locks", "--json")
    assert (run.code, run.error["code"]) == (3, "store.throttled")
    assert [one["key"] for one in json.loads(run.out)["data"]] == [OTHER]
    plain = console.run("state", "locks")
    assert (plain.code, "young" in plain.out, "NOT COMPLETE" in plain.err) == (3, True, True)
    assert "the store asks us to slow down" in plain.err


class _Interrupted(FakeStore):
    """Somebody types ^C while the deletion is under way, and the store is silent from then on."""

    async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
        if key in self.objects:  # The lock itself, not the trial of conditions.
            self.hang.shut()
            signal.raise_signal(signal.SIGINT)
        await super().delete(key, etag=etag, version=version)


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_an_interrupted_removal_says_that_it_is_not_known_and_who_tells(console: Console, flags: tuple[str, ...]) -> None:
    console = replace(console, store=_Interrupted({KEY: b"{}", f"{KEY}.tflock": lock()}))
    run = console.run("state", "unlock", KEY, "--lock-id", ID, *flags)
    assert (run.code, run.err.endswith("interrupted\n")) == (130, True)
    said = f"whether the lock on {KEY} was removed is not known"
    if flags:
        assert (run.error["code"], run.error["title"][: len(said)]) == ("lock.unclear", said)
        assert json.loads(run.out)["data"]["outcome"] == "unknown"
    else:
        assert said in run.err
        assert f"state locks {KEY}" in run.err
    [kept] = console.run("state", "locks", "--removed", "--json").data
    assert kept["outcome"] == "begun"


def test_a_removal_without_an_answer_may_have_been_done_and_looking_again_settles_it(console: Console, filled: FakeStore) -> None:
    filled.errors["delete"] = Unreachable("connected, and no answer came in time")
    run = console.run("state", "unlock", KEY, "--lock-id", ID, "--json")
    assert (run.code, run.error["code"]) == (3, "lock.unclear")
    assert json.loads(run.out)["data"] == {"key": KEY, "outcome": "unknown", "entry": 1, "removed": []}
    plain = console.run("state", "unlock", KEY, "--lock-id", ID)
    assert (plain.code, plain.out) == (3, "")
    assert "may have been" in plain.err
    assert f"look again (state locks {KEY})" in plain.err
    assert [one["outcome"] for one in console.run("state", "locks", "--removed", "--json").data] == ["begun", "begun"]
    del filled.objects[f"{KEY}.tflock"]
    assert console.run("state", "locks", KEY).code == 0
    assert [one["outcome"] for one in console.run("state", "locks", "--removed", "--json").data] == ["removed", "removed"]


def test_a_journal_that_cannot_be_written_stops_it_before_anything_is_removed(console: Console, filled: FakeStore) -> None:
    console.journal_file.write_bytes(b"SQLite format 3\0")
    console = replace(console, journal_file=console.journal_file.parent / "jobs.sqlite3" / "no-folder")
    (console.journal_file.parent).write_bytes(b"")
    run = console.run("state", "unlock", KEY, "--lock-id", ID, "--json")
    assert (run.code, run.error["code"]) == (3, "journal.unavailable")
    assert f"{KEY}.tflock" in filled.objects


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_holder_wrote_is_shown_and_never_obeyed(console: Console, filled: FakeStore, text: str) -> None:
    filled.objects[f"{KEY}.tflock"] = lock(Who=text, Info=text, Operation=text, Path=text, Version=text, Created=text)
    for argv in (("state", "locks"), ("state", "locks", KEY), ("state", "unlock", KEY, "--lock-id", "no")):
        run = console.run(*argv)
        assert not set("\x1b\x9b\r\u202e\x07") & set(run.out + run.err)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_key_is_shown_and_gets_no_command_that_would_not_reach_it(
    console: Console, store: FakeStore, text: str
) -> None:
    store.objects = {f"{text}.tflock": lock()}
    run = console.run("state", "locks")
    assert not set("\x1b\x9b\r\u202e\x07") & set(run.out + run.err)
    (row,) = console.run("state", "locks", "--json").data
    assert row["key"] == text
    assert all(text in " ".join(shlex.split(way["command"])) or way["by"] == "engine" for way in row["release"])
