"""``doctor`` and ``overview``: the whole context in one answer, whatever of it is alive."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kumoss_console.errors import AccessDenied, Unreachable
from tests.cli.conftest import DIGEST, SECRET_KEY, TOKEN
from tests.cli.harness import Console
from tests.cli.test_state import LOCK, STATE
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore

KEY = f"{DIGEST}/terraform.tfstate"


def test_a_sound_context_ends_with_0_and_every_check_says_what_it_found(console: Console) -> None:
    console.warnings = ("context dev: not this one",)
    plain, machine = console.run("doctor"), console.run("doctor", "--json")

    assert (plain.code, machine.code) == (0, 0)
    assert machine.data["healthy"]
    assert machine.envelope["warnings"] == []
    assert {check["check"] for check in machine.data["checks"]} >= {"configuration", "token", "sidecar", "store", "journal"}
    assert list(machine.data["checks"][0]["findings"][0]) == ["code", "severity", "subject", "message", "remedy"]
    assert plain.out.endswith("prod: Nothing is wrong.\n")
    for secret in (SECRET_KEY, TOKEN):
        assert secret not in plain.out + machine.out


def test_what_is_wrong_ends_with_1_and_stands_beside_its_remedy(console: Console, sidecar: FakeSidecar) -> None:
    sidecar.errors["health"] = Unreachable("nobody answers", hint="start it", code="sidecar.unreachable")

    plain, machine = console.run("doctor"), console.run("doctor", "--json")

    assert (plain.code, machine.code) == (1, 1)
    assert "sidecar        ✗ http://iac.test:8082: nobody answers\n                 → start it\n" in plain.out
    assert machine.envelope["ok"]
    assert not machine.data["healthy"]


def test_the_overview_of_a_sound_context_says_so(console: Console) -> None:
    plain, machine = console.run("overview"), console.run("overview", "--json")

    assert (plain.code, machine.code) == (0, 0)
    assert "Nothing needs attention." in plain.out
    assert machine.data["attention"] == []
    assert machine.data["locks"] == []
    assert {machine.data[part]["status"] for part in ("sidecar", "token", "store")} == {"ok"}


def test_the_overview_names_what_is_dead_and_shows_the_rest(console: Console, sidecar: FakeSidecar, store: FakeStore) -> None:
    sidecar.errors["health"] = sidecar.errors["token_accepted"] = Unreachable("nobody answers", hint="start it")
    store.objects = {KEY: json.dumps(STATE).encode(), f"{KEY}.tflock": json.dumps(LOCK).encode()}

    plain, machine = console.run("overview"), console.run("overview", "--json")

    assert (plain.code, machine.code) == (1, 1)
    assert "✗  nobody answers" in plain.out
    assert "✗  lock on acme/infra held 2 h 4 min by ci@runner-7 (apply)" in plain.out
    assert machine.data["token"]["status"] == "unknown"
    assert machine.data["locks"][0]["lock"]["holder"] == "ci@runner-7"


def test_the_overview_shows_ten_locks_and_counts_the_rest(console: Console, store: FakeStore) -> None:
    for number in range(25):
        key = f"{number:064x}/terraform.tfstate"
        store.objects |= {key: b"{}", f"{key}.tflock": json.dumps(LOCK).encode()}

    plain, machine = console.run("overview"), console.run("overview", "--json")

    assert plain.out.count("lock on ") == 10
    assert "and 15 more: state list" in plain.out
    assert len(machine.data["attention"]) == len(machine.data["locks"]) == 25


def test_a_sidecar_that_asks_for_no_token_is_named_as_one(console: Console, sidecar: FakeSidecar) -> None:
    sidecar.open = True

    overview, doctor = console.run("overview"), console.run("doctor")

    assert "anybody who reaches it may apply" in overview.out
    assert "! http://iac.test:8082: asks for no token: anybody who reaches it may apply" in doctor.out
    assert "accepted" not in doctor.out


def test_what_is_merely_not_there_gets_no_check_mark(console: Console) -> None:
    console.environ["PATH"] = ""

    lines = console.run("doctor").out.splitlines()

    absent = [line for line in lines if "not installed" in line or "none here" in line]
    assert all("·" in line and "✓" not in line for line in absent)
    assert any("✓" in line for line in lines)


def test_the_overview_of_a_dead_store_still_has_its_jobs(console: Console, store: FakeStore) -> None:
    store.errors["check"] = store.errors["pages"] = AccessDenied("The store said no", hint="ask")
    console.run("jobs", "submit", "validate", "--workspace", "/w")

    run = console.run("overview", "--json")

    assert run.code == 1
    assert run.data["jobs"]["queued"] == 1
    assert run.data["locks"] is None
    assert [line["view"] for line in run.data["attention"]] == ["bucket"]


@pytest.mark.parametrize("command", ["doctor", "overview"])
def test_services_that_hang_are_silent_and_not_waited_for(
    console: Console, sidecar: FakeSidecar, store: FakeStore, command: str
) -> None:
    console.contexts = tuple(
        replace(context, storage=replace(context.storage, connect_timeout=0.05)) for context in console.contexts
    )
    sidecar.hang.shut()
    store.errors["check"] = store.errors["pages"] = Unreachable("refused", hint="start it")

    run = console.run(command)

    assert run.code == 1
    assert "did not answer within 0.5 s" in run.out
