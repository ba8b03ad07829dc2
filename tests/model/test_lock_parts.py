"""What is typed to remove a lock, the commands that do it without us, the job that holds it, and what is odd about it."""

from __future__ import annotations

import json
import shlex
from datetime import datetime, timedelta

import pytest

from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.lock import Lock, LockDocument, parse_lock
from kumoss_console.model.lock.awkward import awkward, released
from kumoss_console.model.lock.holder import blockers, holder
from kumoss_console.model.lock.release import release_commands
from kumoss_console.model.lock.word import unlock_word
from kumoss_console.model.storage import StorageProvider, StorageSettings
from tests.fakes.clock import START
from tests.hostile import HOSTILE

KEY = "a/terraform.tfstate"
HERE = {"/w/net": frozenset({KEY})}
ELSEWHERE = {"/w/net": frozenset({"b/terraform.tfstate"})}


def lock(**members: object) -> LockDocument:
    said = {"ID": "b1f6", "Operation": "OperationTypeApply", "Who": "ops@laptop", "Created": START.isoformat()}
    return parse_lock(json.dumps(said | members).encode())


def held() -> Lock:
    found = lock().lock
    assert found is not None
    return found


def job(
    service: ServicePlane = ServicePlane.RUNNING,
    *,
    kind: JobKind | None = JobKind.APPLY,
    entry: int = 1,
    begun: timedelta = timedelta(minutes=-1),
    ended: timedelta | None = None,
    stderr: str = "",
    workspace: str = "/w/net",
) -> Job:
    return Job(
        entry=entry,
        job_id=f"job-{entry}",
        context="prod",
        kind=kind,
        workspace=workspace,
        service=service,
        submitted=START + begun,
        started=START + begun,
        finished=None if ended is None else START + ended,
        exit_code=None if ended is None else 1,
        stderr=stderr,
    )


def test_the_id_is_typed_where_an_engine_would_take_it() -> None:
    assert unlock_word(lock(), b"x", "etag") == "b1f6"


@pytest.mark.parametrize("odd", ["", " b1f6", "a\nb", "x" * 129, "a\u202eb"])
def test_an_id_that_cannot_be_typed_as_it_is_shown_is_not_asked_for(odd: str) -> None:
    raw = b"content"
    assert unlock_word(lock(ID=odd), raw, "etag") == "sha256:ed7002b439e9ac84"


def test_two_locks_without_an_id_have_two_words_and_a_silent_lease_has_one_of_its_own() -> None:
    silent = LockDocument(lock=None, reason="leased without lock metadata")
    words = {unlock_word(silent, raw, proof) for raw, proof in ((b"a", "1"), (b"b", "1"), (b"", "1"), (b"", "2"))}
    assert len(words) == 4


def test_the_engines_own_way_comes_first_in_the_workspace_and_the_engines_workspace() -> None:
    document = lock(Path="acme-tf/env:/stage/core.tfstate")
    engine, store = release_commands(
        "env:/stage/core.tfstate", "object", document, StorageSettings(), folder="/w/my net", etag='"e"'
    )
    assert engine.command == "TF_WORKSPACE=stage terraform -chdir='/w/my net' force-unlock b1f6"
    assert shlex.split(store.command)[:3] == ["aws", "s3api", "delete-object"]
    assert "--if-match" in store.command


def test_an_azure_lease_is_broken_and_a_row_deleted_by_the_providers_own_tools() -> None:
    account = StorageSettings(
        provider=StorageProvider.STORAGE_ACCOUNT,
        terraform_state_bucket="tfstate",
        endpoint_url="https://acme.blob.core.windows.net",
    )
    lease = release_commands(KEY, "lease", LockDocument(lock=None), account)[0].command
    assert lease == f"az storage blob lease break --account-name acme --container-name tfstate --blob-name {KEY}"
    row = release_commands(KEY, "table", LockDocument(lock=None), StorageSettings(), table="tf-locks")[0].command
    assert json.loads(shlex.split(row)[-1]) == {"LockID": {"S": f"kumoss-terraform-state/{KEY}"}}


def test_a_password_in_an_endpoint_is_not_in_a_command() -> None:
    settings = StorageSettings(endpoint_url="http://user:secret@store:9000/x")
    assert "--endpoint-url http://store:9000/x" in release_commands(KEY, "object", lock(), settings)[1].command


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_holder_or_key_breaks_out_of_a_command(text: str) -> None:
    document = lock(ID=text, Path=f"b/env:/{text}/x")
    for key in (text, KEY):
        for way in release_commands(key, "object", document, StorageSettings(), folder=text, etag='"e"'):
            words = shlex.split(way.command)
            assert words[0] in {"terraform", "aws"} or words[0].startswith("TF_WORKSPACE=")
            assert "\x1b" not in way.command


def test_a_running_job_of_a_workspace_that_is_bound_to_the_state_probably_holds_it() -> None:
    tie = holder([job(), job(entry=2, workspace="/w/other")], held(), START, KEY, HERE)
    assert tie is not None
    assert (tie.name, tie.certainty, tie.standing) == ("job-1", "likely", "running")


def test_where_the_workspace_keeps_its_state_is_not_known_here_it_is_only_possible() -> None:
    tie = holder([job()], held(), START, KEY, {})
    assert tie is not None
    assert tie.certainty == "possible"


@pytest.mark.parametrize(
    "stranger",
    [
        job(kind=JobKind.VALIDATE),
        job(kind=JobKind.INIT),
        job(kind=JobKind.PLAN),
        job(begun=timedelta(minutes=2)),
        job(ServicePlane.ANSWERED, begun=timedelta(minutes=-9), ended=timedelta(minutes=-5)),
    ],
)
def test_a_job_that_takes_no_lock_or_did_not_run_then_does_not_hold_it(stranger: Job) -> None:
    assert holder([stranger], held(), START, KEY, HERE) is None


def test_a_job_in_a_workspace_that_is_bound_elsewhere_does_not_hold_it() -> None:
    assert holder([job()], held(), START, KEY, ELSEWHERE) is None
    assert holder([job()], held(), START, KEY, {"/w/net": frozenset()}) is None


def test_an_engine_that_could_not_give_the_lock_back_proves_it_and_one_that_only_met_it_does_not() -> None:
    said = "Error releasing the state lock\n\nLock Info:\n  ID:        b1f6\n"
    met = "Error acquiring the state lock\n\nLock Info:\n  ID:        b1f6\n"
    ended = {"ended": timedelta(minutes=1)}
    guilty = job(ServicePlane.ANSWERED, entry=1, stderr=said, **ended)  # type: ignore[arg-type]  # one of its keywords
    other = job(ServicePlane.ANSWERED, entry=2, stderr=met, **ended)  # type: ignore[arg-type]  # one of its keywords
    tie = holder([other, guilty], held(), START, KEY, {})
    assert tie is not None
    assert (tie.name, tie.certainty, tie.standing) == ("job-1", "proven", "ended")


def test_an_engines_workspace_is_told_from_its_default_one_by_the_key() -> None:
    for key in (f"env:/stage/{KEY}", f"{KEY}env:stage"):
        assert holder([job()], held(), START, key, HERE) is not None
    assert holder([job()], held(), START, f"other-{KEY}", HERE) is None


@pytest.mark.parametrize(
    ("running", "places", "since", "blocks"),
    [
        (job(), HERE, START, True),
        (job(ServicePlane.QUEUED), HERE, START - timedelta(days=1), True),
        (job(ServicePlane.UNKNOWN), {}, START, True),
        (job(), {}, None, True),
        (job(), {}, START - timedelta(hours=1), False),
        (job(), ELSEWHERE, START, False),
        (job(kind=JobKind.VALIDATE), HERE, START, False),
        (job(ServicePlane.ANSWERED, ended=timedelta(minutes=1)), HERE, START, False),
        (job(ServicePlane.LOST), HERE, START, False),
    ],
)
def test_what_has_not_ended_and_may_hold_the_lock_stands_in_the_way(
    running: Job, places: dict[str, frozenset[str]], since: datetime | None, blocks: bool
) -> None:
    assert bool(blockers([running], held(), since, KEY, places)) is blocks


def codes(document: LockDocument, *, now: datetime = START, stateless: bool = False) -> list[str]:
    return [finding.code for finding in awkward(KEY, document, modified=START, now=now, stateless=stateless)]


def test_the_awkward_cases_have_names() -> None:
    assert codes(lock()) == []
    assert codes(lock(), now=START - timedelta(minutes=2)) == ["lock.clock_ahead"]
    assert codes(lock(), now=START - timedelta(seconds=59)) == []
    assert codes(lock(Created="0001-01-01T00:00:00Z")) == ["lock.age_unknown"]
    assert codes(lock(Path=f"bucket/{KEY}")) == []
    assert codes(lock(Path="bucket/b/terraform.tfstate")) == ["lock.other_path"]
    assert codes(lock(ID="")) == ["lock.no_id"]
    assert codes(parse_lock(b"by hand"), stateless=True) == ["lock.unreadable", "lock.stateless"]
    assert codes(parse_lock(b"")) == ["lock.unreadable"]


def test_a_clock_that_is_ahead_is_told_beside_what_the_store_says() -> None:
    [finding] = awkward(KEY, lock(), modified=START - timedelta(hours=2), now=START - timedelta(hours=1))
    assert "1 h from now" in finding.message
    assert "the store wrote it 1 h ago" in finding.message


def test_a_delete_marker_over_a_lock_is_no_lock() -> None:
    assert "2 older lock documents" in released(KEY, START, 2).message
