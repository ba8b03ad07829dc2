"""The chain on the screen: nothing is sent before it is right, nor applied without a word, nor lost by looking away."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input, Select

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.errors import AccessDenied, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.local.sidecar import SidecarEndpoint
from kumoss_console.model.chain import Step, StepStatus
from kumoss_console.model.context import KnownProject
from kumoss_console.model.contract import ApplyRequest, CloudProvider, JobKind, PlanRequest
from kumoss_console.model.names import workspace_name
from kumoss_console.model.storage import StorageSettings
from kumoss_console.ports.sidecar import SubmissionUnclear
from kumoss_console.services.build import Services
from kumoss_console.services.wiring.adapters import GivenAdapters
from kumoss_console.services.wiring.ground import utc_now
from kumoss_console.text import printable
from screens.chain.form import ChainDialog
from screens.chain.screen import ChainScreen
from screens.dialogs.choose import ChooseDialog
from screens.dialogs.confirm import ConfirmDialog
from screens.jobs.screen import JobsScreen
from screens.plan.screen import PlanScreen
from tests.fakes.chained import ChainedSidecar
from tests.hostile import HOSTILE
from tests.model.plan_documents import document, resource
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle
from tests.waiting import AT_ONCE, wait_until

NAME = "acme-net_a1b2"
WORKSPACE = f"/workspaces/{NAME}"
PROJECT = KnownProject(
    repo="https://github.com/acme/net", scope="1111", path="envs/eu", provider=CloudProvider.AZURE, name="acme/net"
)
CREATE = document(resource("a.new", ("create",), before=None, after={"x": 1})).decode()
LOSS = document(
    resource("a.gone", ("delete",), before={"x": 1}, after=None), resource("a.new", ("create",), before=None, after={})
).decode()


@pytest.fixture
def sidecar(world: World) -> ChainedSidecar:
    sidecar = world.sidecar = ChainedSidecar(world.clock)
    sidecar.ends[JobKind.SHOW] = (0, CREATE, "")
    world.change(projects=(PROJECT,))
    return sidecar


async def open_form(pilot: Pilot[None]) -> ChainDialog:
    await pilot.press("R")
    await wait_until(lambda: isinstance(pilot.app.screen, ChainDialog))
    form = pilot.app.screen
    assert isinstance(form, ChainDialog)
    return form


async def fill(pilot: Pilot[None], workspace: str = WORKSPACE, *, project: bool = False, **fields: object) -> ChainDialog:
    form = await open_form(pilot)
    form.query_one("#workspace_path", Input).value = workspace
    if project:
        form.query_one("#project", Select).value = 0
        await pilot.pause()
        await pilot.pause()
    else:
        form.query_one("#scope_id", Input).value = "1111"
        form.query_one("#terraform_provider", Select).value = "azure"
    for name, value in fields.items():
        form.query_one(f"#{name}", Select if name == "until" else Input).value = value  # type: ignore[attr-defined]  # either has one
    await pilot.pause()
    await pilot.pause()
    return form


def chain_of(pilot: Pilot[None]) -> ChainScreen:
    assert isinstance(pilot.app.screen, ChainScreen)
    return pilot.app.screen


async def begin(pilot: Pilot[None], workspace: str = WORKSPACE, *, project: bool = False, **fields: object) -> ChainScreen:
    """Fill the form and run it. The screen of the chain is shown."""
    form = await fill(pilot, workspace, project=project, **fields)
    form.query_one("#run", Button).press()
    await wait_until(lambda: isinstance(pilot.app.screen, ChainScreen))
    await pilot.pause()
    return chain_of(pilot)


async def until_it_waits(pilot: Pilot[None]) -> ChainScreen:
    screen = chain_of(pilot)
    await wait_until(lambda: screen.chain.waits)
    await pilot.pause()
    return screen


async def until_it_ends(pilot: Pilot[None]) -> ChainScreen:
    screen = chain_of(pilot)
    await wait_until(lambda: not screen.chain.under_way)
    await settle(pilot)
    return screen


async def ask(pilot: Pilot[None]) -> ConfirmDialog:
    await pilot.press("A")
    await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
    await pilot.pause()
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog)
    return dialog


async def agree(pilot: Pilot[None], typed: str) -> None:
    dialog = await ask(pilot)
    dialog.query_one("#typed", Input).value = typed
    await pilot.pause()
    assert not dialog.query_one("#confirm", Button).disabled
    dialog.query_one("#confirm", Button).press()
    await wait_until(lambda: isinstance(pilot.app.screen, ChainScreen))


def row_of(pilot: Pilot[None], step: str) -> str:
    """The line of a step, from its second column on the step's name."""
    return next((line for line in painted(pilot).splitlines() if line[14:].startswith(f"{step} ")), "")


# -- before it begins --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"workspace": "/workspaces/"}, "Workspace: name a folder below /workspaces"),
        ({"workspace": ""}, "Workspace: is needed"),
        ({"scope_id": " "}, "Scope: is needed"),
        ({"plan_file": "../session.plan"}, "Plan file: at most 128"),
        ({"plan_file": "-destroy"}, "Plan file: an engine may read"),
        ({"project": True, "scope_id": "2222"}, "Scope: the project's is 1111"),
    ],
)
async def test_what_would_be_refused_cannot_be_begun(
    world: World, sidecar: ChainedSidecar, size: tuple[int, int], fields: dict[str, object], why: str
) -> None:
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        form = await fill(pilot, **fields)  # type: ignore[arg-type]  # fields of the form
        assert why in painted(pilot)
        assert form.query_one("#run", Button).disabled
        assert sidecar.requests == []


async def test_a_project_brings_its_scope_and_provider_and_none_is_guessed(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        form = await open_form(pilot)
        assert "none: the workspace keeps the backend it has" in painted(pilot)
        form.query_one("#project", Select).value = 0
        await pilot.pause()
        await pilot.pause()
        assert form.query_one("#scope_id", Input).value == "1111"
        assert form.query_one("#terraform_provider", Select).value == "azure"


async def test_the_form_starts_with_the_selected_job(world: World, sidecar: ChainedSidecar) -> None:
    services = world.build(world.config)
    await services.jobs.submit(
        PlanRequest(workspace_path=WORKSPACE, scope_id="2222", terraform_provider=CloudProvider.AWS, plan_file="p")
    )
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        form = await open_form(pilot)
        await pilot.pause()
        assert (form.query_one("#workspace_path", Input).value, form.query_one("#scope_id", Input).value) == (WORKSPACE, "2222")
        assert form.query_one("#plan_file", Input).value == ""
        assert not form.query_one("#run", Button).disabled


async def test_the_command_line_takes_the_workspace(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await pilot.press("colon", *"run /w/dns", "enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ChainDialog))
        await pilot.pause()
        assert pilot.app.screen.query_one("#workspace_path", Input).value == "/w/dns"


async def test_read_only_has_no_chain(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs", read_only=True) as pilot:
        await settle(pilot)
        await pilot.press("R")
        await pilot.pause()
        assert isinstance(pilot.app.screen, JobsScreen)
        await pilot.press("colon", *"run", "enter")
        await pilot.pause()
        assert ":run changes something: not in read-only mode" in painted(pilot)


# -- the review --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_loss_is_named_and_applied_only_after_the_workspaces_name(
    world: World, sidecar: ChainedSidecar, size: tuple[int, int]
) -> None:
    sidecar.ends[JobKind.SHOW] = (0, LOSS, "")
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_waits(pilot)
        text = painted(pilot)
        assert "Plan: 1 to add, 0 to change, 1 to destroy." in text
        assert "- a.gone" in text
        assert "● your turn" in row_of(pilot, "review")
        assert [row_of(pilot, step)[1] for step in ("init", "validate", "plan", "show")] == ["✓"] * 4
        dialog = await ask(pilot)
        assert "destroys a.gone" in painted(pilot)
        assert f"Type {NAME} to go on" in painted(pilot)
        assert dialog.focused is dialog.query_one("#cancel")
        for typed in ("apply", "yes", NAME[:-1]):
            dialog.query_one("#typed", Input).value = typed
            await pilot.pause()
            assert dialog.query_one("#confirm", Button).disabled
        await pilot.press("escape")
        await pilot.pause()
        assert sidecar.sent == ["init", "validate", "plan", "show"]
        assert chain_of(pilot).chain.waits
        await agree(pilot, NAME)
        await until_it_ends(pilot)
        assert sidecar.sent == ["init", "validate", "plan", "show", "show", "apply"]
        assert "✓ done" in row_of(pilot, "apply")
        assert "done: init to apply" in painted(pilot)
        applied = sidecar.requests[-1]
        planned = sidecar.requests[2]
        assert isinstance(applied, ApplyRequest)
        assert isinstance(planned, PlanRequest)
        assert applied.plan_file == planned.plan_file


async def test_without_a_loss_a_plain_word_is_typed(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_waits(pilot)
        await ask(pilot)
        assert "nothing is destroyed" in painted(pilot)
        assert "Type apply to go on" in painted(pilot)
        await pilot.press("escape")
        await agree(pilot, "apply")
        await until_it_ends(pilot)
        assert sidecar.sent[-1] == "apply"


async def test_enter_at_the_review_reads_the_plan_and_then_asks(world: World, sidecar: ChainedSidecar) -> None:
    sidecar.ends[JobKind.SHOW] = (0, LOSS, "")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_waits(pilot)
        await pilot.press("enter")
        await wait_until(lambda: isinstance(pilot.app.screen, PlanScreen))
        await pilot.pause()
        assert "- destroy" in painted(pilot)
        await pilot.press("escape")
        await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("p")
        await wait_until(lambda: isinstance(pilot.app.screen, PlanScreen))
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ChainScreen)


async def test_ending_it_at_the_review_applies_nothing(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_waits(pilot)
        await pilot.press("X")
        screen = await until_it_ends(pilot)
        assert screen.chain.of(Step.REVIEW).status is StepStatus.STOPPED
        assert "not approved: nothing was applied" in painted(pilot)
        assert "apply" not in sidecar.sent


async def test_a_plan_that_changed_meanwhile_is_refused_in_words(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_waits(pilot)
        sidecar.ends[JobKind.SHOW] = (0, LOSS, "")
        await agree(pilot, "apply")
        await until_it_ends(pilot)
        assert "changed after it was reviewed: nothing was applied" in painted(pilot)
        assert "→" in painted(pilot)
        assert "apply" not in sidecar.sent


# -- where it stops ----------------------------------------------------------------------------------------------------

FAILURE = """\x1b[31m╷\x1b[0m
\x1b[31m│\x1b[0m \x1b[1m\x1b[31mError: \x1b[0m\x1b[1mUnsupported argument\x1b[0m
\x1b[31m│\x1b[0m
\x1b[31m│\x1b[0m   on main.tf line 3
"""


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_failed_step_says_which_and_why_in_the_engines_first_line(
    world: World, sidecar: ChainedSidecar, size: tuple[int, int]
) -> None:
    sidecar.ends[JobKind.VALIDATE] = (1, "", FAILURE)
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        await begin(pilot)
        screen = await until_it_ends(pilot)
        assert sidecar.sent == ["init", "validate"]
        row = row_of(pilot, "validate")
        assert "✗ failed" in row
        assert "Error: Unsupported" in row
        assert "- not run" in row_of(pilot, "plan")
        text = painted(pilot)
        assert "stopped at validate: the command failed with exit code 1" in text
        job = screen.chain.of(Step.VALIDATE).job
        assert job is not None
        assert str(job.job_id) in text
        assert "the chain on acme-net_a1b2 stopped at validate: Error: Unsupported argument" in text


async def test_its_failure_is_explained_where_the_rules_know_it(world: World, sidecar: ChainedSidecar) -> None:
    refused = "Error: error configuring S3 Backend: api error InvalidAccessKeyId: The Access Key Id you provided does not exist."
    sidecar.ends[JobKind.INIT] = (1, "", refused)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_ends(pilot)
        await wait_until(lambda: "→" in painted(pilot).split("says", 1)[-1])


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_dead_service_stops_it_with_a_next_step(world: World, sidecar: ChainedSidecar, size: tuple[int, int]) -> None:
    sidecar.errors["submit"] = Unreachable("nobody answers at iac.acme", hint="start the service")
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_ends(pilot)
        text = painted(pilot)
        assert "✗ failed" in row_of(pilot, "init")
        assert "→ start the service" in text
        assert text.count("nobody answers at iac.acme") >= 2


async def test_a_refused_step_is_failed(world: World, sidecar: ChainedSidecar) -> None:
    sidecar.refusals[JobKind.PLAN] = AccessDenied("the token is not accepted", code="sidecar.unauthorized")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_ends(pilot)
        assert "✗ failed" in row_of(pilot, "plan")


async def test_a_step_that_was_sent_without_an_answer_is_unknown(world: World, sidecar: ChainedSidecar) -> None:
    sidecar.refusals = {JobKind.APPLY: SubmissionUnclear("sent, no answer: silence")}
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_waits(pilot)
        await agree(pilot, "apply")
        await until_it_ends(pilot)
        assert "? unknown" in row_of(pilot, "apply")
        assert "its outcome is not known" in painted(pilot)


async def test_a_hung_service_leaves_the_console_alive_and_the_exit_free(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        sidecar.hang.shut()
        await begin(pilot)
        assert "● running" in row_of(pilot, "init")
        await pilot.press("j", "j", "4")
        await wait_until(lambda: "Repository" in painted(pilot))
        began = time.monotonic()
        await pilot.press("ctrl+q")
        await wait_until(lambda: not pilot.app.is_running)
        assert time.monotonic() - began < AT_ONCE


async def test_ending_it_here_lets_the_job_go_on_and_sends_nothing_more(world: World, sidecar: ChainedSidecar) -> None:
    sidecar.stuck.add(JobKind.PLAN)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await wait_until(lambda: "queued" in row_of(pilot, "plan") or "waiting in line" in row_of(pilot, "plan"))
        await pilot.press("X")
        await until_it_ends(pilot)
        assert sidecar.sent == ["init", "validate", "plan"]
        assert "ended from here; a job that was under way goes on" in painted(pilot)
        assert "? left" in row_of(pilot, "plan")
        await pilot.press("d")
        await wait_until(lambda: isinstance(pilot.app.screen, JobsScreen))
        await wait_until(lambda: "◷ queued" in painted(pilot))


# -- looking away, and going on ----------------------------------------------------------------------------------------


async def test_it_goes_on_when_its_screen_is_left_and_says_when_it_waits(world: World, sidecar: ChainedSidecar) -> None:
    sidecar.stuck.add(JobKind.PLAN)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        screen = await begin(pilot)
        await wait_until(lambda: JobKind.PLAN in [request.kind for request in sidecar.requests])
        await pilot.press("escape")
        await pilot.pause()
        assert "its jobs are in the journal: R comes back to it" in painted(pilot)
        await pilot.press("4")
        plan = next(job_id for job_id, document in sidecar.documents.items() if document.kind is JobKind.PLAN)
        sidecar.answer(plan, 0)
        world.clock.advance(5)
        await wait_until(lambda: "the chain on acme-net_a1b2 waits for your review" in painted(pilot))
        await pilot.press("2", "R")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.pause()
        assert "a new chain…" in painted(pilot)
        await pilot.press("enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ChainScreen))
        assert chain_of(pilot).chain is screen.chain
        await pilot.pause()
        await agree(pilot, "apply")
        await until_it_ends(pilot)
        assert sidecar.sent[-1] == "apply"


async def test_the_chain_that_goes_on_is_the_one_to_come_back_to(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        waiting = await begin(pilot)
        await until_it_waits(pilot)
        await pilot.press("escape")
        await pilot.pause()
        sidecar.ends[JobKind.PLAN] = (1, "", "Error: no")
        await pilot.press("R")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.press("home", "enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ChainDialog))
        form = await fill(pilot, "/workspaces/acme-web_e5f6")
        form.query_one("#run", Button).press()
        await wait_until(lambda: isinstance(pilot.app.screen, ChainScreen))
        failed = chain_of(pilot).chain
        assert failed is not waiting.chain
        await wait_until(lambda: not failed.under_way)
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("R")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.pause()
        await pilot.press("enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ChainScreen))
        assert chain_of(pilot).chain is waiting.chain


async def test_it_is_run_again_from_any_step_with_the_same_plan_file(world: World, sidecar: ChainedSidecar) -> None:
    sidecar.ends[JobKind.PLAN] = (1, "", "Error: no")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        first = await begin(pilot)
        await until_it_ends(pilot)
        assert first.selected is Step.PLAN
        sidecar.ends.pop(JobKind.PLAN)
        await pilot.press("enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.pause()
        assert "runs plan, show, review, apply" in painted(pilot)
        pilot.app.screen.query_one("#confirm", Button).press()
        await wait_until(lambda: isinstance(pilot.app.screen, ChainScreen) and chain_of(pilot).chain is not first.chain)
        again = await until_it_waits(pilot)
        assert sidecar.sent == ["init", "validate", "plan", "plan", "show"]
        assert again.chain.state.plan_file == first.chain.state.plan_file
        assert "not part of this chain" in row_of(pilot, "init")


async def test_nothing_is_run_again_while_it_is_under_way_or_without_a_word(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_waits(pilot)
        await pilot.press("k", "enter")
        await pilot.pause()
        assert "the chain is under way" in painted(pilot)
        await pilot.press("X")
        await until_it_ends(pilot)
        sent = len(sidecar.requests)
        await pilot.press("enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("enter")
        await settle(pilot)
        assert len(sidecar.requests) == sent


async def test_the_chain_ends_where_it_was_told_to(world: World, sidecar: ChainedSidecar) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot, until=Step.SHOW, plan_file="mine.plan")
        await until_it_ends(pilot)
        assert sidecar.sent == ["init", "validate", "plan", "show"]
        assert "not part of this chain" in row_of(pilot, "apply")
        assert "mine.plan" in painted(pilot)
        labels = {copy.label: copy.text for copy in chain_of(pilot).copies()}
        assert labels["the command that goes on from this step"].startswith(f"kumoss-console jobs run {WORKSPACE} --scope 1111")


@pytest.mark.parametrize("where", ["here", "elsewhere", "no project"])
async def test_the_override_is_written_or_it_is_said_why_not(
    world: World, sidecar: ChainedSidecar, tmp_path: Path, where: str
) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "main.tf").write_text("")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        workspace = WORKSPACE if where == "elsewhere" else str(folder)
        await begin(pilot, workspace, project=where != "no project", until=Step.INIT)
        await until_it_ends(pilot)
        said = {
            "here": "backend_override.tf was written",
            "elsewhere": "cannot be seen from here",
            "no project": "which project this is was not said",
        }[where]
        assert said in " ".join(painted(pilot).split())
        assert (folder / "backend_override.tf").exists() is (where == "here")


async def test_no_sensitive_value_is_on_the_screen(world: World, sidecar: ChainedSidecar) -> None:
    secret = {"before": {"p": "hunter2-old"}, "after": {"p": "hunter2-new"}, "after_sensitive": {"p": True}}
    sidecar.ends[JobKind.SHOW] = (0, document(resource("a.db", ("update",), **secret)).decode(), "")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await begin(pilot)
        await until_it_waits(pilot)
        await pilot.press("p")
        await wait_until(lambda: isinstance(pilot.app.screen, PlanScreen))
        await pilot.press("e")
        await pilot.pause()
        assert "(sensitive value) → (sensitive value)" in painted(pilot) or "******** → ********" in painted(pilot)
        await pilot.press("escape")
        await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("k", "d")
        await wait_until(lambda: isinstance(pilot.app.screen, JobsScreen))
        await wait_until(lambda: "(sensitive value 1)" in painted(pilot))
        assert "hunter2" not in painted(pilot)


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_is_shown_and_never_obeyed(world: World, sidecar: ChainedSidecar, text: str) -> None:
    lost = resource(f't.x["{text}"]', ("delete",), before={"a": text}, after=None, index=text)
    sidecar.ends[JobKind.SHOW] = (0, document(lost).decode(), "")
    sidecar.ends[JobKind.APPLY] = (1, text, f"Error: {text}")
    world.change(projects=(replace(PROJECT, name=text),))
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        # A line feed cannot be typed into one line.
        workspace = f"/workspaces/x{text[:300]}x".replace("\n", " ").replace("\r", " ")
        await begin(pilot, workspace)
        await until_it_waits(pilot)
        dialog = await ask(pilot)
        shown = [painted(pilot)]
        dialog.query_one("#typed", Input).value = printable(workspace_name(workspace, "/workspaces"))
        await pilot.pause()
        dialog.query_one("#confirm", Button).press()
        await wait_until(lambda: isinstance(pilot.app.screen, ChainScreen))
        await until_it_ends(pilot)
        shown.append(painted(pilot))
        for picture in shown:
            assert all(char.isprintable() or char in "\n\u200d\ufe0f" for char in picture)


def test_each_key_and_word_means_one_thing_here() -> None:
    commands = ChainScreen.commands
    for names in ([c.id for c in commands], [k for c in commands for k in c.keys], [w for c in commands for w in c.words]):
        assert len(names) == len(set(names))


# -- on real parts -----------------------------------------------------------------------------------------------------


class RealWorld(World):
    """The console on the bundled service with a real engine. Its clock is the wall's."""

    def __init__(self, folder: Path, endpoint: SidecarEndpoint) -> None:
        super().__init__(folder)
        self.endpoint = endpoint
        self.folder = folder
        self.change(storage=StorageSettings(terraform_state_bucket=""), workspaces_root=str(folder))

    def build(self, config: object, name: str | None = None, *, read_only: bool = False) -> Services:
        context = self.config.context(name)
        adapters = GivenAdapters(
            sidecar=SidecarClient(self.endpoint.url, self.endpoint.token, timeout=30.0),
            store=None,
            journal=Journal.open(self.folder / "real.sqlite3"),
        )
        return Services(config=self.config, context=context, adapters=adapters, clock=utc_now, environ={})


@pytest.fixture
def real_world(real_sidecar: SidecarEndpoint, tmp_path: Path) -> RealWorld:
    return RealWorld(tmp_path, real_sidecar)


async def test_a_destroy_plan_of_a_real_engine_is_applied_only_after_the_name(real_world: RealWorld, tmp_path: Path) -> None:
    folder = tmp_path / "net"
    folder.mkdir()

    def write(*names: str) -> None:
        text = "".join(f'resource "terraform_data" "{name}" {{\n  input = "{name}"\n}}\n' for name in names)
        (folder / "main.tf").write_text(text, encoding="utf-8")

    write("one", "two")
    async with real_world.console(view="jobs", size=SMALL) as pilot:
        await pilot.pause()
        screen = await begin(pilot, str(folder))
        await wait_until(lambda: screen.chain.waits, timeout=60)
        await pilot.pause()
        await agree(pilot, "apply")
        await wait_until(lambda: not screen.chain.under_way, timeout=60)
        await pilot.pause()
        assert "done: init to apply" in painted(pilot)

        write("two")
        await pilot.press("g", "enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        pilot.app.screen.query_one("#confirm", Button).press()
        await wait_until(lambda: isinstance(pilot.app.screen, ChainScreen) and chain_of(pilot).chain is not screen.chain)
        again = chain_of(pilot)
        await wait_until(lambda: again.chain.waits, timeout=60)
        await pilot.pause()
        assert "Plan: 0 to add, 0 to change, 1 to destroy." in painted(pilot)
        await ask(pilot)
        assert "destroys terraform_data.one" in painted(pilot)
        assert "Type net to go on" in painted(pilot)
        assert '"one"' in (folder / "terraform.tfstate").read_text()
        await pilot.press("escape")
        await pilot.pause()
        await agree(pilot, "net")
        await wait_until(lambda: not again.chain.under_way, timeout=60)
        await pilot.pause()
        assert again.chain.state.of(Step.APPLY).status is StepStatus.DONE
        assert '"one"' not in (folder / "terraform.tfstate").read_text()
        assert console_of(pilot).flash_shown is not None
