"""``jobs export`` and ``jobs import``: the journal carried to another console, without the secrets."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from kumoss_console.model.journal import JournalSettings
from kumoss_console.ports.sidecar import SubmissionUnclear
from tests.cli.conftest import SCOPE, TOKEN
from tests.cli.harness import Console
from tests.fakes.sidecar import FakeSidecar
from tests.hostile import HOSTILE

WORKSPACE = "/workspaces/my-iac_a1b2"
VALIDATE = ("jobs", "submit", "validate", "--workspace", WORKSPACE)
SHOW = ("jobs", "submit", "show", "--workspace", WORKSPACE, "--plan-file", "p")
PLAN = {
    "format_version": "1.2",
    "variables": {"admin": {"value": "variable-secret"}},
    "planned_values": {"root_module": {"resources": [{"values": {"seed": "planned-secret"}}]}},
    "resource_changes": [
        {
            "address": "a.b",
            "change": {
                "actions": ["create"],
                "after": {"name": "db", "seed": "marked-secret", "list": ["x", "list-secret"], "password": "named-secret"},
                "after_sensitive": {"seed": True, "list": [False, True]},
            },
        }
    ],
    "output_changes": {"o": {"actions": ["create"], "after": "output-secret", "after_sensitive": True}},
}


def ended(console: Console, sidecar: FakeSidecar, argv: tuple[str, ...], stdout: str = "", stderr: str = "") -> str:
    job_id: str = console.run(*argv, "--json").data["job_id"]
    sidecar.answer(UUID(job_id), 1, stdout, stderr)
    assert console.run("jobs", "show", job_id).code == 1
    return job_id


def exported(console: Console, *options: str) -> bytes:
    run = console.run("jobs", "export", *options)
    assert run.code == 0
    return run.stdout


def other(console: Console, tmp_path: Path) -> Console:
    """Another console with a journal of its own."""
    return Console(
        contexts=console.contexts,
        sidecar=FakeSidecar(console.clock),
        store=None,
        clock=console.clock,
        journal_file=tmp_path / "other.sqlite3",
    )


def test_a_journal_goes_to_another_console_with_its_output(console: Console, sidecar: FakeSidecar, tmp_path: Path) -> None:
    job_id = ended(console, sidecar, VALIDATE, "out", "Error: no")
    there = other(console, tmp_path)

    run = there.run("jobs", "import", "-", "--json", stdin=exported(console))

    assert (run.code, run.data) == (0, {"added": 1, "completed": 0, "known": 0, "contexts": ["prod"]})
    shown = there.run("jobs", "show", job_id, "--offline", "--json").data
    assert (shown["exit_code"], shown["stdout"], shown["stderr"]) == (1, "out", "Error: no")
    assert there.sidecar.calls == []


def test_importing_twice_adds_nothing_and_an_end_completes_what_is_open_here(
    console: Console, sidecar: FakeSidecar, tmp_path: Path
) -> None:
    job_id = console.run(*VALIDATE, "--json").data["job_id"]
    there = other(console, tmp_path)
    early = exported(console)
    assert there.run("jobs", "import", "-", "--json", stdin=early).data["added"] == 1
    assert there.run("jobs", "import", "-", "--json", stdin=early).data["known"] == 1

    sidecar.answer(UUID(job_id), 0, "done")
    console.run("jobs", "list")
    assert there.run("jobs", "import", "-", "--json", stdin=exported(console)).data["completed"] == 1
    assert there.run("jobs", "import", "-", "--json", stdin=early).data["known"] == 1
    assert there.run("jobs", "show", job_id, "--offline", "--json").data["stdout"] == "done"


def test_a_submission_without_an_answer_travels_as_one_and_is_not_doubled(
    console: Console, sidecar: FakeSidecar, tmp_path: Path
) -> None:
    sidecar.errors["submit"] = SubmissionUnclear("sent, no answer")
    console.run(*VALIDATE)
    there = other(console, tmp_path)
    for _ in range(2):
        there.run("jobs", "import", "-", stdin=exported(console))
    [row] = there.run("jobs", "list", "--json").data
    assert (row["job_id"], row["summary"]) == (None, "sent, no answer")
    assert there.sidecar.calls == []


def test_secrets_stay_here_unless_they_are_asked_for(console: Console, sidecar: FakeSidecar) -> None:
    ended(console, sidecar, SHOW, json.dumps(PLAN))
    ended(console, sidecar, VALIDATE, f"the token is {TOKEN}", "password = hunter2-hunter2")

    clean, whole = exported(console).decode(), exported(console, "--reveal").decode()

    for secret in ("planned-secret", "named-secret", "hunter2"):
        assert secret not in clean
        assert secret in whole
    # What an engine marks as sensitive, and our own token, never got as far as the journal.
    for secret in (*(f"{name}-secret" for name in ("variable", "marked", "list", "output")), TOKEN):
        assert secret not in clean + whole
    shown = json.loads(json.loads(clean.splitlines()[0])["stdout"])
    assert shown["resource_changes"][0]["change"]["after"]["name"] == "db"


def test_output_is_left_out_on_request(console: Console, sidecar: FakeSidecar) -> None:
    job_id = ended(console, sidecar, VALIDATE, "out")
    ended(console, sidecar, VALIDATE, "other")
    [line] = [json.loads(line) for line in exported(console, job_id, "--no-output").splitlines()]
    assert (line["job_id"], line["stdout"], line["output_bytes"]) == (job_id, "", 3)


@pytest.mark.parametrize(
    "damaged",
    [
        b"not json",
        b"[]",
        b"{}",
        b'{"job_id": "x"}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_damaged_line_imports_nothing_and_is_named(
    console: Console, sidecar: FakeSidecar, tmp_path: Path, damaged: bytes
) -> None:
    ended(console, sidecar, VALIDATE)
    there = other(console, tmp_path)
    run = there.run("jobs", "import", "-", "--json", stdin=exported(console) + damaged)
    assert (run.code, run.error["code"]) == (2, "journal.bad_line")
    assert "line 2" in run.error["title"]
    assert there.run("jobs", "list", "--json").data == []


@pytest.mark.parametrize(
    "change",
    [
        {"exit_code": None},
        {"service": "running"},
        {"submitted": "2026-01-02T03:04:05"},
        {"submitted": "0001-01-01T00:00:00Z"},
        {"job_id": "7f3"},
        {"kind": "destroy"},
    ],
)
def test_a_line_that_makes_no_sense_is_refused(
    console: Console, sidecar: FakeSidecar, tmp_path: Path, change: dict[str, object]
) -> None:
    ended(console, sidecar, VALIDATE)
    line = json.dumps(json.loads(exported(console)) | change).encode()
    assert other(console, tmp_path).run("jobs", "import", "-", stdin=line).code == 2


def test_jobs_of_a_context_that_is_not_known_here_are_kept_and_said_to_be(console: Console, tmp_path: Path) -> None:
    console.run(*VALIDATE)
    line = json.dumps(json.loads(exported(console)) | {"context": "elsewhere", "job_id": str(uuid4())}).encode()
    file = tmp_path / "journal.ndjson"
    file.write_bytes(line + b"\n\n")
    run = console.run("jobs", "import", str(file), "--json")
    assert run.data["contexts"] == ["elsewhere"]
    assert "elsewhere" in run.envelope["warnings"][0]
    assert len(console.run("jobs", "export", "--all-contexts").items) == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_goes_through_unharmed_and_is_never_obeyed(
    console: Console, sidecar: FakeSidecar, tmp_path: Path, text: str
) -> None:
    job_id = ended(console, sidecar, VALIDATE, text)
    raw = exported(console, "--reveal")
    assert not any(char in raw.decode() for char in "\x1b\x9b\u202e\r")
    there = other(console, tmp_path)
    assert there.run("jobs", "import", "-", stdin=raw).code == 0
    assert json.loads(there.run("jobs", "export", "--reveal").stdout)["stdout"] == text
    assert job_id in there.run("jobs", "list", "--offline").out


def test_the_scope_is_no_secret(console: Console, sidecar: FakeSidecar) -> None:
    console.run("jobs", "submit", "init", "--workspace", WORKSPACE, "--scope", SCOPE, "--provider", "azure")
    assert SCOPE in exported(console).decode()


def test_an_import_is_held_to_the_journals_limits_and_says_what_went(
    console: Console, sidecar: FakeSidecar, tmp_path: Path
) -> None:
    old = ended(console, sidecar, VALIDATE, "out")
    console.clock.advance(timedelta(days=10).total_seconds())
    young = [ended(console, sidecar, VALIDATE, "x" * 400_000) for _ in range(4)]
    there = other(console, tmp_path)
    there.retention = JournalSettings(max_bytes=2**20, max_age_days=1)

    run = there.run("jobs", "import", "-", "--json", stdin=exported(console))

    assert (run.code, run.data["added"]) == (0, 5)
    [said] = run.envelope["warnings"]
    assert "1 job and 2 outputs let go" in said
    rows = there.run("jobs", "list", "--offline", "--json").data
    assert [row["job_id"] for row in rows] == young[::-1]
    assert there.run("jobs", "show", old, "--offline").code != 0


def test_a_list_holds_the_journal_to_its_limits(console: Console, sidecar: FakeSidecar) -> None:
    ended(console, sidecar, VALIDATE, "out")
    console.retention = JournalSettings(max_age_days=1)
    console.clock.advance(timedelta(days=10).total_seconds())

    assert len(console.run("jobs", "list", "--offline", "--json").data) == 1
    assert console.run("jobs", "list", "--json").data == []
    assert console.run("jobs", "list", "--offline", "--json").data == []
