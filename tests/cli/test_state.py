"""``state``: the bucket's rows, one state in full, and documents at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumoss_console.errors import AccessDenied, ServiceError
from tests.cli.conftest import DIGEST
from tests.cli.harness import Console
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE

KEY = f"{DIGEST}/terraform.tfstate"
ORPHAN = f"{'0' * 64}/terraform.tfstate"
STATE = {
    "version": 4,
    "terraform_version": "1.9.0",
    "serial": 41,
    "lineage": "7d1e4a2c-0000-4000-8000-000000000000",
    "outputs": {
        "url": {"value": "https://x", "type": "string"},
        "pw": {"value": "hunter22", "type": "string", "sensitive": True},
    },
    "resources": [
        {
            "mode": "managed",
            "type": "terraform_data",
            "name": "it",
            "provider": 'provider["terraform.io/builtin/terraform"]',
            "instances": [{"schema_version": 0, "attributes": {"id": "id-1"}}],
        }
    ],
}
LOCK = {
    "ID": "11112222-3333-4444-5555-666677778888",
    "Operation": "OperationTypeApply",
    "Info": "",
    "Who": "ci@runner-7",
    "Version": "1.9.0",
    "Created": "2026-01-02T01:00:00Z",
    "Path": f"kumoss-terraform-state/{KEY}",
}


@pytest.fixture
def filled(store: FakeStore) -> FakeStore:
    store.objects = {
        KEY: json.dumps(STATE).encode(),
        f"{KEY}.tflock": json.dumps(LOCK).encode(),
        ORPHAN: json.dumps(STATE).encode(),
        "readme.txt": b"hello",
    }
    return store


def test_workspaces_and_backups_stand_behind_the_state_they_belong_to(console: Console, store: FakeStore) -> None:
    keys = [KEY, f"env:/blue/{KEY}", f"{KEY}.backup", ORPHAN, "plans/a.tfplan"]
    store.objects = dict.fromkeys(keys, b"{}")
    rows = console.run("state", "list", "--json").data
    told = [(row["key"], row["kind"], row["base"], row["workspace"]) for row in rows]
    assert told == [
        (ORPHAN, "state", ORPHAN, ""),
        (KEY, "state", KEY, ""),
        (f"{KEY}.backup", "backup", KEY, ""),
        (f"env:/blue/{KEY}", "workspace", KEY, "blue"),
        ("plans/a.tfplan", "plan", "plans/a.tfplan", ""),
    ]
    assert "workspace blue" in console.run("state", "list").out


@pytest.mark.usefixtures("filled")
def test_the_list_names_owners_and_locks_in_key_order(console: Console) -> None:
    run = console.run("state", "list", "--json")

    assert run.code == 0
    assert [row["key"] for row in run.data] == [ORPHAN, KEY, "readme.txt"]
    assert run.data[1]["owner"]["name"] == "acme/infra"
    assert [row["locked"] for row in run.data] == [False, True, False]
    assert run.data[1]["modified"] == "2026-01-02T03:04:05Z"


@pytest.mark.usefixtures("filled")
def test_the_plain_list_reads_well_and_counts_on_stderr(console: Console) -> None:
    run = console.run("state", "list")

    lines = run.out.splitlines()
    assert lines[0].split() == ["KEY", "OWNER", "SIZE", "MODIFIED", "NOTE"]
    assert lines[2].startswith(f"{KEY}  acme/infra")
    assert lines[2].endswith("locked")
    assert run.err == "3 shown · 4 objects: 2 states, 1 of unknown owner, 1 locked\n"


@pytest.mark.usefixtures("filled")
def test_a_filter_looks_at_keys_and_owners_whatever_the_letter_case(console: Console) -> None:
    assert [row["key"] for row in console.run("state", "list", "--filter", "ACME", "--json").data] == [KEY]
    assert [row["key"] for row in console.run("state", "list", "--filter", "READ", "--json").data] == ["readme.txt"]
    assert console.run("state", "list", "--filter", "nothing").out == ""


def test_a_stream_sends_every_row_once_and_again_where_a_lock_came_later(console: Console, filled: FakeStore) -> None:
    filled.page_size = 1

    run = console.run("state", "list", "--stream", "--json")

    last = {row["key"]: row for row in run.items}
    assert sorted(last) == sorted([ORPHAN, KEY, "readme.txt"])
    assert last[KEY]["locked"]
    assert len(run.items) in {3, 4}


def test_a_list_whose_later_page_fails_prints_the_rows_before_it_and_ends_with_3(console: Console, filled: FakeStore) -> None:
    filled.page_size, filled.fail_after_pages, filled.seeks = 1, 1, False
    filled.errors["pages"] = ServiceError("the store asks us to slow down", code="store.throttled")
    first = min(filled.objects)
    run = console.run("state", "list", "--json")
    assert (run.code, run.error["code"]) == (3, "store.throttled")
    assert [row["key"] for row in json.loads(run.out)["data"]] == [first]
    plain = console.run("state", "list")
    assert (plain.code, first in plain.out, "NOT COMPLETE" in plain.err) == (3, True, True)
    assert "the store asks us to slow down" in plain.err


def test_a_stream_that_breaks_keeps_what_it_sent_and_ends_with_the_error(console: Console, filled: FakeStore) -> None:
    filled.page_size = 1
    filled.fail_after_pages = 2
    filled.errors["pages"] = AccessDenied("The store said no", hint="ask", code="store.access_denied")

    run = console.run("state", "list", "--stream", "--json")

    assert run.code == 3
    assert run.items[0]["key"] == ORPHAN
    assert run.items[-1] == {
        "ok": False,
        "error": {"code": "store.access_denied", "title": "The store said no", "detail": "", "hint": "ask"},
    }


@pytest.mark.usefixtures("filled")
def test_one_state_by_key_or_by_its_digest_alone(console: Console) -> None:
    by_key, by_digest = console.run("state", "show", KEY, "--json"), console.run("state", "show", DIGEST, "--json")

    assert by_key.stdout == by_digest.stdout
    assert list(by_key.data)[:10] == [
        "kind",
        "readable",
        "format_version",
        "engine_version",
        "serial",
        "lineage",
        "counts",
        "ids",
        "lock",
        "findings",
    ]
    assert by_key.data["serial"] == 41
    assert by_key.data["ids"] == ["id-1"]
    assert by_key.data["lock"]["holder"] == "ci@runner-7"
    assert by_key.data["lock"]["age_seconds"] == 2 * 3600 + 4 * 60 + 5
    assert by_key.data["lock_status"] == "locked"


@pytest.mark.usefixtures("filled")
def test_sensitive_outputs_are_masked_in_both_forms(console: Console) -> None:
    plain, machine = console.run("state", "show", KEY), console.run("state", "show", KEY, "--json")

    assert "hunter22" not in plain.out + machine.out
    assert "https://x" in plain.out
    assert "by ci@runner-7 for apply, 2 h 4 min ago" in plain.out


def test_a_key_that_the_store_does_not_have_is_bad_news_and_not_a_store_that_was_not_reached(console: Console) -> None:
    run = console.run("state", "show", KEY, "--json")

    assert run.code == 1
    assert run.error["code"] == "store.not_found"


def test_a_file_at_hand_asks_no_service(console: Console, isolated: Path, store: FakeStore) -> None:
    (isolated / "old.tfstate").write_text(json.dumps(STATE))

    run = console.run("state", "show", "--file", "old.tfstate", "--json")

    assert run.data["serial"] == 41
    assert run.data["file"] == "old.tfstate"
    assert store.calls == []
    assert console.built == []


def test_a_file_comes_from_stdin_too_and_a_lock_is_read_as_one(console: Console) -> None:
    run = console.run("state", "show", "--file", "-", "--json", stdin=json.dumps(LOCK).encode())

    assert run.data["kind"] == "lock"
    assert run.data["lock"]["id"] == LOCK["ID"]


def test_a_damaged_state_is_bad_news_and_says_why(console: Console) -> None:
    run = console.run("state", "show", "--file", "-", stdin=json.dumps(STATE).encode()[:-20])

    assert run.code == 1
    assert "no: " in run.out


@pytest.mark.parametrize("argv", [(), (KEY, "--file", "x"), ("--file", "absent"), ("--file", "."), ("--file", "")])
def test_what_cannot_be_shown_ends_with_2(console: Console, argv: tuple[str, ...]) -> None:
    run = console.run("state", "show", *argv)

    assert (run.code, run.out) == (2, "")


@pytest.mark.parametrize("key", ["", " ", "../../etc/passwd", "a/./b", "a\0b", "\udcff", "k" * 1025, "é" * 513])
def test_a_key_that_no_object_has_is_refused_by_name_before_the_store_is_asked(
    console: Console, store: FakeStore, key: str
) -> None:
    run = console.run("state", "show", key)

    assert (run.code, run.out) == (2, "")
    assert "KEY " in run.err
    assert store.calls == []


def test_a_key_of_the_greatest_length_is_asked_for(console: Console, store: FakeStore) -> None:
    store.objects = {"k" * 1024: json.dumps(STATE).encode()}

    assert console.run("state", "show", "k" * 1024).code == 0


def test_the_engine_of_a_state_that_does_not_tell_is_either(console: Console) -> None:
    bare = {**STATE, "resources": []}

    run = console.run("state", "show", "--file", "-", stdin=json.dumps(bare).encode())

    assert "engine     terraform or opentofu 1.9.0\n" in run.out


@pytest.mark.parametrize("name", ["l11-dynamodb-items.json", "l12-azurerm-metadata.json", "l16-lock-info-from-stderr.txt"])
def test_a_lock_of_any_mechanism_is_read_from_a_file_of_any_name(console: Console, name: str) -> None:
    file = Path(__file__).parents[1] / "model" / "fixtures" / "state" / name

    run = console.run("state", "show", "--file", str(file), "--json")

    assert run.data["kind"] == "lock"
    assert run.data["lock"]["holder"] == "ops@runner-7"


def test_without_a_bucket_every_command_says_what_to_do_instead(console: Console) -> None:
    console.store = None

    for argv in (("list",), ("list", "--stream"), ("show", KEY)):
        run = console.run("state", *argv)
        assert run.code == 2
        assert "→ " in run.err


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_keys_take_one_line_each_and_are_never_obeyed(console: Console, store: FakeStore, text: str) -> None:
    store.objects = {text: b"{}"}

    for argv in (("list",), ("list", "--stream"), ("list", "--json"), ("list", "--stream", "--json")):
        run = console.run("state", *argv)
        assert run.code == 0
        assert len(run.out.splitlines()) == (2 if argv == ("list",) else 1)
        assert not any(char in run.out for char in "\x1b\x9b\u202e\r")
    assert console.run("state", "list", "--json").data[0]["key"] == text


def test_hostile_states_are_shown_and_never_obeyed(console: Console) -> None:
    for text in HOSTILE:
        state = {**STATE, "lineage": text, "terraform_version": text, "outputs": {text: {"value": text, "type": "string"}}}
        run = console.run("state", "show", "--file", "-", stdin=json.dumps(state).encode())
        assert run.code in {0, 1}
        assert not any(char in run.out for char in "\x1b\x9b\u202e\r")
