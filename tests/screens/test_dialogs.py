"""Dialogs: a list that can be narrowed, whole labels, and inputs that never hand a terminal what it would obey."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from kumoss_console.errors import Unreachable
from kumoss_console.model.context import KnownProject
from kumoss_console.text import printable
from screens.dialogs.ask import AskDialog
from screens.dialogs.choose import ChooseDialog
from screens.dialogs.confirm import ConfirmDialog
from screens.jobs.form import SubmitDialog
from screens.widgets.choices import drawn
from screens.widgets.reading import Reading
from tests.hostile import HOSTILE
from tests.screens.objects import calm
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle, view_of

LONG = "the production network of the team that runs it"
OBEYED = "\x1b]52;c;QQ==\x07\x9b2J\x1b[31m"


def projects(count: int) -> tuple[KnownProject, ...]:
    return tuple(KnownProject(repo=f"https://git.acme/team/infra-{n}", scope="prod", name=f"project {n}") for n in range(count))


async def choose(pilot: Pilot[None], *options: tuple[str, str]) -> list[int | None]:
    answers: list[int | None] = []
    pilot.app.push_screen(ChooseDialog("Known projects", options), answers.append)
    await settle(pilot)
    return answers


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_label_is_shown_whole_with_what_it_stands_for_beside_or_below(world: World, size: tuple[int, int]) -> None:
    async with world.console(size=size) as pilot:
        await choose(pilot, (LONG, "https://git.acme/team/infra · prod · envs/eu"), ("short", "https://git.acme/x"))
        text = painted(pilot)
        assert LONG in text
        assert "https://git.acme/team/infra" in text
        assert "https://git.acme/x" in text


async def test_the_list_is_narrowed_by_words_in_any_order_and_the_answer_is_the_option_meant(world: World) -> None:
    async with world.console() as pilot:
        answers = await choose(pilot, ("one", "a net of prod"), ("two", "a net of dev"), ("three", "nothing"))
        await pilot.press("slash", *"DEV net")
        await settle(pilot)
        text = painted(pilot)
        assert "1 of 3" in text
        assert "a net of dev" in text
        assert "a net of prod" not in text
        await pilot.press("enter", "enter")
        await settle(pilot)
        assert answers == [1]


async def test_a_filter_that_nothing_matches_shows_nothing_and_enter_chooses_nothing(world: World) -> None:
    async with world.console() as pilot:
        answers = await choose(pilot, ("one", "a"), ("two", "b"))
        await pilot.press("slash", *"zzz", "enter", "enter")
        await settle(pilot)
        assert "0 of 2" in painted(pilot)
        assert answers == []


async def test_the_footer_says_what_enter_does_while_the_filter_is_typed_and_after(world: World) -> None:
    async with world.console() as pilot:
        await choose(pilot, ("one", "a"), ("two", "b"))
        await pilot.press("slash", *"two")
        await settle(pilot)
        assert "1 of 2 · Enter goes to the list" in painted(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert "1 of 2 · / filters · Enter chooses" in painted(pilot)


async def test_esc_closes_the_filter_first_and_then_the_dialog(world: World) -> None:
    async with world.console() as pilot:
        answers = await choose(pilot, ("one", "a"), ("two", "b"))
        await pilot.press("slash", *"two", "enter", "escape")
        await settle(pilot)
        assert isinstance(pilot.app.screen, ChooseDialog)
        assert "one" in painted(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert answers == [None]


async def test_the_cursor_stays_on_its_option_while_the_list_is_narrowed(world: World) -> None:
    async with world.console() as pilot:
        answers = await choose(pilot, *((f"option {n}", "") for n in range(20)))
        await pilot.press("G", "k", "slash", "1", "enter", "enter")
        await settle(pilot)
        assert answers == [18]


async def test_the_keys_that_move_in_every_list_move_in_this_one(world: World) -> None:
    async with world.console(size=SMALL) as pilot:
        answers = await choose(pilot, *((f"option {n}", "") for n in range(100)))
        await pilot.press("j", "j", "k", "ctrl+d", "ctrl+u", "j", "enter")
        await settle(pilot)
        assert answers == [2]


async def test_the_help_scrolls_with_the_keys_that_it_lists(world: World) -> None:
    async with world.console(size=SMALL) as pilot:
        await pilot.press("question_mark")
        await settle(pilot)
        body = pilot.app.screen.query_one(Reading)
        end = body.max_scroll_y
        assert end > 0
        seen = []
        for key in ("G", "g", "j", "k", "ctrl+f", "ctrl+b", "ctrl+d", "ctrl+u", "end", "home"):
            await pilot.press(key)
            await settle(pilot)
            seen.append(body.scroll_y)
        page, half = body.scrollable_content_region.height, body.scrollable_content_region.height // 2
        assert seen == [end, 0, 1, 0, min(end, page), 0, min(end, half), 0, end, 0]


async def test_what_is_confirmed_can_be_read_to_its_end_with_the_buttons_in_sight(world: World) -> None:
    lines = [f"destroys aws_instance.number_{n}" for n in range(40)]
    async with world.console(size=SMALL) as pilot:
        pilot.app.push_screen(ConfirmDialog("Apply?", consequences=lines, verb="Apply it", must_type="prod"))
        await settle(pilot)
        first = painted(pilot)
        await pilot.press("G")
        await settle(pilot)
        last = painted(pilot)
        await pilot.press("tab", *"prod", "enter")
        await settle(pilot)
        focused = pilot.app.screen.focused
    assert "number_0" in first
    assert "number_39" in last
    for text in (first, last):
        assert "Cancel" in text
        assert "Apply it" in text
        assert "Type prod to go on" in text
    assert focused is not None
    assert focused.id == "confirm"


async def test_a_thousand_known_projects_are_a_few_words_away(world: World) -> None:
    world.change(projects=projects(1000))
    async with world.console(view="key") as pilot:
        await pilot.press("p", "slash", *"infra-777", "enter", "enter")
        await settle(pilot)
        assert console_of(pilot).subject.repo == "https://git.acme/team/infra-777"


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_options_are_drawn_and_never_obeyed(world: World, text: str) -> None:
    async with world.console(size=SMALL) as pilot:
        await choose(pilot, (text, text), ("x", text))
        calm(pilot)
        await pilot.press("slash", "x")
        await settle(pilot)
        calm(pilot)


@pytest.mark.parametrize("label", ["", "x", "世界" * 40, "a" * 300])
@pytest.mark.parametrize("width", [1, 10, 40, 158])
def test_no_line_of_an_option_is_wider_than_the_list(label: str, width: int) -> None:
    column = cell_len(label) if cell_len(label) + 26 <= width else 0
    for line in drawn(label, "https://git.acme/" + "y" * 300, width=width, column=column).plain.split("\n"):
        assert cell_len(line) <= max(width, 2)


async def test_a_pasted_control_sequence_stays_in_the_value_and_out_of_the_terminal(world: World) -> None:
    async with world.console() as pilot:
        app = pilot.app
        for dialog in (
            AskDialog("Save to a file", hint="x"),
            ConfirmDialog("Apply?", consequences=["it applies"], verb="Apply", must_type="prod"),
            SubmitDialog(values={}),
        ):
            app.push_screen(dialog)
            await settle(pilot)
            field = dialog.query(Input).first()
            field.focus()
            field.insert_text_at_cursor(OBEYED)
            await settle(pilot)
            assert OBEYED in field.value
            assert_calm(pilot)
            app.pop_screen()
            await settle(pilot)


async def test_the_lines_of_the_submit_form_are_as_harmless(world: World) -> None:
    async with world.console() as pilot:
        dialog = SubmitDialog(values={})
        pilot.app.push_screen(dialog)
        await settle(pilot)
        for area in dialog.query(TextArea):
            area.parent.display = True  # type: ignore[union-attr]
            area.text = f"first\n{OBEYED}x"
        await settle(pilot)
        assert_calm(pilot)


@pytest.mark.parametrize("key", ["colon", "slash"])
async def test_the_lines_at_the_foot_of_a_view_are_as_harmless(world: World, key: str) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await pilot.press(key)
        pilot.app.post_message(events.Paste(OBEYED))
        await settle(pilot)
        assert_calm(pilot)


def assert_calm(pilot: Pilot[None]) -> None:
    """Every strip that would be written to the terminal."""
    for widget in pilot.app.screen.query("*"):
        for y in range(widget.size.height):
            for segment in widget.render_line(y):
                assert segment.control or printable(segment.text) == segment.text


async def test_a_view_whose_first_look_failed_says_that_it_is_not_loaded(world: World) -> None:
    world.change(projects=())
    world.store.errors["pages"] = Unreachable("nobody answers")
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        assert view_of(pilot).loaded is None
        assert painted(pilot).splitlines()[1].endswith("not loaded")
