"""The chain where the service does not play along, on a service in memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import AccessDenied, BadAnswer, ConsoleError, GaveUp, InputError, Refused
from kumoss_console.journal import Journal
from kumoss_console.model.chain import ChainEvent, ChainRequest, ChainState, Step, StepStatus
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.contract import Accepted, CloudProvider, JobKind, SubmitRequest
from kumoss_console.model.job import Verdict
from kumoss_console.model.storage import StorageSettings
from kumoss_console.ports.sidecar import SubmissionUnclear
from kumoss_console.services.backend.engine import WhichEngine
from kumoss_console.services.backend.override import BackendService
from kumoss_console.services.backend.proof import OverrideProofService
from kumoss_console.services.chain.override import OverridePlacer
from kumoss_console.services.chain.service import ChainService
from kumoss_console.services.jobs.service import JobService
from kumoss_console.workspace import read_workspace
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar

REPO = "https://github.com/acme/infra"


def plan(*actions: str, **more: Any) -> str:
    changes = [
        {
            "address": f"a.r{number}",
            "mode": "managed",
            "type": "a",
            "name": f"r{number}",
            "provider_name": "p",
            "change": {"actions": [action], "before": None, "after": None},
        }
        for number, action in enumerate(actions)
    ]
    return json.dumps({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": changes} | more)


class Answering(FakeSidecar):
    """Every job ends at once: well, unless ``script`` has an end for its kind; the last one of a kind stays."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.script: dict[JobKind, list[tuple[int, str, str]]] = {JobKind.SHOW: [(0, plan("create"), "")]}
        self.refusals: dict[JobKind, ConsoleError] = {}
        self.stuck: set[JobKind] = set()

    async def submit(self, request: SubmitRequest) -> Accepted:
        if error := self.refusals.get(request.kind):
            raise error
        accepted = await super().submit(request)
        if request.kind not in self.stuck:
            ends = self.script.get(request.kind, [(0, "", "")])
            self.answer(accepted.job_id, *(ends.pop(0) if len(ends) > 1 else ends[0]))
        return accepted


@dataclass
class Desk:
    journal: Journal
    clock: FakeClock = field(default_factory=FakeClock)
    context: Context = field(default_factory=lambda: Context(name="prod", storage=StorageSettings(terraform_state_bucket="")))
    approve: bool = True
    events: list[ChainEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sidecar = Answering(self.clock)

    async def run(self, **changes: Any) -> ChainState:
        jobs = JobService(self.context, self.sidecar, self.journal, self.clock, sleep=self.clock.sleep)
        asked = ChainRequest(**({"workspace": "/w/net", "scope": "s", "provider": CloudProvider.AWS} | changes))
        proofs = OverrideProofService(read_workspace, {}, run_blocking, WhichEngine())
        placer = OverridePlacer(self.context, BackendService(self.context), proofs, run_blocking)
        chain = ChainService(self.context, jobs, self.clock, place=placer.place, off_loop=run_blocking)
        async for event in chain.run(asked, self._approve):
            self.events.append(event)
        return self.state

    async def _approve(self, state: ChainState) -> bool:
        return self.approve

    @property
    def state(self) -> ChainState:
        return self.events[-1].state

    @property
    def sent(self) -> list[str]:
        return [request.kind.value for request in self.sidecar.requests]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    yield Desk(journal)
    journal.close()


async def test_each_chain_has_a_plan_file_of_its_own_and_a_given_one_is_kept(desk: Desk) -> None:
    first, second = await desk.run(), await desk.run()
    assert first.plan_file != second.plan_file
    assert (await desk.run(plan_file="mine.plan")).plan_file == "mine.plan"
    files = {getattr(request, "plan_file", first.plan_file) for request in desk.sidecar.requests[:6]}
    assert files == {first.plan_file}


async def test_a_failed_step_is_the_last_and_says_why(desk: Desk) -> None:
    desk.sidecar.script[JobKind.PLAN] = [(1, "", "Error: no such type")]
    state = await desk.run()
    assert desk.sent == ["init", "validate", "plan"]
    assert state.broken is not None
    assert (state.broken.step, state.broken.note) == (Step.PLAN, "the command failed with exit code 1")
    assert desk.events[-1].text == "stopped at plan: the command failed with exit code 1"
    assert [one.status for one in state.steps[3:]] == [StepStatus.WAITING] * 3


@pytest.mark.parametrize("engine", ["terraform", "tofu"])
async def test_init_is_run_once_more_and_never_twice(desk: Desk, engine: str) -> None:
    desk.sidecar.script[JobKind.VALIDATE] = [(1, "", f'please run "{engine} init"')]
    state = await desk.run()
    assert desk.sent == ["init", "validate", "init", "validate"]
    assert (state.verdict, state.reinitialised) == (Verdict.BAD, True)


async def test_a_second_init_that_fails_is_where_it_stops(desk: Desk) -> None:
    desk.sidecar.script[JobKind.VALIDATE] = [(1, "", 'please run "tofu init"')]
    desk.sidecar.script[JobKind.INIT] = [(0, "", ""), (1, "", "no backend")]
    state = await desk.run()
    assert desk.sent == ["init", "validate", "init"]
    assert state.broken is not None
    assert state.broken.step is Step.INIT


async def test_an_apply_is_never_retried_with_another_init(desk: Desk) -> None:
    desk.sidecar.script[JobKind.APPLY] = [(1, "", 'please run "tofu init"')]
    await desk.run()
    assert desk.sent[-1] == "apply"


async def test_a_submission_without_an_answer_stops_the_chain_as_unknown(desk: Desk) -> None:
    desk.sidecar.refusals[JobKind.APPLY] = SubmissionUnclear("sent, no answer: nobody answered")
    with pytest.raises(SubmissionUnclear):
        await desk.run()
    assert (desk.state.ended, desk.state.verdict) == (True, Verdict.UNKNOWN)
    assert desk.state.of(Step.APPLY).note.startswith("sent, no answer")


async def test_a_refused_submission_is_no_unknown(desk: Desk) -> None:
    desk.sidecar.refusals[JobKind.PLAN] = AccessDenied("no", code="sidecar.unauthorized")
    with pytest.raises(AccessDenied):
        await desk.run()
    assert desk.state.of(Step.PLAN).status is StepStatus.FAILED


async def test_a_job_that_takes_too_long_is_unknown_and_goes_on(desk: Desk) -> None:
    desk.sidecar.stuck.add(JobKind.PLAN)
    with pytest.raises(GaveUp):
        await desk.run()
    assert desk.state.of(Step.PLAN).status is StepStatus.UNKNOWN
    assert desk.state.of(Step.PLAN).job is not None


async def test_a_no_at_the_review_applies_nothing(desk: Desk) -> None:
    desk.approve = False
    state = await desk.run()
    assert "apply" not in desk.sent
    assert state.broken is not None
    assert state.broken.note == "not approved: nothing was applied"


async def test_what_is_destroyed_is_in_the_review(desk: Desk) -> None:
    desk.sidecar.script[JobKind.SHOW] = [(0, plan("create", "delete", "no-op"), "")]
    state = await desk.run(until=Step.SHOW)
    assert state.review is not None
    assert state.review.destroyed == ("a.r1",)


async def test_another_plan_than_the_reviewed_one_is_not_applied(desk: Desk) -> None:
    desk.sidecar.script[JobKind.SHOW] = [(0, plan("create"), ""), (0, plan("delete"), "")]
    with pytest.raises(Refused) as caught:
        await desk.run()
    assert caught.value.code == "chain.plan_changed"
    assert "apply" not in desk.sent
    assert desk.state.of(Step.APPLY).status is StepStatus.FAILED


async def test_a_chain_taken_up_at_apply_holds_to_an_earlier_review(desk: Desk) -> None:
    shown = await desk.run(until=Step.SHOW, plan_file="p")
    assert shown.review is not None
    done = await desk.run(first=Step.APPLY, plan_file="p", reviewed=shown.review.digest)
    assert done.verdict is Verdict.GOOD
    with pytest.raises(Refused) as caught:
        await desk.run(first=Step.APPLY, plan_file="p", reviewed="0" * 64)
    assert caught.value.code == "chain.plan_changed"


async def test_a_plan_that_ended_with_an_error_is_not_offered(desk: Desk) -> None:
    desk.sidecar.script[JobKind.SHOW] = [(0, plan("create", errored=True), "")]
    with pytest.raises(Refused) as caught:
        await desk.run()
    assert caught.value.code == "chain.plan_errored"


@pytest.mark.parametrize("shown", ["", "not json", plan("create", format_version="2.0"), '{"a": 1}'])
async def test_a_plan_that_cannot_be_read_is_not_applied(desk: Desk, shown: str) -> None:
    desk.sidecar.script[JobKind.SHOW] = [(0, shown, "")]
    with pytest.raises(BadAnswer):
        await desk.run()
    assert desk.state.of(Step.SHOW).status is StepStatus.FAILED
    assert "apply" not in desk.sent


@pytest.mark.parametrize(
    "changes",
    [
        {"first": Step.SHOW, "until": Step.PLAN},
        {"first": Step.APPLY},
        {"first": Step.SHOW, "until": Step.SHOW},
        {"scope": ""},
        {"plan_file": "../evil"},
        {"targets": ("",)},
    ],
)
async def test_a_chain_that_cannot_go_through_sends_nothing(desk: Desk, changes: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        await desk.run(**changes)
    assert desk.sent == []


async def test_a_plan_file_that_reads_as_an_option_is_refused(desk: Desk) -> None:
    with pytest.raises(Refused) as caught:
        await desk.run(first=Step.APPLY, plan_file="-destroy")
    assert caught.value.code == "refused.reads_as_option"
    assert desk.sent == []


async def test_read_only_lets_validate_through_and_nothing_that_writes(desk: Desk) -> None:
    desk.context = Context(name="prod", storage=desk.context.storage, read_only=True)
    with pytest.raises(Refused):
        await desk.run()
    assert desk.sent == []
    assert (await desk.run(first=Step.VALIDATE, until=Step.VALIDATE)).verdict is Verdict.GOOD


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "net"
    folder.mkdir()
    (folder / "main.tf").write_text("")
    return folder


Case = tuple[dict[str, Any], str, str]
CASES: dict[str, Callable[[Path], Case]] = {
    "elsewhere": lambda _: ({"workspace": "/no/such/place", "repo": REPO}, "not_written", "cannot be seen from here"),
    "unknown project": lambda folder: ({"workspace": str(folder)}, "not_written", "which project this is was not said"),
    "as asked": lambda folder: ({"workspace": str(folder), "repo": REPO, "write_override": False}, "not_written", "as asked"),
    "bad repo": lambda folder: ({"workspace": str(folder), "repo": "git@h:a/b"}, "not_written", "was not written: "),
    "written": lambda folder: ({"workspace": str(folder), "repo": REPO}, "written", "/terraform.tfstate"),
}


@pytest.mark.parametrize("case", CASES)
async def test_the_override_is_written_or_it_is_said_why_not(desk: Desk, workspace: Path, case: str) -> None:
    # A known project of the same scope is no proof that this workspace is its.
    desk.context = Context(name="prod", projects=(KnownProject(repo=REPO, scope="s"),))
    changes, status, why = CASES[case](workspace)
    state = await desk.run(until=Step.INIT, **changes)
    assert state.placed is not None
    assert (state.placed.status, why in state.placed.why) == (status, True), state.placed
    assert (workspace / "backend_override.tf").exists() is (status == "written")


LATER = 'terraform {\n  backend "local" {}\n}\n'


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("zz_override.tf", LATER, "init does not bind what it says: zz_override.tf: it sorts after backend_override.tf"),
        ("zz_override.tofu", LATER, "init does not bind what it says: zz_override.tofu: it sorts after backend_override.tf"),
        ("backend.tf", LATER, "it replaces the repository's local by s3"),
        ("other.tf", "", ""),
    ],
)
async def test_what_a_written_override_does_not_do_is_told_and_what_is_sent_stays(
    desk: Desk, workspace: Path, name: str, text: str, told: str
) -> None:
    desk.context = Context(name="prod")
    (workspace / name).write_text(text)
    state = await desk.run(workspace=str(workspace), repo=REPO)
    assert state.placed is not None
    assert state.placed.status == "written"
    assert state.placed.warning.startswith(told)
    assert bool(told) is bool(state.placed.warning)
    assert any(told in event.text for event in desk.events if event.step is Step.INIT)
    assert desk.sent == ["init", "validate", "plan", "show", "show", "apply"]


async def test_an_override_that_is_there_is_not_guessed_over(desk: Desk, workspace: Path) -> None:
    desk.context = Context(name="prod")
    (workspace / "backend_override.tf").write_text("# mine")
    state = await desk.run(until=Step.INIT, workspace=str(workspace))
    assert state.placed is not None
    assert state.placed.status == "kept"
    assert (workspace / "backend_override.tf").read_text() == "# mine"
