"""``jobs``: submitted once, watched to the end, and how it ends is the exit code."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from kumoss_console.errors import AccessDenied, BadAnswer, ServiceError, Unreachable
from kumoss_console.model.contract import Accepted, JobDocument, JobKind, SubmitRequest
from kumoss_console.ports.sidecar import Busy
from screens.jobs.draft import question
from tests.cli.conftest import SCOPE
from tests.cli.harness import Console
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.hostile import HOSTILE

WORKSPACE = "/workspaces/my-iac_a1b2"
VALIDATE = ("jobs", "submit", "validate", "--workspace", WORKSPACE)
SCOPED = ("--workspace", WORKSPACE, "--scope", SCOPE, "--provider", "azure")
APPLY = ("jobs", "submit", "apply", *SCOPED, "--plan-file", "session.plan")
IMPORT = ("jobs", "submit", "import", *SCOPED, "--address", "a.b", "--resource-id", "id-1")


class QuickSidecar(FakeSidecar):
    """Moves a job on by one step at each look: queued, running, ended with ``exit_code``."""

    exit_code = 0
    stdout = ""
    stderr = ""
    faulted = False
    stuck = False

    async def job(self, job_id: UUID) -> JobDocument:
        before = await super().job(job_id)
        if self.stuck:
            return before
        if before.started_at is None:
            self.start(job_id)
        elif before.finished_at is None and self.faulted:
            self.fault(job_id, title="Service Unavailable", status=503, detail="Service shut down before the job finished.")
        elif before.finished_at is None:
            self.answer(job_id, self.exit_code, self.stdout, self.stderr)
        return before


@pytest.fixture
def sidecar(clock: FakeClock) -> QuickSidecar:
    return QuickSidecar(clock)


def test_a_submission_is_recorded_sent_once_and_followed_up_by_a_hint(console: Console, sidecar: QuickSidecar) -> None:
    run = console.run(*VALIDATE)

    assert run.code == 0
    assert [type(request).__name__ for request in sidecar.requests] == ["ValidateRequest"]
    job_id = str(next(iter(sidecar.documents)))
    assert job_id in run.out
    assert run.err == f"Follow it with: kumoss-console jobs watch {job_id}\n"
    assert console.run("jobs", "list", "--offline", "--json").data[0]["job_id"] == job_id


def test_the_job_shape_keeps_its_order(console: Console) -> None:
    run = console.run(*VALIDATE, "--json")

    assert list(run.data)[:13] == [
        "job_id",
        "context",
        "kind",
        "workspace",
        "service",
        "exit_code",
        "verdict",
        "summary",
        "created",
        "started",
        "finished",
        "expires",
        "diagnosis",
    ]
    assert {"context": "prod", "kind": "validate", "workspace": WORKSPACE, "service": "queued"}.items() <= run.data.items()


def test_wait_ends_with_the_commands_own_verdict(console: Console, sidecar: QuickSidecar) -> None:
    good = console.run(*VALIDATE, "--wait", "--json")
    sidecar.exit_code, sidecar.stderr = 1, "Error: no"
    bad = console.run(*VALIDATE, "--wait", "--json")

    assert (good.code, good.data["verdict"], good.data["exit_code"]) == (0, "good", 0)
    assert (bad.code, bad.data["verdict"], bad.data["stderr"]) == (1, "bad", "Error: no")
    assert bad.envelope["ok"]
    assert "running" in bad.err


def test_a_service_that_faults_is_bad_news_too(console: Console, sidecar: QuickSidecar) -> None:
    sidecar.faulted = True

    run = console.run(*VALIDATE, "--wait")

    assert run.code == 1
    assert "Service shut down before the job finished." in run.out


def test_a_job_the_service_forgot_ends_with_3_since_nobody_knows_how_it_went(console: Console, sidecar: QuickSidecar) -> None:
    job_id = console.run(*VALIDATE, "--json").data["job_id"]
    sidecar.forget()

    for argv in (("watch", job_id), ("show", job_id)):
        run = console.run("jobs", *argv)
        assert run.code == 3
        assert "lost" in run.out


def test_watch_streams_each_change_of_each_job(console: Console, sidecar: QuickSidecar) -> None:
    ids = [console.run(*VALIDATE, "--json").data["job_id"] for _ in range(2)]

    run = console.run("jobs", "watch", ids[0][:8], ids[1], ids[1], "--json")

    assert run.code == 0
    for job_id in ids:
        states = [item["service"] for item in run.items if item["job_id"] == job_id]
        assert states == ["queued", "running", "answered"]
    assert [line.split()[3] for line in console.run("jobs", "watch", ids[0]).out.splitlines()] == ["answered"]


def test_watch_gives_up_with_4_and_says_that_nothing_was_cancelled(console: Console, sidecar: QuickSidecar) -> None:
    job_id = console.run(*VALIDATE, "--json").data["job_id"]
    sidecar.stuck = True

    plain, machine = console.run("jobs", "watch", job_id), console.run("jobs", "watch", job_id, "--json")

    assert (plain.code, machine.code) == (4, 4)
    assert "the job goes on" in plain.err
    assert machine.items[-1]["error"]["code"] == "jobs.gave_up"


def test_one_failed_job_outweighs_another_that_could_not_be_asked_about(console: Console, sidecar: QuickSidecar) -> None:
    failed, forgotten = (console.run(*VALIDATE, "--json").data["job_id"] for _ in range(2))
    sidecar.exit_code = 1
    sidecar.forget(UUID(forgotten))

    assert console.run("jobs", "watch", forgotten, failed).code == 1


def test_show_prints_the_whole_output_and_hides_no_failure(console: Console, sidecar: QuickSidecar) -> None:
    sidecar.exit_code, sidecar.stdout, sidecar.stderr = 1, "line\n" * 3000, "│ Error: \x1b[31mred\x1b[0m"
    job_id = console.run(*VALIDATE, "--wait", "--json").data["job_id"]

    run = console.run("jobs", "show", job_id[:6])

    assert run.code == 1
    assert run.out.count("\nline") == 3000
    assert "│ Error: ␛[31mred␛[0m" in run.out
    assert console.run("jobs", "show", job_id, "--json").data["stdout"] == sidecar.stdout


def test_the_list_is_newest_first_and_ends_well_whatever_the_jobs_did(console: Console, sidecar: QuickSidecar) -> None:
    sidecar.exit_code = 1
    for kind in ("validate", "state_resource_ids"):
        console.run("jobs", "submit", kind, "--workspace", WORKSPACE, "--wait")

    plain, machine = console.run("jobs", "list"), console.run("jobs", "list", "--json", "--limit", "1")

    assert (plain.code, machine.code) == (0, 0)
    assert [row["kind"] for row in machine.data] == ["state_resource_ids"]
    assert plain.out.splitlines()[0].split() == ["STATE", "KIND", "WORKSPACE", "AGE", "RUN", "SUMMARY", "JOB", "ID"]
    assert "answered 1" in plain.out


def test_an_empty_journal_prints_nothing_on_stdout(console: Console) -> None:
    assert console.run("jobs", "list").out == ""
    assert console.run("jobs", "list", "--json").data == []


def test_a_dead_sidecar_ends_a_submission_with_3_and_the_rows_say_what_is_not_known(
    console: Console, sidecar: QuickSidecar
) -> None:
    job_id = console.run(*VALIDATE, "--json").data["job_id"]
    sidecar.errors["submit"] = sidecar.errors["job"] = Unreachable("nobody answers", hint="start it", code="sidecar.unreachable")

    submitted = console.run(*VALIDATE, "--json")
    listed, shown = console.run("jobs", "list", "--json"), console.run("jobs", "show", job_id, "--json")

    assert (submitted.code, submitted.error["code"]) == (3, "sidecar.unreachable")
    assert listed.code == 0
    assert {row["service"] for row in listed.data} == {"faulted", "unknown"}
    assert shown.code == 3
    assert "nobody answers" in shown.envelope["warnings"][0]


@pytest.mark.parametrize(
    "error",
    [
        Unreachable("nobody answers", hint="start it", code="sidecar.unreachable"),
        AccessDenied("it does not accept the token", hint="set it", code="sidecar.access_denied"),
        BadAnswer("it answered nonsense", hint="look at its address", code="sidecar.bad_answer"),
        Busy("it asks for patience", hint="wait", code="sidecar.busy"),
    ],
    ids=lambda error: str(error.code),
)
def test_show_list_and_watch_say_the_same_of_a_job_that_cannot_be_asked_about(
    console: Console, sidecar: QuickSidecar, error: ServiceError
) -> None:
    job_id = console.run(*VALIDATE, "--json").data["job_id"]
    sidecar.errors["job"] = error

    shown, listed = console.run("jobs", "show", job_id, "--json"), console.run("jobs", "list", "--json")
    read = console.run("jobs", "show", job_id)

    assert (shown.code, read.code) == (3, 3)
    assert (shown.data["service"], shown.data["verdict"]) == ("unknown", "unknown")
    assert shown.data["summary"] == listed.data[0]["summary"]
    assert f"{error.title}, asked in vain since" in shown.data["summary"]
    assert "last seen queued at" in shown.data["summary"]
    assert "queued / waiting in line" not in read.out
    assert f"→ {error.hint}" in read.err


def test_every_command_says_since_when_the_first_of_them_asked_in_vain(console: Console, sidecar: QuickSidecar) -> None:
    job_id = console.run(*VALIDATE, "--json").data["job_id"]
    sidecar.stuck = True
    sidecar.errors["job"] = Unreachable("nobody answers", hint="start it", code="sidecar.unreachable")
    first = console.run("jobs", "list", "--json").data[0]["summary"]
    console.clock.advance(600)

    assert "asked in vain since" in first
    assert console.run("jobs", "list", "--json").data[0]["summary"] == first
    assert console.run("jobs", "show", job_id, "--json").data["summary"] == first

    error = sidecar.errors.pop("job")
    assert console.run("jobs", "show", job_id, "--json").data["service"] == "queued"
    console.clock.advance(600)
    sidecar.errors["job"] = error
    again = console.run("jobs", "list", "--json").data[0]["summary"]
    assert "asked in vain since" in again
    assert again.split(";")[0] != first.split(";")[0]

    console.clock.advance(600)
    console.run(*VALIDATE)  # taken: so the service was there
    console.clock.advance(5)
    assert again.split(";")[0] not in console.run("jobs", "show", job_id, "--json").data["summary"]


def test_a_sidecar_that_hangs_does_not_hold_back_the_list(console: Console, sidecar: QuickSidecar) -> None:
    console.run(*VALIDATE)
    sidecar.hang.shut()

    run = console.run("jobs", "list", "--json")

    assert run.code == 0
    assert "did not answer within 0.5 s" in run.envelope["warnings"][0]


@pytest.mark.parametrize("argv", [APPLY, IMPORT], ids=["apply", "import"])
def test_what_changes_things_wants_the_workspaces_name(console: Console, sidecar: QuickSidecar, argv: tuple[str, ...]) -> None:
    missing, wrong = console.run(*argv), console.run(*argv, "--confirm", "yes")
    assert (missing.code, wrong.code) == (5, 5)
    assert WORKSPACE in missing.err
    assert SCOPE in missing.err
    assert "--confirm workspaces/my-iac_a1b2" in missing.err
    assert sidecar.requests == []

    assert console.run(*argv, "--confirm", "workspaces/my-iac_a1b2").code == 0
    console.typed = "workspaces/my-iac_a1b2"
    typed = console.run(*argv)
    assert typed.code == 0
    assert "Type workspaces/my-iac_a1b2 to go on: " in typed.err
    assert len(sidecar.requests) == 2


def test_below_the_folder_of_all_workspaces_the_name_is_the_one_that_the_screens_ask_for(
    console: Console, sidecar: QuickSidecar
) -> None:
    console.contexts = tuple(replace(context, workspaces_root="/workspaces/") for context in console.contexts)
    assert console.run(*APPLY, "--confirm", "workspaces/my-iac_a1b2").code == 5
    assert console.run(*APPLY, "--confirm", "my-iac_a1b2").code == 0
    (request,) = sidecar.requests
    asked = question(request, console.contexts[0])
    assert asked is not None
    assert asked.must_type == "my-iac_a1b2"


def test_under_json_nobody_is_asked(console: Console, sidecar: QuickSidecar) -> None:
    console.typed = "workspaces/my-iac_a1b2"

    run = console.run(*APPLY, "--json")

    assert (run.code, run.error["code"]) == (5, "confirmation.missing")
    assert sidecar.requests == []


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("init", SCOPED),
        ("plan", (*SCOPED, "--plan-file", "p")),
        ("apply", (*SCOPED, "--plan-file", "p", "--confirm", "workspaces/my-iac_a1b2")),
        ("import", (*SCOPED, "--address", "a", "--resource-id", "b", "--confirm", "workspaces/my-iac_a1b2")),
    ],
)
def test_read_only_refuses_what_writes(console: Console, sidecar: QuickSidecar, kind: str, fields: tuple[str, ...]) -> None:
    for extra in (("--read-only",), ("--context", "dev")):
        run = console.run("jobs", "submit", kind, *fields, *extra)
        assert run.code == 5
        assert "read-only" in run.err
    assert sidecar.requests == []


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("validate", ("--workspace", WORKSPACE)),
        ("show", ("--workspace", WORKSPACE, "--plan-file", "p")),
        ("state_resource_ids", ("--workspace", WORKSPACE)),
        ("scope_resource_ids", SCOPED),
    ],
)
def test_read_only_lets_through_what_reads(console: Console, kind: str, fields: tuple[str, ...]) -> None:
    assert console.run("jobs", "submit", kind, *fields, "--read-only").code == 0


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("validate",), "--workspace"),
        (("init", "--workspace", WORKSPACE), "--scope and --provider"),
        (("validate", *SCOPED), "no --scope and no --provider"),
        (("show", "--workspace", WORKSPACE, "--plan-file", "../evil"), "--plan-file: 1 to 128 letters, digits, dots"),
        (("show", "--workspace", WORKSPACE, "--plan-file", "p\n"), "--plan-file: 1 to 128 letters, digits, dots"),
        (("validate", "--workspace", "relative/net"), "--workspace relative/net is not an absolute path"),
        (("validate", "--workspace", "/x/sw/b/.."), "Spell it out: /x/sw"),
        (("validate", "--workspace", "/x/./b"), "Spell it out: /x/b"),
        (("validate", "--workspace", "//"), "root of the disk"),
        (("validate", "--workspace", ""), "--workspace"),
        (("plan", *SCOPED, "--plan-file", "p", "--target", ""), "--target"),
        (("init", "--workspace", WORKSPACE, "--scope", "s", "--provider", "azurerm"), "azurerm"),
        (("destroy", "--workspace", WORKSPACE), "destroy"),
    ],
)
def test_a_request_the_contract_refuses_is_never_sent(
    console: Console, sidecar: QuickSidecar, argv: tuple[str, ...], said: str
) -> None:
    run = console.run("jobs", "submit", *argv)

    assert run.code == 2
    assert said in run.err
    assert sidecar.requests == []


def test_targets_are_repeated_and_keep_their_order(console: Console, sidecar: QuickSidecar) -> None:
    console.run("jobs", "submit", "plan", *SCOPED, "--plan-file", "p", "--target", "b.x", "--target", "a.y")

    assert getattr(sidecar.requests[0], "targets", None) == ("b.x", "a.y")


def test_an_unknown_job_ends_with_2_and_a_whole_id_is_asked_for(console: Console) -> None:
    for asked in ("abcdef", "not an id", str(uuid4())):
        for verb in ("show", "watch"):
            assert console.run("jobs", verb, asked).code == 2


def test_a_job_submitted_elsewhere_is_found_by_its_whole_id(console: Console, sidecar: QuickSidecar) -> None:
    job_id = sidecar.add(JobKind.PLAN).job_id

    assert console.run("jobs", "show", str(job_id), "--json").data["kind"] == "plan"


def test_a_token_the_sidecar_does_not_take_ends_with_3(console: Console, sidecar: QuickSidecar) -> None:
    sidecar.errors["submit"] = AccessDenied("The sidecar does not accept the token", hint="set it", code="sidecar.access_denied")

    run = console.run(*VALIDATE)

    assert (run.code, run.out) == (3, "")
    assert "→ set it" in run.err


def test_an_interrupt_while_waiting_says_that_the_job_goes_on(console: Console, sidecar: QuickSidecar) -> None:
    async def interrupted(_: float) -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()

    console.sleep = interrupted
    run = console.run(*VALIDATE, "--wait")

    assert run.code == 130
    job_id = str(next(iter(sidecar.documents)))
    assert f"jobs watch {job_id}" in run.err


def test_a_submission_without_an_answer_stays_visible(console: Console, sidecar: QuickSidecar) -> None:
    class Silent(QuickSidecar):
        async def submit(self, request: SubmitRequest) -> Accepted:
            from kumoss_console.ports.sidecar import SubmissionUnclear

            raise SubmissionUnclear("no answer came", hint="look at the list", code="sidecar.unclear")

    console.sidecar = Silent(console.clock)
    run = console.run(*VALIDATE)

    assert run.code == 3
    row = console.run("jobs", "list", "--json", "--offline").data[0]
    assert (row["job_id"], row["service"]) == (None, "unknown")
    assert console.run("jobs", "watch", "#1").code == 3
    assert console.run("jobs", "show", "#1").code == 3


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_output_and_workspaces_are_never_obeyed(console: Console, sidecar: QuickSidecar, text: str) -> None:
    sidecar.exit_code, sidecar.stdout, sidecar.stderr = 1, text, text
    workspace = "/w/" + text.replace("\x00", "")[:200]

    for argv in (
        ("submit", "validate", "--workspace", workspace, "--wait"),
        ("submit", "validate", "--workspace", workspace, "--wait", "--json"),
        ("list",),
        ("list", "--json"),
        ("show", "#1"),
        ("watch", "#1"),
    ):
        run = console.run("jobs", *argv)
        assert run.code in {0, 1}
        assert not any(char in run.out + run.err for char in "\x1b\x9b\u202e\r")
