from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kumoss_console.errors import Unreachable
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Severity
from kumoss_console.services.keys.service import KeyService
from kumoss_console.services.keys.whatif import WhatIf
from tests.fakes.store import FakeStore

REPO = "https://github.com/acme/infra"
RENAMED = "https://github.com/acme/platform"


def state(serial: int, lineage: str = "7d1e") -> bytes:
    return json.dumps(
        {"version": 4, "terraform_version": "1.11.4", "serial": serial, "lineage": lineage, "outputs": {}, "resources": []}
    ).encode()


def renamed(keys: KeyService) -> WhatIf:
    return keys.what_if(keys.explain(REPO, "prod", "envs"), RENAMED, "prod", "envs")


async def looked(store: FakeStore, what_if: WhatIf) -> tuple[str, Severity, str]:
    facts = await KeyService(Context(name="prod"), store).check(what_if.before, what_if.after.object_key)
    verdict = what_if.verdict({fact.object_key: fact for fact in facts})
    return verdict.code.removeprefix("key.what_if_"), verdict.severity, f"{verdict.message} {verdict.remedy}"


@pytest.mark.parametrize(
    ("before", "after", "expected", "severity", "says"),
    [
        (None, None, "nothing", Severity.INFO, "nothing exists under either key"),
        (state(41), None, "left_behind", Severity.ERROR, "(serial 41) stays behind"),
        (None, state(7), "found", Severity.INFO, "under the new key (serial 7)"),
        (state(41), state(43), "copied", Severity.WARNING, "the same state is under both keys: serial 41"),
        (state(41), state(7, "other"), "two_states", Severity.ERROR, "two different states exist"),
        (b"no state", state(7), "two_states", Severity.ERROR, "its serial is not known"),
    ],
)
async def test_the_verdict_follows_from_what_exists_at_both_keys(
    before: bytes | None, after: bytes | None, expected: str, severity: Severity, says: str
) -> None:
    what_if = renamed(KeyService(Context(name="prod"), None))
    store = FakeStore({key: body for key, body in zip(what_if.keys, (before, after), strict=True) if body is not None})
    code, found, text = await looked(store, what_if)
    assert (code, found) == (expected, severity)
    assert says in text


async def test_a_key_that_could_not_be_looked_at_gives_no_all_clear() -> None:
    what_if = renamed(KeyService(Context(name="prod"), None))
    store = FakeStore()
    store.errors[what_if.after.object_key] = Unreachable("the store went away")
    code, severity, text = await looked(store, what_if)
    assert (code, severity) == ("not_known", Severity.WARNING)
    assert "new key could not be looked at" in text


def test_without_a_look_the_new_key_is_a_warning_and_names_what_changed() -> None:
    keys = KeyService(Context(name="prod"), None)
    what_if = keys.what_if(keys.explain(REPO, "prod", "envs"), RENAMED, "other", "envs")
    assert what_if.changed == ("repo", "scope")
    assert "the repo and the scope" in what_if.verdict().message
    assert what_if.verdict().severity is Severity.WARNING


def test_a_change_that_the_key_does_not_see_changes_nothing() -> None:
    keys = KeyService(Context(name="prod"), None)
    what_if = keys.what_if(keys.explain(REPO, "prod", "envs"), "https://ops@GitHub.com:8443/Acme/infra?ref=x", "PROD", "/envs/")
    assert (what_if.same_key, what_if.changed) == (True, ())
    assert what_if.verdict().code == "key.what_if_same_key"


async def test_a_key_that_is_both_twin_and_answer_is_asked_for_once() -> None:
    store = FakeStore()
    keys = KeyService(Context(name="prod"), store)
    what_if = keys.what_if(keys.explain(REPO, "prod", ""), REPO, "prod", ".")
    facts = await keys.check(what_if.before, what_if.after.object_key)
    assert len(facts) == len({fact.object_key for fact in facts})
    assert what_if.after.object_key in {fact.object_key for fact in facts}


def test_the_data_survives_json_and_names_old_and_new() -> None:
    data = renamed(KeyService(replace(Context(name="prod")), None)).as_data()
    assert json.loads(json.dumps(data)) == data
    assert data["changed"] == ["repo"]
    assert data["normalised"]["repo"] == "github.com/acme/platform"
    assert data["object"] is None
