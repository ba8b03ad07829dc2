"""``state scan``: what is wrong with the bucket, in words and as data."""

from __future__ import annotations

import json

import pytest

from kumoss_console.errors import AccessDenied, ServiceError, Unreachable
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.services.scan.service import STALE_DAYS
from kumoss_console.text import printable
from tests.cli.conftest import DIGEST
from tests.cli.harness import Console
from tests.fakes.clock import START
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE

KEY = f"{DIGEST}/terraform.tfstate"
COPY = f"{'0' * 64}/terraform.tfstate"
EMPTY = f"{'1' * 64}/terraform.tfstate"


def state(serial: int, lineage: str = "7d1e") -> bytes:
    resource = {"mode": "managed", "type": "t", "name": "n", "provider": "p", "instances": [{"attributes": {"id": "x"}}]}
    return json.dumps(
        {"version": 4, "terraform_version": "1.9.0", "serial": serial, "lineage": lineage, "resources": [resource]}
    ).encode()


@pytest.fixture
def filled(store: FakeStore) -> FakeStore:
    store.objects = {KEY: state(41), COPY: state(40), EMPTY: b"", f"{'2' * 64}/terraform.tfstate.tflock": b"{}"}
    return store


@pytest.mark.usefixtures("filled")
def test_copied_and_empty_states_are_errors_and_end_with_1(console: Console) -> None:
    run = console.run("state", "scan", "--json")

    assert run.code == 1
    told = {(finding["code"], finding["key"]) for finding in run.data["findings"] if finding["severity"] == "error"}
    assert told == {("scan.shared_lineage", KEY), ("scan.shared_lineage", COPY), ("scan.empty", EMPTY)}
    assert next(one for one in run.data["findings"] if one["key"] == COPY)["related"] == [KEY]
    assert (run.data["objects"], run.data["heads"], run.data["complete"]) == (4, 3, True)


@pytest.mark.usefixtures("filled")
def test_the_plain_form_tells_each_finding_and_each_way_once(console: Console) -> None:
    run = console.run("state", "scan")

    assert run.out.count("a copied state: its lineage 7d1e is also that of") == 2
    assert f"✗  {KEY} (acme/infra): shared lineage: a copied state: its lineage 7d1e is also that of {'0' * 21}" in run.out
    assert "which is behind 41" in run.out
    assert run.out.count("find out which of them jobs use") == 1
    assert run.err.endswith("4 objects, 3 heads read: 3 errors, 3 warnings\n")


def test_a_sound_bucket_ends_with_0_and_says_so(console: Console, store: FakeStore) -> None:
    store.objects = {KEY: state(1)}

    run = console.run("state", "scan")

    assert (run.code, run.out) == (0, "")
    assert run.err.endswith("1 object, 1 head read: nothing found\n")


@pytest.mark.usefixtures("filled")
def test_the_filter_narrows_what_is_looked_at(console: Console) -> None:
    run = console.run("state", "scan", "--filter", "ACME", "--json")

    assert (run.code, run.data["heads"], run.data["findings"]) == (0, 1, [])


@pytest.mark.usefixtures("filled")
def test_a_filter_that_leaves_nothing_is_no_sound_bucket(console: Console) -> None:
    run = console.run("state", "scan", "--filter", "acmee", "--json")

    assert (run.code, run.data["heads"], run.data["findings"]) == (1, 0, [])
    assert json.loads(run.out)["warnings"] == ["no key and no owner has acmee: nothing was looked at (state list shows the keys)"]
    err = console.run("state", "scan", "--filter", "acmee").err
    assert "no key and no owner has acmee" in err
    assert err.endswith("4 objects, 0 heads read: nothing was looked at\n")


def test_heads_that_could_not_be_read_are_not_counted_as_read(console: Console, store: FakeStore) -> None:
    store.objects = {KEY: state(1), COPY: state(2, "other")}
    store.errors[KEY] = AccessDenied("the store refuses", hint="grant it")

    run = console.run("state", "scan", "--json")
    plain = console.run("state", "scan")

    assert (run.data["heads"], run.data["unread"]) == (1, 1)
    assert "2 objects, 1 head read, 1 could not be read: 1 error" in plain.err


def test_reasons_that_call_for_different_steps_have_each_its_own(console: Console, store: FakeStore) -> None:
    store.objects = {KEY: state(1), COPY: state(2, "other"), EMPTY: state(3, "third")}
    store.errors |= {KEY: AccessDenied("refused", hint="grant it"), COPY: ServiceError("archived", hint="restore it")}
    store.errors[EMPTY] = AccessDenied("refused", hint="grant it")

    out = console.run("state", "scan").out

    assert (out.count("grant it"), out.count("restore it")) == (1, 1)


def test_what_could_not_be_looked_at_is_an_error(console: Console, filled: FakeStore) -> None:
    filled.objects = {KEY: state(1)}
    filled.errors[KEY] = AccessDenied("the store refuses to give it", hint="grant s3:GetObject")

    run = console.run("state", "scan", "--json")

    assert run.code == 1
    assert [(one["code"], one["message"], one["remedy"]) for one in run.data["findings"]] == [
        ("scan.not_looked", "could not be looked at: the store refuses to give it", "grant s3:GetObject")
    ]


def test_a_listing_that_breaks_off_tells_what_it_had_and_ends_with_3(console: Console, filled: FakeStore) -> None:
    filled.errors["pages"] = Unreachable("nobody answers at store.test:9000", hint="doctor")

    run = console.run("state", "scan")

    assert run.code == 3
    assert "whether something is wrong is not known · NOT COMPLETE" in run.err
    assert "nothing found" not in run.err
    assert "nobody answers at store.test:9000" in run.err


def test_a_later_page_that_fails_leaves_the_findings_of_those_before(console: Console, filled: FakeStore) -> None:
    filled.page_size, filled.fail_after_pages, filled.seeks = 3, 1, False
    filled.errors["pages"] = ServiceError("the store asks us to slow down", code="store.throttled")
    run = console.run("state", "scan", "--json")
    assert (run.code, run.error["code"]) == (3, "store.throttled")
    data = json.loads(run.out)["data"]
    assert {one["key"] for one in data["findings"] if one["code"] == "scan.empty"} == {EMPTY}
    plain = console.run("state", "scan")
    assert plain.code == 3
    assert "empty: engines take this for no state" in plain.out
    assert "the store asks us to slow down" in plain.err


def test_versions_show_a_changed_lineage_and_say_where_none_are_kept(console: Console, store: FakeStore) -> None:
    store.objects = {KEY: state(3, "new")}

    def version(name: str, body: bytes) -> tuple[ObjectVersion, bytes]:
        told = ObjectVersion(
            key=KEY, version_id=name, kind="version", latest=name == "v2", size=len(body), modified=START, etag=f'"{name}"'
        )
        return told, body

    store.history[KEY] = [version("v2", state(3, "new")), version("v1", state(9, "old"))]
    changed = console.run("state", "scan", "--versions", "--json")
    store.errors["versions"] = Unreachable("no versions here", code="store.versions_unsupported")
    none = console.run("state", "scan", "--versions", "--json")

    assert changed.code == 1
    assert [one["code"] for one in changed.data["findings"]] == ["scan.lineage_changed"]
    assert "from old to new" in changed.data["findings"][0]["message"]
    assert [(one["code"], one["key"], one["severity"]) for one in none.data["findings"]] == [
        ("scan.no_versions", None, "warning")
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_keys_and_lineages_reach_no_terminal(console: Console, store: FakeStore, text: str) -> None:
    store.objects = {f"a{text}": state(1, text), f"b{text}": state(2, text)}

    run = console.run("state", "scan")

    assert "\x1b" not in run.out + run.err
    assert all(printable(line) == line for line in run.out.split("\n"))


def test_the_help_names_the_days_that_the_scan_takes_by_default(console: Console) -> None:
    assert f"default: {STALE_DAYS};" in console.run("state", "scan", "--help").out
