"""The output of a job: read full screen, searched, wrapped, saved; and what its failure means, beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from textual.pilot import Pilot

from kumoss_console.model.contract import CloudProvider, InitRequest, PlanRequest, ValidateRequest
from screens.dialogs.ask import AskDialog
from screens.jobs.output import OutputScreen
from screens.jobs.screen import JobsScreen
from tests.hostile import HOSTILE
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle, view_of
from tests.waiting import wait_until

WEB = InitRequest(workspace_path="/workspaces/acme-web_e5f6", scope_id="1111", terraform_provider=CloudProvider.AZURE)
NET = PlanRequest(
    workspace_path="/workspaces/acme-net_a1b2", scope_id="1111", terraform_provider=CloudProvider.AZURE, plan_file="session.plan"
)
BAD_KEY = """\x1b[31m╷\x1b[0m
\x1b[31m│\x1b[0m \x1b[1m\x1b[31mError: \x1b[0m\x1b[1merror configuring S3 Backend\x1b[0m
\x1b[31m│\x1b[0m
\x1b[31m│\x1b[0m   api error InvalidAccessKeyId: The Access Key Id you provided does not exist in our records.
\x1b[31m╵\x1b[0m
"""


async def ended(world: World, request: InitRequest | PlanRequest | ValidateRequest, code: int = 1, **output: str) -> UUID:
    job = await world.build(world.config).jobs.submit(request)
    job_id = UUID(job.job_id)
    world.sidecar.start(job_id)
    world.clock.advance(5)
    world.sidecar.answer(job_id, code, **output)
    return job_id


def reader(pilot: Pilot[None]) -> OutputScreen:
    screen = view_of(pilot)
    assert isinstance(screen, OutputScreen)
    return screen


async def opened(pilot: Pilot[None]) -> OutputScreen:
    await settle(pilot)
    await pilot.press("enter")
    await wait_until(lambda: isinstance(pilot.app.screen, OutputScreen))
    await settle(pilot)
    return reader(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_enter_opens_the_output_and_q_goes_back_to_the_jobs(world: World, size: tuple[int, int]) -> None:
    await ended(world, WEB, stderr=BAD_KEY)
    async with world.console(view="jobs", size=size) as pilot:
        await opened(pilot)
        text = painted(pilot)
        assert "init" in text
        assert "acme-web_e5f6" in text
        assert "03:04:05 UTC · ran 5.0 s" in text
        assert "Error: error configuring S3 Backend" in text
        assert "lines 1-5 of 5" in text
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(view_of(pilot), JobsScreen)
        await pilot.press("v")
        await wait_until(lambda: isinstance(pilot.app.screen, OutputScreen))
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(view_of(pilot), JobsScreen)


async def test_a_search_counts_goes_on_and_is_closed_before_the_output(world: World) -> None:
    text = "\n".join("needle" if number % 50 == 7 else f"line {number}" for number in range(850))
    await ended(world, NET, 0, stdout=text)
    async with world.console(view="jobs") as pilot:
        screen = await opened(pilot)
        await pilot.press("slash", *"Needle", "enter")
        await settle(pilot)
        assert "match 1 of 17" in painted(pilot)
        await pilot.press("n", "n")
        await pilot.pause()
        assert "match 3 of 17" in painted(pilot)
        await pilot.press("N")
        await pilot.pause()
        assert "match 2 of 17" in painted(pilot)
        await pilot.press("y")
        assert console_of(pilot).clipboard == "needle"
        await pilot.press("q")
        await pilot.pause()
        assert view_of(pilot) is screen
        assert "match" not in painted(pilot)


async def test_the_first_error_is_found_in_either_stream(world: World) -> None:
    await ended(world, WEB, stdout="line\n" * 100 + "│ Error: told on stdout\n" + "line\n" * 60, stderr="a warning\n")
    async with world.console(view="jobs") as pilot:
        screen = await opened(pilot)
        assert screen.texts.part == "stderr"
        await pilot.press("e")
        await settle(pilot)
        assert screen.texts.part == "stdout"
        assert screen.lines.told.startswith("lines 101-")
        assert "│ Error: told on stdout" in painted(pilot)


async def test_an_output_without_an_error_says_so(world: World) -> None:
    await ended(world, NET, 0, stdout="fine")
    async with world.console(view="jobs") as pilot:
        screen = await opened(pilot)
        await pilot.press("e")
        await pilot.pause()
        assert "no line begins an error" in painted(pilot)
        assert screen.texts.part == "stdout"


async def test_full_screen_leaves_nothing_but_the_text(world: World) -> None:
    await ended(world, NET, 0, stdout="\n".join(f"line {number}" for number in range(100)))
    async with world.console(view="jobs", size=SMALL) as pilot:
        await opened(pilot)
        await pilot.press("z")
        await pilot.pause()
        text = painted(pilot)
        assert "prod" not in text
        assert "line 20" in text
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(view_of(pilot), OutputScreen)
        assert "prod" in painted(pilot)


async def test_a_job_that_ends_while_it_is_read_shows_its_output(world: World) -> None:
    jobs = world.build(world.config).jobs
    job = await jobs.submit(ValidateRequest(workspace_path="/workspaces/acme-dns"))
    async with world.console(view="jobs") as pilot:
        await wait_until(lambda: "◷ queued" in painted(pilot))
        await pilot.press("enter")
        await wait_until(lambda: isinstance(pilot.app.screen, OutputScreen))
        await pilot.press("f")
        await pilot.pause()
        assert "the end is shown as soon as there is output" in painted(pilot)
        world.sidecar.answer(UUID(job.job_id), 0, stdout="\n".join(f"line {number}" for number in range(300)) + "\nthe end")
        world.clock.advance(5)
        await wait_until(lambda: "the end" in painted(pilot).replace("the end is shown", ""))
        assert "✓ answered 0" in painted(pilot)
        assert reader(pilot).lines.follow
        assert "follow" not in [command.action for command in reader(pilot).available]


async def test_an_ended_job_has_nothing_to_follow(world: World) -> None:
    await ended(world, NET, 0, stdout="done")
    async with world.console(view="jobs") as pilot:
        screen = await opened(pilot)
        assert "follow_end" not in [command.action_name for command in screen.available]


async def test_a_large_output_is_saved_whole_and_never_put_on_a_clipboard(world: World, isolated: Path) -> None:
    line = "\x1b[32mresource\x1b[0m created\n"
    await ended(world, NET, 0, stdout=line * 40_000)
    async with world.console(view="jobs") as pilot:
        screen = await opened(pilot)
        assert "stdout" not in [copy.label for copy in screen.copies()]
        assert "stdout" not in json.loads(next(copy.text for copy in screen.copies() if copy.role == "json"))
        await pilot.press("colon", *"save out.txt", "enter")
        await wait_until(lambda: "written to out.txt (680,000 characters)" in painted(pilot))
    assert (isolated / "out.txt").read_text() == "resource created\n" * 40_000


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_s_saves_the_whole_output_for_its_owner_only_and_names_the_file(
    world: World, isolated: Path, size: tuple[int, int]
) -> None:
    job_id = await ended(world, NET, 0, stdout="one line\n" * 5_000)
    name = f"plan-{str(job_id)[:8]}-stdout.txt"
    async with world.console(view="jobs", size=size) as pilot:
        await opened(pilot)
        await pilot.press("S")
        await wait_until(lambda: isinstance(pilot.app.screen, AskDialog))
        await pilot.pause()
        assert name in painted(pilot)
        await pilot.press("enter")
        await wait_until(lambda: f"written to {name} (45,000 characters)" in painted(pilot))
    assert (isolated / name).read_text() == "one line\n" * 5_000
    assert (isolated / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_what_the_journal_did_not_keep_is_said_with_how_much_it_is(world: World, size: tuple[int, int]) -> None:
    job_id = await ended(world, NET, 0, stdout="")
    jobs = world.build(world.config).jobs
    job = await jobs.poll(str(job_id))
    whole = replace(job, stdout="the end of it", output_bytes=100, note="the first 87 bytes of stdout were not kept")
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        await pilot.app.push_screen(OutputScreen(whole, whole.summary))
        await settle(pilot)
        text = painted(pilot)
        assert "! the first 87 bytes of stdout were not kept" in text
        assert "the end of it" in text


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_hostile_output_is_only_shown(world: World, size: tuple[int, int]) -> None:
    await ended(world, WEB, stdout="\n".join(HOSTILE), stderr="\r".join(HOSTILE) + "\nError: " + HOSTILE[0])
    async with world.console(view="jobs", size=size) as pilot:
        await opened(pilot)
        shown = ""
        for key in ("w", "w", "G", "t", "G", "t", "t", "e", "c"):
            await pilot.press(key)
            await settle(pilot)
            shown += painted(pilot)
        await pilot.press("escape", "slash", *"[/tmp", "enter")
        await settle(pilot)
        shown += painted(pilot)
        assert all(char.isprintable() or char in "\n\u200d\ufe0f" for char in shown)


# -- what a failure means ----------------------------------------------------------------------------------------------------


async def test_a_failure_is_explained_in_its_row_and_in_two_lines_where_there_is_little_room(world: World) -> None:
    await ended(world, WEB, stderr=BAD_KEY)
    async with world.console(view="jobs", size=SMALL) as pilot:
        await settle(pilot)
        lines = painted(pilot).splitlines()
        row = next(line for line in lines if "acme-web" in line and "answered" in line)
        assert "exit code" not in row
        frame = next(number for number, line in enumerate(lines) if "init" in line and "azure" in line)
        assert "The access key is not" in row
        assert "✗ The access key is not known there" in lines[frame + 1]
        assert "d why" in lines[frame + 1]
        assert "→ " in lines[frame + 2]
        assert "[stderr]" in lines[frame + 3]
        await pilot.press("d")
        await pilot.pause()
        assert "likely" in painted(pilot)
        await pilot.press("d")
        await pilot.pause()
        assert "likely" not in painted(pilot)


async def test_where_there_is_room_the_cause_the_remedy_and_the_evidence_are_shown(world: World) -> None:
    await ended(world, WEB, stderr=BAD_KEY)
    async with world.console(view="jobs", size=LARGE) as pilot:
        await settle(pilot)
        text = painted(pilot)
        assert "likely" in text
        assert "→ " in text
        assert "stderr 4  api error InvalidAccessKeyId" in text
        labels = [copy.label for copy in view_of(pilot).copies()]
        assert "what it means" in labels
        document = json.loads(next(copy.text for copy in view_of(pilot).copies() if copy.role == "json"))
        assert document["diagnosis"][0]["code"]


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_what_nobody_knows_is_called_unknown(world: World, size: tuple[int, int]) -> None:
    await ended(world, NET, stderr="Error: the flux capacitor is not charged\n")
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        text = painted(pilot)
        assert "unknown: no rule knows this text" in text
        assert "the flux capacitor is not" in next(line for line in text.splitlines() if "acme-net" in line)


async def test_a_job_that_did_well_is_not_explained(world: World) -> None:
    await ended(world, NET, 0, stdout="Plan: 3 to add", stderr="")
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        assert "unknown" not in painted(pilot)
        assert "details" not in [command.action_name for command in view_of(pilot).available]


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_hostile_words_in_an_explanation_are_only_shown(world: World, size: tuple[int, int]) -> None:
    for text in HOSTILE:
        await ended(world, WEB, stderr=f"Error: {text}\n\napi error InvalidAccessKeyId: {text}\n")
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        shown = set[str]()
        for _ in HOSTILE:
            shown.add(painted(pilot))
            await pilot.press("d")
            await settle(pilot)
            shown.add(painted(pilot))
            await pilot.press("d", "j")
            await settle(pilot)
        assert len(shown) >= 2 * len(HOSTILE), "each was looked at, closed and open"
        assert all(char.isprintable() or char in "\n\u200d\ufe0f" for text in shown for char in text)
