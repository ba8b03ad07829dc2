"""Jobs: both planes of every job, its result or problem first, and nothing sent that was not meant."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input, Select, TextArea

from kumoss_console.errors import Unreachable
from kumoss_console.model.contract import (
    ApplyRequest,
    CloudProvider,
    InitRequest,
    JobKind,
    PlanRequest,
    SubmitRequest,
    ValidateRequest,
)
from kumoss_console.ports.sidecar import SubmissionUnclear
from screens.dialogs.ask import AskDialog
from screens.dialogs.confirm import ConfirmDialog
from screens.following import FOLLOWING
from screens.jobs.form import SubmitDialog
from screens.jobs.screen import JobsScreen
from tests.hostile import HOSTILE
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle, view_of
from tests.waiting import wait_until

INIT = InitRequest(workspace_path="/workspaces/acme-web_e5f6", scope_id="1111", terraform_provider=CloudProvider.AZURE)
PLAN = PlanRequest(
    workspace_path="/workspaces/acme-net_a1b2", scope_id="1111", terraform_provider=CloudProvider.AZURE, plan_file="session.plan"
)
APPLY = ApplyRequest(
    workspace_path="/workspaces/acme-net_a1b2", scope_id="1111", terraform_provider=CloudProvider.AZURE, plan_file="session.plan"
)


def jobs_screen(pilot: Pilot[None]) -> JobsScreen:
    screen = view_of(pilot)
    assert isinstance(screen, JobsScreen)
    return screen


async def submitted(world: World, *requests: SubmitRequest) -> list[UUID]:
    """Jobs in the journal and at the sidecar, as another run of the console left them."""
    services = world.build(world.config)
    ids = []
    for request in requests:
        job = await services.jobs.submit(request)
        ids.append(UUID(job.job_id))
        world.clock.advance(10)
    return ids


def row_of(pilot: Pilot[None], words: str) -> str:
    """The line of the table that holds ``words``."""
    return next(line for line in painted(pilot).splitlines() if words in line)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_an_answer_is_good_only_with_exit_code_zero(world: World, size: tuple[int, int]) -> None:
    failing, passing, faulting, _waiting = await submitted(world, INIT, PLAN, ValidateRequest(workspace_path="/w/dns"), APPLY)
    world.sidecar.answer(failing, 1, stderr="Error: no such key")
    world.sidecar.answer(passing, 0, stdout="Plan: 3 to add")
    world.sidecar.fault(faulting, 503, "Unavailable", "the engine is missing")
    async with world.console(size=size, view="jobs") as pilot:
        await settle_but_watching(pilot)
        assert "✗ answered 1" in row_of(pilot, "acme-web")
        assert "✓ answered 0" in row_of(pilot, "✓")
        assert "✗ faulted" in row_of(pilot, "dns")
        assert "◷ queued" in painted(pilot)


async def settle_but_watching(pilot: Pilot[None]) -> None:
    """Until the view has asked the service; the following of unfinished jobs goes on."""
    await wait_until(lambda: jobs_screen(pilot).asked)
    await pilot.pause()
    await wait_until(lambda: all(worker.is_finished for worker in pilot.app.workers if not worker.group.startswith(FOLLOWING)))
    await pilot.pause()


async def test_the_result_comes_first_and_the_part_that_matters_is_shown(world: World) -> None:
    failing, passing = await submitted(world, INIT, PLAN)
    world.sidecar.answer(failing, 1, stdout="Initializing...", stderr="\x1b[31mError:\x1b[0m InvalidAccessKeyId")
    world.sidecar.answer(passing, 0, stdout="Plan: 3 to add", stderr="")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        assert "plan" in row_of(pilot, "[stdout]") or "[stdout]" in painted(pilot)
        assert "Plan: 3 to add" in painted(pilot)
        await pilot.press("j")
        await settle(pilot)
        text = painted(pilot)
        assert "[stderr]" in text
        assert "Error: InvalidAccessKeyId" in text
        assert "service answered · engine exit 1" in text
        await pilot.press("t")
        await settle(pilot)
        assert "Initializing..." in painted(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert '"workspace_path": "/workspaces/acme-web_e5f6"' in painted(pilot)
        await pilot.press("t")
        await settle(pilot)
        assert "the service keeps an ended job for one hour" in painted(pilot)


async def test_output_is_searched_and_escape_goes_back_step_by_step(world: World) -> None:
    (job,) = await submitted(world, PLAN)
    world.sidecar.answer(job, 0, stdout="\n".join(f"line {number}" for number in range(200)) + "\nneedle here")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        screen = jobs_screen(pilot)
        screen.pane.lines.focus()
        await pilot.press("slash", *"needle", "enter")
        await settle(pilot)
        assert "needle here" in painted(pilot)
        assert "match 1 of 1" in painted(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert "match" not in painted(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert screen.focused is screen.table
        await pilot.press("escape")
        await pilot.pause()
        assert view_of(pilot).view_name == "overview"


async def test_a_queued_job_says_whom_it_waits_for(world: World) -> None:
    running, _queued = await submitted(world, APPLY, PLAN)
    world.sidecar.start(running)
    async with world.console(view="jobs") as pilot:
        await settle_but_watching(pilot)
        assert f"behind apply {str(running)[:8]}" in row_of(pilot, "◷ queued")
        assert "● running" in painted(pilot)


async def test_a_job_that_the_service_forgot_is_lost_and_not_failed(world: World) -> None:
    await submitted(world, PLAN)
    world.sidecar.forget()
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        text = painted(pilot)
        assert "? lost" in text
        assert "✗" not in text
        assert "before you submit it again" in text


async def test_a_dead_sidecar_leaves_the_rows_and_calls_nothing_failed(world: World) -> None:
    ended, _open = await submitted(world, INIT, PLAN)
    world.sidecar.answer(ended, 0, stdout="done")
    async with world.console(view="jobs") as pilot:
        await settle_but_watching(pilot)
        for call in ("health", "job", "token_accepted", "submit"):
            world.sidecar.errors[call] = Unreachable("the sidecar does not answer")
        # A refresh leaves out what was asked about a moment ago.
        world.clock.advance(60)
        await pilot.press("r")
        await settle_but_watching(pilot)
        text = painted(pilot)
        assert "✓ answered 0" in text
        assert "? unknown" in text
        assert "✗ faulted" not in text


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_dead_sidecar_has_a_banner_and_the_age_is_that_of_its_last_answer(
    world: World, size: tuple[int, int], live: bool
) -> None:
    (job,) = await submitted(world, INIT)
    if not live:
        world.sidecar.answer(job, 0, stdout="done")
    async with world.console(view="jobs", size=size) as pilot:
        await settle_but_watching(pilot)
        assert "data 0 s old" in painted(pilot)
        world.sidecar.errors |= dict.fromkeys(("health", "job"), Unreachable("nobody answers", hint="Start it."))
        world.clock.advance(60)
        await pilot.press("r")
        await settle_but_watching(pilot)
        text = painted(pilot)
        assert "✗ The sidecar cannot be asked about jobs: nobody answers" in text
        assert "→ Start it." in text
        assert "data 1 m old" in text
        assert "init" in text
        assert "? unknown" in text if live else "✓ answered 0" in text
        world.sidecar.errors.clear()
        world.clock.advance(60)
        await pilot.press("r")
        await settle_but_watching(pilot)
        assert "cannot be asked" not in painted(pilot)
        assert "data 0 s old" in painted(pilot)


async def test_a_sidecar_that_never_answered_makes_no_row_fresh(world: World) -> None:
    await submitted(world, INIT)
    world.sidecar.errors |= dict.fromkeys(("health", "job"), Unreachable("nobody answers"))
    async with world.console(view="jobs", size=SMALL) as pilot:
        await settle_but_watching(pilot)
        text = painted(pilot)
        assert "no answer yet" in text.splitlines()[1]
        assert "cannot be asked about jobs" in text


async def test_filter_sort_and_only_wrong_narrow_the_list(world: World) -> None:
    failing, passing = await submitted(world, INIT, PLAN)
    world.sidecar.answer(failing, 1)
    world.sidecar.answer(passing, 0)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        screen = jobs_screen(pilot)
        await pilot.press("slash", *"web", "enter")
        await pilot.pause()
        assert len(screen.table.source) == 1
        await pilot.press("escape")
        await pilot.pause()
        assert len(screen.table.source) == 2
        await pilot.press("exclamation_mark")
        await pilot.pause()
        assert len(screen.table.source) == 1
        assert "acme-web" in painted(pilot)
        await pilot.press("exclamation_mark", "o", "o", "O")
        await pilot.pause()
        assert "▼" in painted(pilot).splitlines()[2]
        await pilot.press("slash", *"nothing like it")
        await pilot.pause()
        assert "No job matches" in painted(pilot)


async def open_form(pilot: Pilot[None], kind: JobKind = JobKind.PLAN) -> SubmitDialog:
    await pilot.press("plus")
    await wait_until(lambda: isinstance(pilot.app.screen, SubmitDialog))
    form = pilot.app.screen
    assert isinstance(form, SubmitDialog)
    form.query_one("#kind", Select).value = kind
    await pilot.pause()
    return form


def shown_fields(form: SubmitDialog) -> set[str]:
    return {str(row.id).removeprefix("row-") for row in form.query(".field") if row.display} - {"kind"}


async def test_the_form_shows_the_fields_of_the_kind(world: World) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        form = await open_form(pilot)
        assert shown_fields(form) == {"workspace_path", "scope_id", "terraform_provider", "plan_file", "targets"}
        form.query_one("#kind", Select).value = JobKind.VALIDATE
        await pilot.pause()
        assert shown_fields(form) == {"workspace_path"}
        form.query_one("#kind", Select).value = JobKind.IMPORT
        await pilot.pause()
        assert shown_fields(form) == {"workspace_path", "scope_id", "terraform_provider", "address", "resource_id"}
        assert form.query_one("#workspace_path", Input).value == "/workspaces/"


async def test_what_the_contract_refuses_cannot_be_submitted(world: World) -> None:
    async with world.console(view="jobs", size=SMALL) as pilot:
        await settle(pilot)
        form = await open_form(pilot)
        form.query_one("#workspace_path", Input).value = "/workspaces/acme"
        form.query_one("#scope_id", Input).value = "1111"
        form.query_one("#terraform_provider", Select).value = "azure"
        form.query_one("#plan_file", Input).value = "../../etc/passwd"
        await pilot.pause()
        assert form.query_one("#run", Button).disabled
        assert "Plan file: at most 128 letters" in painted(pilot)
        form.query_one("#plan_file", Input).value = "session.plan"
        form.query_one("#targets", TextArea).text = 'azurerm_subnet.x["a b"]\n\nmodule.y\n'
        await pilot.pause()
        assert not form.query_one("#run", Button).disabled
        form.query_one("#run", Button).press()
        await wait_until(lambda: world.sidecar.requests != [])
        (request,) = world.sidecar.requests
        assert isinstance(request, PlanRequest)
        assert request.targets == ('azurerm_subnet.x["a b"]', "module.y")


async def test_a_submitted_job_is_selected_watched_and_its_end_is_told_in_any_view(world: World) -> None:
    world.change(iac=world.contexts[0].iac)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        form = await open_form(pilot, JobKind.VALIDATE)
        form.query_one("#workspace_path", Input).value = "/workspaces/acme-dns"
        await pilot.pause()
        form.query_one("#run", Button).press()
        await wait_until(lambda: "validate submitted as" in painted(pilot))
        assert "acme-dns" in row_of(pilot, "◷ queued")
        (job_id,) = world.sidecar.documents
        await pilot.press("1")
        world.sidecar.answer(job_id, 1, stderr="Error: invalid")
        world.clock.advance(5)
        await wait_until(lambda: "validate on acme-dns: invalid" in painted(pilot))


async def test_an_apply_is_sent_only_after_the_workspace_was_typed(world: World) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        form = await open_form(pilot, JobKind.APPLY)
        form.query_one("#workspace_path", Input).value = "/workspaces/acme-net_a1b2"
        form.query_one("#scope_id", Input).value = "1111"
        form.query_one("#terraform_provider", Select).value = "azure"
        await pilot.pause()
        form.query_one("#run", Button).press()
        await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        dialog = pilot.app.screen
        await pilot.pause()
        assert "Apply session.plan in acme-net_a1b2?" in painted(pilot)
        assert "context prod" in painted(pilot)
        assert dialog.focused is dialog.query_one("#cancel")
        assert dialog.query_one("#confirm", Button).disabled
        typed = dialog.query_one("#typed", Input)
        typed.value = "acme-net"
        await pilot.pause()
        assert dialog.query_one("#confirm", Button).disabled
        assert world.sidecar.requests == []
        typed.value = "acme-net_a1b2"
        await pilot.pause()
        dialog.query_one("#confirm", Button).press()
        await wait_until(lambda: world.sidecar.requests != [])
        assert isinstance(world.sidecar.requests[0], ApplyRequest)


@pytest.mark.parametrize("key", ["enter", "escape"])
async def test_leaving_the_question_sends_nothing(world: World, key: str) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        form = await open_form(pilot, JobKind.IMPORT)
        form.query_one("#workspace_path", Input).value = "/workspaces/acme-net_a1b2"
        form.query_one("#scope_id", Input).value = "1111"
        form.query_one("#terraform_provider", Select).value = "aws"
        form.query_one("#address", Input).value = "aws_vpc.main"
        form.query_one("#resource_id", Input).value = "vpc-1"
        await pilot.pause()
        form.query_one("#run", Button).press()
        await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
        await pilot.press(key)
        await settle(pilot)
        assert world.sidecar.requests == []
        assert "nothing was sent" in painted(pilot)


async def test_read_only_mode_has_no_way_to_submit(world: World) -> None:
    (job,) = await submitted(world, PLAN)
    world.sidecar.answer(job, 0)
    async with world.console(view="jobs", read_only=True, size=(140, 60)) as pilot:
        await settle(pilot)
        screen = jobs_screen(pilot)
        assert "submit" not in painted(pilot).splitlines()[-1]
        await pilot.press("plus")
        await pilot.pause()
        assert pilot.app.screen is screen
        await pilot.press("colon", *"submit plan", "enter")
        await pilot.pause()
        assert pilot.app.screen is screen
        await pilot.press("question_mark")
        await pilot.pause()
        assert "Submit" not in painted(pilot)
        assert "Read-only mode" in painted(pilot)
        await pilot.press("escape", "ctrl+p", *"submit")
        await pilot.pause()
        assert "Submit a job" not in painted(pilot)
        assert world.sidecar.requests[1:] == []


async def test_a_submission_without_an_answer_is_kept_and_called_unknown(world: World) -> None:
    world.sidecar.errors["submit"] = SubmissionUnclear("the sidecar did not answer", hint="Look at its log.")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        form = await open_form(pilot, JobKind.VALIDATE)
        form.query_one("#workspace_path", Input).value = "/workspaces/acme-dns"
        await pilot.pause()
        form.query_one("#run", Button).press()
        await wait_until(lambda: "→ Look at its log." in painted(pilot))
        text = painted(pilot)
        assert "✗ the sidecar did not answer" in text
        assert "? unknown" in text


async def test_a_job_is_followed_by_its_id_or_the_beginning_of_it(world: World) -> None:
    stranger = world.sidecar.add(JobKind.VALIDATE)
    world.sidecar.answer(stranger.job_id, 0, stdout="Success! The configuration is valid.")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await pilot.press("i")
        await wait_until(lambda: isinstance(pilot.app.screen, AskDialog))
        pilot.app.screen.query_one(Input).value = str(stranger.job_id)
        await pilot.press("enter")
        await wait_until(lambda: "Success! The configuration is valid." in painted(pilot))
        await pilot.press("colon", *"follow zzzz", "enter")
        await wait_until(lambda: "no job zzzz is known" in painted(pilot))


async def test_a_job_is_submitted_again_from_its_own_values(world: World) -> None:
    (job,) = await submitted(world, PLAN)
    world.sidecar.answer(job, 1)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await pilot.press("colon", *"resubmit", "enter")
        await wait_until(lambda: isinstance(pilot.app.screen, SubmitDialog))
        form = pilot.app.screen
        assert isinstance(form, SubmitDialog)
        assert form.values["workspace_path"] == "/workspaces/acme-net_a1b2"
        assert form.values["terraform_provider"] == "azure"
        assert form.values["plan_file"] == "session.plan"
        await pilot.press("escape")


async def test_a_job_is_copied_as_id_as_json_and_as_the_command(world: World) -> None:
    (job,) = await submitted(world, PLAN)
    world.sidecar.answer(job, 1, stderr="\x1b[31mError\x1b[0m \x1b]52;c;QQ==\x07")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await pilot.press("y")
        assert console_of(pilot).clipboard == str(job)
        await pilot.press("Y")
        assert json.loads(console_of(pilot).clipboard)["exit_code"] == 1
        texts = {copy.label: copy.text for copy in jobs_screen(pilot).copies()}
        assert texts["the command that shows this"] == f"kumoss-console jobs show {job} --context prod"
        assert texts["stderr"] == "Error ␛]52;c;QQ==␇"


async def test_output_is_saved_to_a_new_file_for_its_owner_only(world: World, isolated: Path) -> None:
    (job,) = await submitted(world, PLAN)
    world.sidecar.answer(job, 0, stdout="\x1b[1mPlan:\x1b[0m 3 to add")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await pilot.press("colon", *"save out.txt", "enter")
        await wait_until(lambda: "written to out.txt" in painted(pilot))
        await pilot.press("colon", *"save out.txt", "enter")
        await wait_until(lambda: "out.txt exists already" in painted(pilot))
    assert (isolated / "out.txt").read_text() == "Plan: 3 to add"
    assert (isolated / "out.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_hostile_output_workspaces_and_problems_are_only_shown(world: World, size: tuple[int, int]) -> None:
    requests = [ValidateRequest(workspace_path=f"/w/{text}"[:4096]) for text in HOSTILE for _ in range(2)]
    for number, job in enumerate(await submitted(world, *requests)):
        text = HOSTILE[number // 2]
        if number % 2:
            world.sidecar.answer(job, 1, stdout=text, stderr=text)
        else:
            world.sidecar.fault(job, 500, text, text)
    async with world.console(size=size, view="jobs") as pilot:
        await settle(pilot)
        shown = painted(pilot)
        for number in range(len(requests)):
            # Every row is looked at; every part, the copy menu and the copies of one row of each text.
            for keys in ([("t",), ("c",), ("escape", "y")] if number % 2 == 0 else []) + [("j",)]:
                await pilot.press(*keys)
                await settle(pilot)
                shown += painted(pilot)
        await pilot.press("slash", *"x", "enter")
        shown += painted(pilot)
        assert all(char.isprintable() or char in "\n\u200d\ufe0f" for char in shown)


async def test_two_hundred_jobs_stay_fluent(world: World) -> None:
    for job in await submitted(world, *(ValidateRequest(workspace_path=f"/w/{number}") for number in range(200))):
        world.sidecar.answer(job, 0)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        screen = jobs_screen(pilot)
        assert len(screen.table.source) == 200
        await pilot.press("G")
        await pilot.pause()
        assert screen.table.cursor == 199
