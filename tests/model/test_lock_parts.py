"""What is typed to remove a lock, the commands that do it without us, the job that holds it, and what is odd about it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from kumoss_console.model.context import LockSettings
from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.lock import Lock, LockDocument, parse_lock
from kumoss_console.model.lock.awkward import awkward, released
from kumoss_console.model.lock.holder import Reach, Ties, blockers, holder, ran
from kumoss_console.model.lock.refusals import lock_none
from kumoss_console.model.lock.release import engine_workspace, release_commands
from kumoss_console.model.lock.taken import Taken, taken
from kumoss_console.model.lock.word import unlock_word
from kumoss_console.model.storage import StorageProvider, StorageSettings
from tests.fakes.clock import START
from tests.hostile import HOSTILE

KEY = "a/terraform.tfstate"
BUCKET = "kumoss-terraform-state"
HERE = {"/w/net": frozenset({KEY})}
ELSEWHERE = {"/w/net": frozenset({"b/terraform.tfstate"})}
HOUR = timedelta(hours=1)
OURS = Reach(here=True)


def lock(**members: object) -> LockDocument:
    said = {"ID": "b1f6", "Operation": "OperationTypeApply", "Who": "ops@laptop", "Path": f"{BUCKET}/{KEY}"}
    said |= {"Created": START.isoformat()}
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


def ties(places: Mapping[str, frozenset[str]] = HERE, reaches: Mapping[str, Reach] | None = None) -> Ties:
    return Ties(key=KEY, places=places, reaches=reaches)


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
    document = lock(Path=f"{BUCKET}/env:/stage/core.tfstate")
    engine, store = release_commands(
        "env:/stage/core.tfstate", "object", document, StorageSettings(), folder="/w/my net", proof='"e"'
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
    assert lease == (
        f"az storage blob lease break --account-name acme --container-name tfstate --blob-name {KEY}"
        " --blob-endpoint https://acme.blob.core.windows.net"
    )
    row = release_commands(KEY, "table", LockDocument(lock=None), StorageSettings())[0].command
    words = shlex.split(row)
    assert json.loads(words[words.index("--key") + 1]) == {"LockID": {"S": f"{BUCKET}/{KEY}"}}


@pytest.mark.parametrize("info", [None, '{"ID":"b1f6","Who":"o\'ps"}', "\x1b[31m\ud800 \u202e"])
def test_a_row_is_deleted_where_it_is_and_only_as_it_was_seen(info: str | None) -> None:
    settings = LockSettings(dynamodb_table="tf-locks", dynamodb_endpoint="http://user:secret@tables:8000")
    [way] = release_commands(KEY, "table", LockDocument(lock=None), StorageSettings(), proof=info, table=settings)
    words = shlex.split(way.command)
    assert words[words.index("--table-name") + 1] == "tf-locks"
    assert words[words.index("--region") + 1] == "us-east-1"
    assert words[words.index("--endpoint-url") + 1] == "http://tables:8000"
    condition = words[words.index("--condition-expression") + 1]
    assert way.command.isprintable()
    if info is None:
        assert condition == "attribute_exists(LockID) AND attribute_not_exists(Info)"
    else:
        assert condition == "Info = :info"
        assert json.loads(words[words.index("--expression-attribute-values") + 1]) == {":info": {"S": info}}


def test_the_engines_workspace_is_that_of_the_key_and_named_also_where_it_is_the_default_one() -> None:
    assert (
        release_commands(KEY, "object", lock(), StorageSettings())[0].command
        == "TF_WORKSPACE=default terraform force-unlock b1f6"
    )
    assert [engine_workspace(key, "lease") for key in (f"{KEY}env:stage", KEY, "env:/stage/x")] == ["stage", "default", "default"]
    assert [engine_workspace(key, "object") for key in ("env:/stage/x", KEY, f"{KEY}env:stage")] == [
        "stage",
        "default",
        "default",
    ]


@pytest.mark.parametrize(
    "path", [f"{BUCKET}/env:/stage/{KEY}", f"other-bucket/{KEY}", f"x/{BUCKET}/{KEY}", KEY, f"{BUCKET}/b/terraform.tfstate", ""]
)
def test_no_engines_command_is_given_for_a_lock_that_names_another_state_since_it_would_remove_that_ones(path: str) -> None:
    document = lock(Path=path)
    assert [way.by for way in release_commands(KEY, "object", document, StorageSettings(), folder="/w/net")] == ["store"]
    assert codes(document) == ["lock.other_path" if path else "lock.no_path"]


def test_no_engines_command_is_given_for_an_id_that_it_would_take_for_a_flag() -> None:
    document = lock(ID="-rf")
    assert [way.by for way in release_commands(KEY, "object", document, StorageSettings(), folder="/w/net")] == ["store"]
    assert codes(document) == ["lock.flag_id"]


def test_a_password_in_an_endpoint_is_not_in_a_command() -> None:
    settings = StorageSettings(endpoint_url="http://user:secret@store:9000/x")
    assert "--endpoint-url http://store:9000/x" in release_commands(KEY, "object", lock(), settings)[1].command


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_holder_or_key_breaks_out_of_a_command(text: str) -> None:
    for key in (text, KEY, f"env:/{text}/x"):
        document = lock(ID=text, Path=f"{BUCKET}/{key}")
        for way in release_commands(key, "object", document, StorageSettings(), folder=text, proof='"e"'):
            words = shlex.split(way.command)
            assert words[0] == "aws" or words[0].startswith("TF_WORKSPACE=")
            assert "\x1b" not in way.command


def test_a_running_job_of_a_workspace_that_is_bound_to_the_state_probably_holds_it() -> None:
    tie = holder([job(), job(entry=2, workspace="/w/other")], held(), [START], ties())
    assert tie is not None
    assert (tie.name, tie.certainty, tie.standing) == ("job-1", "likely", "running")


def test_where_the_workspace_keeps_its_state_is_not_known_here_it_is_only_possible() -> None:
    tie = holder([job()], held(), [START], ties({}))
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
    assert holder([stranger], held(), [START], ties()) is None


def test_a_job_in_a_workspace_that_is_bound_elsewhere_does_not_hold_it() -> None:
    assert holder([job()], held(), [START], ties(ELSEWHERE)) is None
    assert holder([job()], held(), [START], ties({"/w/net": frozenset()})) is None


def test_an_engine_that_could_not_give_the_lock_back_proves_it_and_one_that_only_met_it_does_not() -> None:
    said = "Error releasing the state lock\n\nLock Info:\n  ID:        b1f6\n"
    met = "Error acquiring the state lock\n\nLock Info:\n  ID:        b1f6\n"
    ended = {"ended": timedelta(minutes=1)}
    guilty = job(ServicePlane.ANSWERED, entry=1, stderr=said, **ended)  # type: ignore[arg-type]  # one of its keywords
    other = job(ServicePlane.ANSWERED, entry=2, stderr=met, **ended)  # type: ignore[arg-type]  # one of its keywords
    tie = holder([other, guilty], held(), [START], ties({}))
    assert tie is not None
    assert (tie.name, tie.certainty, tie.standing) == ("job-1", "proven", "ended")


def test_an_engines_workspace_is_told_from_its_default_one_by_the_key() -> None:
    for key in (f"env:/stage/{KEY}", f"{KEY}env:stage"):
        assert holder([job()], held(), [START], Ties(key=key, places=HERE)) is not None
    assert holder([job()], held(), [START], Ties(key=f"other-{KEY}", places=HERE)) is None


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
    times = [] if since is None else [since]
    assert bool(blockers([running], held(), times, ties(places), now=START, patience=HOUR)) is blocks


@pytest.mark.parametrize(("seen", "blocks"), [(HOUR, True), (HOUR + timedelta(seconds=1), False), (timedelta(), True)])
def test_a_job_that_the_service_does_not_know_any_more_may_be_running_as_long_as_any_job_may(
    seen: timedelta, blocks: bool
) -> None:
    lost = replace(job(ServicePlane.LOST), seen=START - seen)
    for places in (HERE, {}):
        assert bool(blockers([lost], held(), [START], ties(places), now=START, patience=HOUR)) is blocks
    assert blockers([replace(lost, seen=None)], held(), [START], ties(), now=START, patience=HOUR) == ()


def test_a_lost_job_holds_no_lock_that_was_taken_after_it_was_last_seen() -> None:
    lost = replace(job(ServicePlane.LOST), seen=START)
    assert ran(lost, START + timedelta(seconds=30))
    assert not ran(lost, START + timedelta(minutes=2))
    assert holder([lost], held(), [START + timedelta(minutes=2)], ties()) is None
    assert holder([lost], held(), [START], ties()) is not None
    assert not ran(replace(lost, seen=None), START + timedelta(minutes=2))


def test_either_clock_may_tell_when_a_lock_was_taken() -> None:
    began = job(begun=timedelta(minutes=-1))
    slow = [START - timedelta(hours=3), START]
    assert blockers([began], held(), slow, ties({}), now=START, patience=HOUR)
    assert holder([began], held(), slow, ties()) is not None
    assert blockers([began], held(), slow[:1], ties({}), now=START, patience=HOUR) == ()


@pytest.mark.parametrize(
    ("reach", "places", "blocks"),
    [
        ({}, {}, True),
        ({}, HERE, True),
        ({}, ELSEWHERE, True),
        ({"prod": OURS}, {}, True),
        ({"prod": OURS}, HERE, True),
        ({"prod": OURS}, ELSEWHERE, False),
        ({"prod": Reach(elsewhere=True)}, {}, False),
        ({"prod": Reach(elsewhere=True)}, ELSEWHERE, False),
        ({"prod": Reach(here=True, elsewhere=True)}, HERE, True),
        ({"prod": Reach(here=True, elsewhere=True)}, {}, False),
    ],
)
def test_a_job_of_another_context_counts_unless_it_is_known_to_write_elsewhere(
    reach: dict[str, Reach], places: dict[str, frozenset[str]], blocks: bool
) -> None:
    assert bool(blockers([job()], held(), [START], ties(places, reach), now=START, patience=HOUR)) is blocks


def codes(
    document: LockDocument, *, now: datetime = START, written: datetime | None = START, stateless: bool = False
) -> list[str]:
    when = taken(document.lock, "object", written)
    return [one.code for one in awkward(KEY, document, bucket=BUCKET, taken=when, now=now, stateless=stateless)]


def test_the_awkward_cases_have_names() -> None:
    assert codes(lock()) == []
    assert codes(lock(), now=START - timedelta(minutes=2)) == ["lock.clock_ahead"]
    assert codes(lock(), now=START - timedelta(seconds=59)) == []
    assert codes(lock(Created="0001-01-01T00:00:00Z")) == ["lock.age_unknown"]
    assert codes(lock(), written=START + timedelta(minutes=2)) == ["lock.clock_behind"]
    assert codes(lock(), written=START + timedelta(seconds=59)) == []
    assert codes(lock(), written=None) == []
    assert codes(lock(ID="")) == ["lock.no_id"]
    assert codes(parse_lock(b"by hand"), stateless=True) == ["lock.unreadable", "lock.stateless"]
    assert codes(parse_lock(b"")) == ["lock.unreadable"]


def test_a_clock_that_is_ahead_is_told_beside_what_the_store_says() -> None:
    when = Taken(said=START, written=START - timedelta(hours=2))
    [finding] = awkward(KEY, lock(), bucket=BUCKET, taken=when, now=START - timedelta(hours=1))
    assert "1 h from now" in finding.message
    assert "the store wrote it 1 h ago" in finding.message


def test_a_delete_marker_over_a_lock_is_no_lock() -> None:
    assert "2 older lock documents" in released(KEY, START, 2).message


def test_a_holder_whose_clock_is_behind_is_told_and_the_stores_clock_tells_the_age() -> None:
    when = taken(held(), "object", START + timedelta(hours=3))
    assert (when.since, when.times) == (START + timedelta(hours=3), (START, START + timedelta(hours=3)))
    [finding] = awkward(KEY, lock(), bucket=BUCKET, taken=when, now=START + timedelta(hours=3))
    assert "3 h before the store wrote it" in finding.message
    assert taken(held(), "object", START + timedelta(seconds=60)).since == START


def test_when_a_leased_state_was_written_says_nothing_of_its_lock() -> None:
    assert taken(held(), "lease", START + timedelta(hours=3)) == Taken(said=START)
    assert taken(None, "lease", START).since == START
    assert taken(None, "table", None).times == ()


@pytest.mark.parametrize(
    ("state", "said"), [(True, "is not locked"), (None, "could not be looked at"), (False, "no state either")]
)
def test_a_key_without_a_lock_is_told_from_one_that_is_misspelt(state: bool | None, said: str) -> None:
    refused = lock_none(KEY, state=state)
    assert said in f"{refused.title} {refused.detail}"
    assert ("check the key" in refused.hint) is (state is False)
