"""The frame around every view: which world, which view, what was said, which keys work."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from kumoss_console.errors import AccessDenied, InputError, Unreachable
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import StorageSettings
from screens.commands import EVERYWHERE
from screens.dialogs.choose import ChooseDialog
from screens.dialogs.dialog import Dialog
from screens.dialogs.help import HelpDialog
from screens.dialogs.text import TextDialog
from screens.views import VIEWS
from screens.widgets.context_bar import ContextBar
from screens.widgets.typed_line import CommandLine, FilterLine
from tests.fakes.sidecar import FakeSidecar
from tests.hostile import HOSTILE
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle, view_of
from tests.waiting import AT_ONCE, wait_until


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_first_line_says_which_world_is_about_to_be_touched(world: World, size: tuple[int, int]) -> None:
    async with world.console(size=size, read_only=True) as pilot:
        await settle(pilot)
        first = painted(pilot).splitlines()[0]
        assert first.startswith(" prod · RUSTFS ")
        assert "sidecar" in first
        assert "ok 4 ms" in first
        assert first.endswith("READ-ONLY")
        if size == LARGE:
            for part in ("kumoss-terraform-state @ store.acme:9000", "sidecar iac.acme:8082", "ops@laptop"):
                assert part in first


async def test_a_world_that_may_be_changed_has_no_badge(world: World) -> None:
    async with world.console() as pilot:
        await settle(pilot)
        assert "READ-ONLY" not in painted(pilot)


async def test_the_second_line_names_the_views_and_the_age_of_what_is_shown(world: World) -> None:
    async with world.console() as pilot:
        await settle(pilot)
        assert "1 Overview" in painted(pilot).splitlines()[1]
        assert painted(pilot).splitlines()[1].endswith("data 0 s old")
        world.clock.advance(90)
        await wait_until(lambda: painted(pilot).splitlines()[1].rstrip(" ⟳").endswith("data 1 m old"))


async def test_nothing_is_asked_before_the_first_picture(world: World) -> None:
    drawn_when_asked: list[int] = []

    class Watching(FakeSidecar):
        async def health(self) -> float:
            drawn_when_asked.append(app.screen.query_one(ContextBar).size.width)
            return await super().health()

    world.sidecar = Watching(world.clock)
    app = world.app()
    assert world.sidecar.calls == []
    assert world.store.calls == []
    async with app.run_test(size=SMALL) as pilot:
        await settle(pilot)
        # The frame has its place on the screen before anybody is asked anything.
        assert drawn_when_asked != []
        assert set(drawn_when_asked) == {80}


async def test_numbers_switch_views_and_brackets_go_back_and_forward(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("2")
        assert view_of(pilot).view_name == "jobs"
        await pilot.press("left_square_bracket")
        assert view_of(pilot).view_name == "overview"
        await pilot.press("right_square_bracket")
        assert view_of(pilot).view_name == "jobs"
        await pilot.press("escape")
        assert view_of(pilot).view_name == "overview"


async def test_q_leaves_at_once_however_many_views_were_visited(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("2", "4", "6", "2", "q")
        await pilot.pause()
        assert not pilot.app.is_running


async def test_q_closes_what_is_open_before_it_leaves(world: World) -> None:
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("slash", *"net", "enter")
        await pilot.press("q")
        await pilot.pause()
        view = view_of(pilot)
        assert not any(line.is_open for line in view.query(FilterLine))
        await pilot.press("z")
        await pilot.pause()
        assert view_of(pilot).maximized is not None
        await pilot.press("q")
        await pilot.pause()
        assert view_of(pilot).maximized is None
        await pilot.press("question_mark")
        await pilot.pause()
        assert "Esc closes" in painted(pilot)
        await pilot.press("q")
        await pilot.pause()
        assert view_of(pilot) is view
        assert pilot.app.is_running
        await pilot.press("q")
        await pilot.pause()
        assert not pilot.app.is_running


@pytest.mark.parametrize("key", ["q", "escape"])
@pytest.mark.parametrize("words", ["log", "context", "help"])
async def test_every_dialog_is_closed_by_q_and_by_escape(world: World, words: str, key: str) -> None:
    async with world.console() as pilot:
        await pilot.press("colon", *words, "enter")
        await wait_until(lambda: isinstance(pilot.app.screen, Dialog))
        await pilot.press(key)
        await pilot.pause()
        assert view_of(pilot).view_name == "overview"
        assert pilot.app.is_running


async def test_q_is_a_letter_where_something_is_typed(world: World) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await pilot.press("slash", "q")
        await pilot.press("escape", "colon", "q", "escape")
        await pilot.pause()
        assert pilot.app.is_running


async def test_escape_goes_back_through_the_views_and_never_leaves(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("2", "4", "escape")
        assert view_of(pilot).view_name == "jobs"
        await pilot.press("escape")
        assert view_of(pilot).view_name == "overview"
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert pilot.app.is_running


async def test_ctrl_c_twice_leaves_and_once_says_so(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert pilot.app.is_running
        assert "ctrl+c again quits" in painted(pilot)
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert not pilot.app.is_running


async def test_ctrl_q_leaves_from_inside_a_dialog(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpDialog)
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert not pilot.app.is_running


async def test_what_was_said_stays_until_a_key_is_pressed_and_then_in_the_log(world: World) -> None:
    async with world.console() as pilot:
        console_of(pilot).flash("the store answered late", Severity.WARNING)
        await pilot.pause()
        assert "! the store answered late" in painted(pilot)
        await pilot.press("j")
        await pilot.pause()
        assert "the store answered late" not in painted(pilot)
        await pilot.press("colon", *"log", "enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TextDialog)
        assert "! the store answered late" in painted(pilot)


async def test_warnings_of_the_configuration_are_said_at_the_start(world: World) -> None:
    world.warnings = ("storage.bucket is not used by the console",)
    async with world.console() as pilot:
        assert "! storage.bucket is not used by the console" in painted(pilot)


async def test_the_footer_shows_the_keys_that_work_here(world: World) -> None:
    async with world.console(size=SMALL, view="jobs") as pilot:
        await settle(pilot)
        footer = painted(pilot).splitlines()[-1]
        for part in ("enter output", "/ filter", "? help"):
            assert part in footer
        assert len(footer) <= 80


async def test_help_lists_every_command_with_the_key_that_is_bound(world: World) -> None:
    async with world.console(size=(140, 70), view="jobs") as pilot:
        view = view_of(pilot)
        available = view.available
        await pilot.press("f1")
        await pilot.pause()
        text = painted(pilot)
        for command in available:
            assert command.title in text
        assert ":context NAME" in text


async def test_the_palette_finds_a_command_and_runs_it(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("ctrl+p", *"go to jobs")
        await wait_until(lambda: "Go to Jobs" in painted(pilot))
        await pilot.press("enter", "enter")
        await wait_until(lambda: getattr(pilot.app.screen, "view_name", "") == "jobs")


async def test_the_command_line_completes_recalls_and_answers_a_slip(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("colon", *"jo", "tab")
        await pilot.pause()
        assert view_of(pilot).query_one(CommandLine).value == "jobs"
        await pilot.press("enter")
        await wait_until(lambda: view_of(pilot).view_name == "jobs")
        await pilot.press("colon", *"jbos", "enter")
        await pilot.pause()
        assert "did you mean :jobs?" in painted(pilot)
        await pilot.press("colon", "up", "up")
        await pilot.pause()
        assert view_of(pilot).query_one(CommandLine).value == "jobs"
        await pilot.press("escape")
        assert not view_of(pilot).query_one(CommandLine).is_open
        assert view_of(pilot).view_name == "jobs"


async def test_switching_the_context_needs_no_answer_from_the_old_one(world: World) -> None:
    world.sidecar.hang.shut()
    world.store.hang.shut()
    async with world.console(view="jobs") as pilot:
        await pilot.press("colon", *"context dev", "enter")
        # The old context's services hang for good: nothing here may have waited for them.
        await wait_until(lambda: painted(pilot).splitlines()[0].startswith(" dev · "), timeout=AT_ONCE)
        assert view_of(pilot).view_name == "overview"
        await pilot.press("2")
        assert view_of(pilot).view_name == "jobs"


async def test_an_unknown_context_is_refused_with_the_names_there_are(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("colon", *"context prd", "enter")
        await wait_until(lambda: "there is no context named 'prd'. contexts: prod, dev" in painted(pilot))
        assert "--context" not in painted(pilot)
        assert console_of(pilot).services.context.name == "prod"
        await pilot.press("colon", *"context", "enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.press("down", "enter")
        await wait_until(lambda: console_of(pilot).services.context.name == "dev")


async def test_contexts_to_choose_from_say_where_they_lead_which_is_this_one_and_which_may_not_be_changed(world: World) -> None:
    world.contexts = (world.contexts[0], replace(world.contexts[1], read_only=True))
    async with world.console() as pilot:
        await pilot.press("colon", *"context", "enter")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.pause()
        lines = painted(pilot).splitlines()
        here = next(line for line in lines if "● prod" in line)
        there = next(line for line in lines if " dev " in line and "store.acme:9000" in line)
        assert "kumoss-terraform-state @ store.acme:9000 · sidecar iac.acme:8082" in here
        assert "READ-ONLY" not in here
        assert "READ-ONLY" in there
        assert "●" not in there


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_line_one_says_that_a_sidecar_is_well_and_that_it_refuses_our_token(world: World, size: tuple[int, int]) -> None:
    world.sidecar.token_ok = False
    async with world.console(size=size) as pilot:
        await settle(pilot)
        assert "ok 4 ms, token refused" in painted(pilot).splitlines()[0]


async def test_read_only_given_at_the_start_stays_on_in_every_context(world: World) -> None:
    async with world.console(read_only=True) as pilot:
        await pilot.press("colon", *"context dev", "enter")
        await wait_until(lambda: painted(pilot).startswith(" dev"))
        assert painted(pilot).splitlines()[0].endswith("READ-ONLY")


async def test_a_view_that_fails_keeps_its_data_under_the_banner(world: World) -> None:
    async with world.console() as pilot:
        await settle(pilot)
        view = view_of(pilot)
        before = view.loaded

        async def fails() -> None:
            raise AccessDenied("The store refuses us", detail="InvalidAccessKeyId", hint="Set RUSTFS_ACCESS_KEY.")

        async def works() -> None:
            return None

        view.start(fails, group="look")
        await settle(pilot)
        text = painted(pilot)
        for part in ("✗ The store refuses us", "InvalidAccessKeyId", "→ Set RUSTFS_ACCESS_KEY."):
            assert part in text
        assert "data 0 s old" in text
        assert view.loaded == before
        view.start(works, group="other")
        await settle(pilot)
        assert "The store refuses us" in painted(pilot)
        view.start(works, group="look")
        await settle(pilot)
        assert "The store refuses us" not in painted(pilot)


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_in_errors_messages_and_names_is_only_shown(world: World, text: str) -> None:
    world.change(
        name=text[:40] or "x",
        storage=StorageSettings(terraform_state_bucket=text[:60], endpoint_url="https://store.acme:9000"),
    )
    async with world.console(size=SMALL) as pilot:
        await settle(pilot)
        view = view_of(pilot)

        async def fails() -> None:
            raise InputError(text, detail=text, hint=text)

        view.start(fails, group="look")
        console_of(pilot).flash(text, Severity.ERROR)
        await settle(pilot)
        await pilot.press("colon", *"log", "enter")
        await settle(pilot)
        await pilot.press("escape", "colon", *"context", "enter")
        await settle(pilot)
        await pilot.press("escape", "ctrl+p")
        await settle(pilot)
        await pilot.press("escape")
        shown = painted(pilot)
        assert all(char.isprintable() or char in "\n\u200d\ufe0f" for char in shown)
        assert pilot.app.is_running


async def test_copying_says_what_happened_and_where_the_limit_is(world: World) -> None:
    async with world.console(size=LARGE) as pilot:
        console = console_of(pilot)
        console.copy("cca8550712f0", "the key")
        await pilot.pause()
        assert "the key sent to the terminal's clipboard (12 characters)" in painted(pilot)
        assert console.clipboard == "cca8550712f0"
        console.copy("x" * 100_000, "stdout")
        await pilot.pause()
        assert "too long for a terminal's clipboard" in painted(pilot)
        assert console.clipboard == "cca8550712f0"


async def test_a_hidden_view_does_not_ask_and_a_shown_one_asks_once(world: World) -> None:
    world.contexts = (replace(world.contexts[0], refresh_interval=3600.0), *world.contexts[1:])
    async with world.console() as pilot:
        await settle(pilot)
        asked = world.store.calls.count(("check", ""))
        assert asked == 1
        await pilot.press("2", "1", "2", "1")
        await settle(pilot)
        assert world.store.calls.count(("check", "")) == asked
        await pilot.press("r")
        await settle(pilot)
        assert world.store.calls.count(("check", "")) == asked + 1


async def test_a_slow_answer_is_waited_for_and_not_asked_for_again(world: World) -> None:
    world.store.hang.shut()
    async with world.console() as pilot:
        await wait_until(lambda: ("check", "") in world.store.calls)
        await pilot.press("r", "r", "r")
        await pilot.pause()
        assert world.store.calls.count(("check", "")) == 1
        world.store.hang.open()
        await settle(pilot)


@pytest.mark.parametrize("trouble", ["hangs", "is dead"])
@pytest.mark.parametrize("view", [view.name for view in VIEWS])
async def test_leaving_takes_under_a_second_whatever_the_services_do(world: World, view: str, trouble: str) -> None:
    if trouble == "hangs":
        world.sidecar.hang.shut()
        world.store.hang.shut()
    else:
        for name in ("health", "token_accepted", "submit", "job"):
            world.sidecar.errors[name] = Unreachable("the sidecar does not answer")
        for name in ("pages", "head", "get", "get_range", "check"):
            world.store.errors[name] = Unreachable("the store does not answer")
    loop = asyncio.get_running_loop()
    async with world.console(view=view) as pilot:
        await pilot.pause()
        started = loop.time()
        await pilot.press("ctrl+q")
    assert loop.time() - started < AT_ONCE


def test_every_command_has_an_id_and_words_of_its_own() -> None:
    commands = [*EVERYWHERE, *(view.command for view in VIEWS)]
    ids = [command.id for command in commands]
    words = [word for command in commands for word in command.words]
    keys = [key for command in commands for key in command.keys]
    for names in (ids, words, keys):
        assert len(names) == len(set(names))
