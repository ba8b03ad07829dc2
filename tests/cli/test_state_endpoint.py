"""``state endpoint``: aspects, findings and the consent that writing takes."""

from __future__ import annotations

import signal
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from kumoss_console.errors import AccessDenied, ConfigError, ConsoleError, Refused, ServiceError, Unreachable
from kumoss_console.model.endpoint import Aspect, LifecycleRule
from kumoss_console.model.endpoint.aspect import no_access
from kumoss_console.ports.objects import ObjectInfo
from tests.cli.harness import Console
from tests.fakes.examiner import FakeExaminer, MadeTrial
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE

BUCKET = "kumoss-terraform-state"
ACCESS = Aspect(name="access", standing="good", said="listing works", evidence="listed the bucket")
OFF = Aspect(name="versioning", standing="bad", said="off", evidence="GetBucketVersioning")
IGNORED = Aspect(name="conditional_create", standing="bad", said="ignored", evidence="a second PUT wrote over the first")


def test_reading_tells_what_it_can_and_says_what_was_not_tried(console: Console, store: FakeStore) -> None:
    store.aspects = [OFF, ACCESS]

    run = console.run("state", "endpoint", "--json")

    assert run.code == 0
    assert [(aspect["name"], aspect["doubt"]) for aspect in run.data["aspects"]][:2] == [("access", None), ("versioning", None)]
    assert {aspect["name"] for aspect in run.data["aspects"] if aspect["doubt"] == "not_tried"} == {
        "conditional_create",
        "conditional_delete",
        "checksums",
        "delete",
    }
    assert [finding["code"] for finding in run.data["findings"]] == ["endpoint.versioning_off"]
    assert store.calls == [("examine", ""), ("page", "kumoss-console-scratch/")]


def test_a_lock_that_protects_nothing_is_bad_news(console: Console, store: FakeStore) -> None:
    store.aspects, store.tried = [ACCESS], [IGNORED]

    run = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET, "--json")

    assert run.code == 1
    assert [finding["code"] for finding in run.data["findings"]] == ["endpoint.no_mutual_exclusion"]
    (key,) = [key for method, key in store.calls if method == "try_writes"]
    assert key.startswith("kumoss-console-scratch/")
    assert run.data["tried_at"]


@pytest.mark.parametrize("arguments", [(), ("--confirm", "another-bucket")])
def test_nothing_is_written_without_the_name_of_the_bucket(
    console: Console, store: FakeStore, arguments: tuple[str, ...]
) -> None:
    run = console.run("state", "endpoint", "--try-writes", *arguments, "--json")

    assert run.code == 5
    assert store.calls == []


def test_nothing_is_written_in_read_only_mode(console: Console, store: FakeStore) -> None:
    run = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET, "--read-only", "--json")

    assert run.code == 5
    assert store.calls == []


def test_a_store_that_refuses_us_is_an_answer_with_a_next_step(console: Console, store: FakeStore) -> None:
    error = AccessDenied("the credentials have expired", hint="renew the session", code="store.expired_token")
    store.aspects = [Aspect(name="access", standing="bad", said=error.title, evidence="listed the bucket", error=error)]

    run, data = console.run("state", "endpoint"), console.run("state", "endpoint", "--json")
    tried = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET)

    assert run.code == data.code == tried.code == 3
    assert "renew the session" in run.out
    assert "--try-writes" not in run.err
    assert data.error["code"] == "store.expired_token"
    assert data.envelope["data"]["aspects"][0]["name"] == "access"
    assert "not tried: the store does not list for us" in tried.out
    assert not [call for call in store.calls if call[0] == "try_writes"]


def test_the_store_is_named_once_above_the_card(console: Console, store: FakeStore) -> None:
    error = Unreachable(f"{store.label} cannot be reached", hint="start it", code="store.unreachable")
    store.aspects = [Aspect(name="access", standing="bad", said="no answer", evidence="asked", error=error)]

    lines = console.run("state", "endpoint").out.splitlines()

    assert lines[0] == store.label
    assert not [line for line in lines[1:] if f"{store.label}: {store.label}" in line]
    assert f"✗  {store.label} cannot be reached" in lines


def test_a_store_that_nobody_asked_is_not_said_to_refuse_a_listing(console: Console, store: FakeStore) -> None:
    error = ConfigError("the extra is not installed", hint="install it", code="store.extra_missing")
    store.aspects = [no_access(error)]

    run = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET)

    assert run.code == 2
    assert "not tried: the store was not asked" in run.out
    assert "does not list" not in run.out


@pytest.mark.parametrize(
    "error",
    [
        AccessDenied("the store refused us", code="store.access_denied"),
        ServiceError("the store failed", detail="500 InternalError", code="store.fault"),
        Refused("it has one already", code="store.exists"),
    ],
)
def test_a_trial_that_could_not_write_ends_as_a_store_that_refuses_us(console: Console, error: ConsoleError) -> None:
    store = _Trial()
    store.aspects, store.errors["put"] = [ACCESS], error
    console = replace(console, store=store)

    run = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET)
    data = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET, "--json")

    assert run.code == data.code == 3
    assert "If-None-Match: not known, could not write the scratch key" in run.out
    assert "not tried: nothing could be written" in run.out
    assert data.error["code"] == error.code
    assert console.run("state", "endpoint").code == 0


def test_nothing_that_is_refused_is_offered(console: Console, store: FakeStore) -> None:
    store.aspects = [ACCESS]

    assert "--try-writes" in console.run("state", "endpoint").err
    assert "--try-writes" not in console.run("state", "endpoint", "--read-only").err


class _Trying(FakeExaminer):
    """Tries as on a real store."""

    def try_writes(self, key: str) -> AsyncGenerator[Aspect, None]:
        return MadeTrial(self._on, key).run()

    def __init__(self, store: FakeStore) -> None:
        super().__init__(store)
        self._on = store


class _Trial(FakeStore):
    @property
    def examiner(self) -> FakeExaminer:
        return _Trying(self)


class _Interrupted(FakeStore):
    """Somebody types ^C while the first write is under way, and the store is silent from then on."""

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        self.hang.shut()
        signal.raise_signal(signal.SIGINT)
        return await super().put(key, content, if_absent=if_absent)

    @property
    def examiner(self) -> FakeExaminer:
        return _Trying(self)


class _Kept(FakeStore):
    """Takes everything and lets nothing go."""

    async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
        raise AccessDenied("the store refused us", detail="403 AccessDenied", code="store.access_denied")

    @property
    def examiner(self) -> FakeExaminer:
        return _Trying(self)


def test_a_trial_whose_scratch_key_stays_shows_the_card_and_then_the_error(console: Console) -> None:
    store = _Kept()
    store.aspects = [ACCESS, OFF]
    console = replace(console, store=store)

    run = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET)
    data = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET, "--json")

    assert run.code == data.code == 3
    assert "versioning is off" in run.out
    assert "objects cannot be deleted" in run.out
    assert "could not be removed" in run.err
    assert data.error["code"] == "store.scratch_left"
    assert {"access", "versioning", "delete"} <= {aspect["name"] for aspect in data.envelope["data"]["aspects"]}


def test_an_interrupted_trial_names_the_scratch_key_that_may_be_left(console: Console) -> None:
    store = _Interrupted()
    store.aspects = [ACCESS]
    console = replace(console, store=store)

    run = console.run("state", "endpoint", "--try-writes", "--confirm", BUCKET)

    assert run.code == 130
    assert "the scratch key kumoss-console-scratch/" in run.err
    assert "may be left in kumoss-terraform-state" in run.err


def test_a_rule_that_deletes_states_is_an_error_and_one_that_deletes_old_versions_a_remark(
    console: Console, store: FakeStore
) -> None:
    rules = (
        LifecycleRule(name="tidy", prefix="", expire_days=30, expire_old_days=None),
        LifecycleRule(name="old", prefix="", expire_days=None, expire_old_days=90),
    )
    store.aspects = [Aspect(name="lifecycle", standing="bad", said="2 that delete", evidence="asked", rules=rules)]

    run = console.run("state", "endpoint", "--json")

    assert [(finding["code"], finding["severity"]) for finding in run.data["findings"]] == [
        ("endpoint.lifecycle_deletes_states", "error"),
        ("endpoint.lifecycle_deletes_versions", "info"),
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_answers_leave_the_terminal_alone(console: Console, store: FakeStore, text: str) -> None:
    store.aspects = [Aspect(name="identity", standing="plain", said=text, evidence=text)]

    run = console.run("state", "endpoint")

    assert "\x1b" not in run.out + run.err
    assert "\u202e" not in run.out + run.err


def test_the_overview_tells_what_endangers_states_in_this_store(console: Console, store: FakeStore) -> None:
    rule = LifecycleRule(name="tidy", prefix="", expire_days=30, expire_old_days=None)
    store.aspects = [
        ACCESS,
        OFF,
        Aspect(name="lifecycle", standing="bad", said="1 that deletes", evidence="asked", rules=(rule,)),
    ]

    run = console.run("overview", "--json")

    lines = [(line["severity"], line["view"]) for line in run.data["attention"]]
    assert {("error", "endpoint"), ("warning", "endpoint")} <= set(lines)
    assert run.code == 1
