"""``state versions``, ``state diff`` and ``state restore-plan`` over a store that keeps versions."""

from __future__ import annotations

import asyncio
import json
import shlex
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.errors import AccessDenied, ServiceError
from kumoss_console.journal import Journal
from kumoss_console.model.contract import ApplyRequest, CloudProvider
from kumoss_console.model.job import ServicePlane
from tests.cli.conftest import DIGEST
from tests.cli.harness import Console
from tests.fakes.clock import START
from tests.fakes.store import FakeStore
from tests.histories import LINEAGE, SECRET, document, keep
from tests.hostile import HOSTILE

KEY = f"{DIGEST}/terraform.tfstate"


def test_the_history_is_newest_first_with_serials_and_the_marks_of_deletions(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a", "b"), None, document(2, "a"))

    run = console.run("state", "versions", DIGEST, "--json")

    assert run.code == 0
    assert [(row["number"], row["version_id"], row["kind"], row["serial"], row["latest"]) for row in run.data["versions"]] == [
        (1, "v3", "version", 3, True),
        (2, "v2", "delete_marker", None, False),
        (3, "v1", "version", 2, False),
    ]
    assert run.data["key"] == KEY


def test_a_history_that_changes_its_lineage_ends_with_1_and_says_where(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(1, "a", lineage="another"), document(9, "a"))

    run = console.run("state", "versions", KEY)

    assert run.code == 1
    assert "two projects write over each other" in run.out
    assert run.out.splitlines()[0].split() == ["#", "SERIAL", "MODIFIED", "SIZE", "ENGINE", "VERSION", "NOTE"]


def test_a_key_that_was_never_there_is_an_answer_and_a_store_without_versions_is_none(console: Console, store: FakeStore) -> None:
    assert console.run("state", "versions", KEY).code == 1
    store.errors["versions"] = ServiceError("the store does not list versions", code="store.versions_unsupported")

    run = console.run("state", "versions", KEY, "--json")

    assert run.code == 3
    assert run.error["code"] == "store.versions_unsupported"


def test_one_version_that_cannot_be_read_does_not_hide_the_others(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(2, "a"), document(1, "a"))
    store.errors["fetch"] = AccessDenied("the store refused us", code="store.access_denied")

    run = console.run("state", "versions", KEY, "--json")

    assert [row["error"]["code"] for row in run.data["versions"]] == ["store.access_denied"] * 2
    assert [finding["code"] for finding in run.data["findings"]] == ["history.unread"]


def test_the_newest_is_compared_with_the_one_before_it(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a", "b"), None, document(2, "a", "c"))

    run = console.run("state", "diff", KEY, "--json")

    assert run.code == 1
    assert [(change["action"], change["address"]) for change in run.data["changes"]] == [
        ("removed", "aws_vpc.c"),
        ("added", "aws_vpc.b"),
    ]
    assert (run.data["before"]["serial"], run.data["after"]["serial"]) == (2, 3)


def test_no_secret_is_in_a_difference_of_secrets(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a", secret="correct-horse-battery"), document(2, "a"))

    for arguments in (("--json",), ()):
        run = console.run("state", "diff", KEY, "v1", "v2", *arguments)
        assert run.code == 1
        assert "pin" in run.out
        assert SECRET not in run.out + run.err
        assert "correct-horse" not in run.out + run.err


def test_two_keys_and_two_files_are_compared_alike(console: Console, store: FakeStore) -> None:
    one, other = document(2, "a"), document(2, "a", "b")
    keep(store, KEY, one)
    keep(store, "other/terraform.tfstate", other)
    Path("one").write_bytes(one)
    Path("other").write_bytes(other)

    keys = console.run("state", "diff", KEY, "--with", "other/terraform.tfstate", "--json")
    files = console.run("state", "diff", "--file", "one", "--file", "other", "--json")

    assert keys.code == files.code == 1
    assert keys.data["changes"] == files.data["changes"] != []


def test_equal_states_end_with_0(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a"), document(2, "a"))

    run = console.run("state", "diff", KEY)

    assert run.code == 0
    assert "no object differs · 1 object the same" in run.err


def test_what_differs_beside_the_objects_is_named_and_ends_with_1(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a").replace(b"1.9.0", b"1.11.4"), document(2, "a"))

    run, data = console.run("state", "diff", KEY), console.run("state", "diff", KEY, "--json")

    assert (run.code, data.code) == (1, 1)
    assert data.data["notes"] == ["written by engine 1.9.0 → 1.11.4"]
    assert "written by engine 1.9.0 → 1.11.4" in run.out
    assert "no object differs · 1 difference beside them" in run.err


@pytest.mark.parametrize("asked", ["v", "#9", "nonsense", "v2", ""])
def test_a_version_that_names_none_or_several_or_nothing_is_refused_before_anything_is_read(
    console: Console, store: FakeStore, asked: str
) -> None:
    keep(store, KEY, document(3, "a"), None, document(2, "a"))

    run = console.run("state", "diff", KEY, asked, "newest", "--json")

    assert run.code == 2
    assert run.error["hint"]
    assert not [call for call in store.calls if call[0] == "fetch"]


def test_a_restore_is_planned_with_the_next_serial_and_names_what_would_be_unmanaged(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a", "b"), document(2, "a"))

    run = console.run("state", "restore-plan", KEY, "previous", "--json")

    assert run.code == 0
    assert (run.data["serial"], run.data["lineage"]) == (4, LINEAGE)
    assert run.data["unmanaged"] == [{"address": "aws_vpc.b", "type": "aws_vpc", "id": "vpc-b", "deposed": None}]
    assert " && TF_WORKSPACE=default terraform state push - < restored-" in run.data["commands"][1]
    assert SECRET not in run.out
    assert {call[0] for call in store.calls} <= {"versions", "fetch"}


def test_a_held_lock_stands_in_the_way_and_an_unknown_one_is_said(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a", "b"), document(2, "a"))
    store.objects[f"{KEY}.tflock"] = b"{}"
    held = console.run("state", "restore-plan", KEY, "v1", "--json")
    store.errors[f"{KEY}.tflock"] = AccessDenied("the store refused us")
    unknown = console.run("state", "restore-plan", KEY, "v1", "--json")

    assert held.code == 1
    assert (held.data["locked"], unknown.data["locked"]) == (True, None)
    assert unknown.data["findings"][0]["code"] == "restore.lock_unknown"


def test_what_is_to_be_pushed_is_written_only_where_nothing_is_and_only_for_its_owner(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a", "b"), document(2, "a"))

    written = console.run("state", "restore-plan", KEY, "#2", "--write", "restored.tfstate")
    again = console.run("state", "restore-plan", KEY, "#2", "--write", "restored.tfstate", "--json")

    file = Path("restored.tfstate")
    assert written.code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_bytes())["serial"] == 4
    assert SECRET in file.read_text()
    assert again.code == 5


def test_a_document_that_was_written_ends_with_0_whatever_is_told_beside_it(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a"), document(2, "a", "b", lineage="another"))

    planned = console.run("state", "restore-plan", KEY, "#2", "--json")
    written = console.run(*shlex.split(planned.data["commands"][0])[1:3], "--json", *shlex.split(planned.data["commands"][0])[3:])

    assert planned.code == 1
    assert written.code == 0
    assert "restore.other_lineage" in [finding["code"] for finding in written.data["findings"]]
    [prepared] = Path().glob("restored-*.tfstate")
    assert json.loads(prepared.read_bytes())["serial"] == 4


def test_nothing_is_prepared_while_a_lock_is_held(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a", "b"), document(2, "a"))
    store.objects[f"{KEY}.tflock"] = b"{}"

    run = console.run("state", "restore-plan", KEY, "#2", "--write", "restored.tfstate", "--json")

    assert (run.code, run.error["code"]) == (5, "restore.locked")
    assert not Path("restored.tfstate").exists()


def test_what_was_planned_on_another_version_is_not_written(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a", "b"), document(2, "a"))
    planned = console.run("state", "restore-plan", KEY, "#2", "--json").data["commands"][0]
    keep(store, KEY, document(4, "c"), document(3, "a", "b"), document(2, "a"))

    run = console.run(*shlex.split(planned)[1:])

    assert run.code == 5
    assert "since then came version v3" in run.err
    assert not list(Path().glob("restored*"))


def test_the_newest_version_is_nothing_to_go_back_to_unless_it_was_deleted(console: Console, store: FakeStore) -> None:
    keep(store, KEY, document(3, "a"), document(2, "a"))
    assert console.run("state", "restore-plan", KEY, "v2").code == 2

    keep(store, KEY, None, document(3, "a"), document(2, "a"))
    run = console.run("state", "restore-plan", KEY, "v2", "--json")

    assert run.code == 0
    assert [finding["code"] for finding in run.data["findings"]] == ["restore.deleted"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_addresses_and_versions_leave_the_terminal_alone(console: Console, store: FakeStore, text: str) -> None:
    keep(store, KEY, document(3, text), document(2, "a", lineage=text))

    for arguments in (("versions", KEY), ("diff", KEY), ("restore-plan", KEY, "v1")):
        run = console.run("state", *arguments)
        assert "\x1b" not in run.out + run.err
        assert "\u202e" not in run.out + run.err


def test_one_of_two_documents_may_come_from_stdin_and_equal_ones_end_with_0(console: Console) -> None:
    Path("one").write_bytes(document(2, "a"))
    same = console.run("state", "diff", "--file", "-", "--file", "one", "--json", stdin=document(9, "a"))
    other = console.run("state", "diff", "--file", "one", "--file", "-", "--json", stdin=document(3, "a", "b"))

    assert (same.code, same.data["changes"]) == (0, [])
    assert (other.code, [change["address"] for change in other.data["changes"]]) == (1, ["aws_vpc.b"])


def test_stdin_cannot_be_both_sides(console: Console) -> None:
    run = console.run("state", "diff", "--file", "-", "--file", "-", "--json", stdin=document(1, "a"))
    assert (run.code, run.error["code"]) == (2, "usage")


HOSTILE_DOCUMENTS = [
    b"",
    b"\x00" * 64,
    b"<html>\x1b]0;owned\x07</html>",
    b'{"version": 4, "serial": 1, "lineage": "\x1b[31m"',
    b'{"version": 3, "serial": 1, "lineage": "l", "modules": []}',
    b'{"version": 4, "serial": 1, "lineage": "l", "resources": {"a": 1}}',
    b"[" * 100_000,
    b'{"version": 4, "serial": 1, "lineage": "l", "outputs": {}, "resources": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    b'{"meta": {"key_provider": "x"}, "serial": 3, "lineage": "l", "encrypted_data": "AAAA", "encryption_version": "v0"}',
]


@pytest.mark.parametrize("content", HOSTILE_DOCUMENTS, ids=range(len(HOSTILE_DOCUMENTS)))
def test_what_is_no_state_is_refused_with_a_reason_and_shown_as_text(console: Console, content: bytes) -> None:
    Path("one").write_bytes(document(2, "a"))
    Path("other").write_bytes(content)

    run = console.run("state", "diff", "--file", "one", "--file", "other", "--json")

    assert run.code == 1
    assert run.error["code"] == "state.not_comparable"
    assert run.error["hint"]
    assert "\x1b" not in run.out + run.err


def test_the_job_that_ran_then_is_told_in_the_table_and_as_data(console: Console, store: FakeStore) -> None:
    console.journal_file.parent.mkdir(parents=True, exist_ok=True)
    started = START - timedelta(minutes=1)
    request = ApplyRequest(workspace_path="/w", scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="p")
    identifier = UUID("3f2504e0-4f89-11d3-9a0c-0305e82c3301")

    async def ran() -> None:
        journal = Journal.open(console.journal_file)
        entry = await journal.record("prod", request, started)
        await journal.accept(entry, identifier, started)
        job = await journal.by_entry(entry)
        assert job is not None
        ended = replace(job, service=ServicePlane.ANSWERED, started=started, finished=START, exit_code=0)
        await journal.save(ended)
        journal.close()

    asyncio.run(ran())
    keep(store, KEY, document(3, "a"), document(2, "a"), at=START - timedelta(seconds=30))

    table, data = console.run("state", "versions", KEY), console.run("state", "versions", KEY, "--json")

    assert "likely by apply 3f2504e0" in table.out
    assert data.data["versions"][0]["job"] == {"job_id": str(identifier), "kind": "apply", "proven": False}
    assert data.data["versions"][1]["job"] is None


def test_no_value_makes_a_line_of_its_own(console: Console, store: FakeStore) -> None:
    forged = "a\n-   aws_vpc.forged  vpc-forged\n#"
    changed = json.loads(document(3, "a"))
    changed["resources"][0]["name"] = forged
    changed["resources"][0]["instances"][0]["attributes"]["id"] = forged
    changed["outputs"] = {forged: {"value": forged, "type": "string"}}
    keep(store, KEY, json.dumps(changed).encode(), document(2, "a"))

    for arguments in (("diff", KEY), ("restore-plan", KEY, "v1")):
        run = console.run("state", *arguments)
        assert "forged" in run.out
        assert not [line for line in run.out.splitlines() if line.startswith(("-   aws_vpc.forged", "#\n"))]
