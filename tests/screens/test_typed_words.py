"""Words on the ``:`` line and keys that do nothing here are answered with where they do."""

from __future__ import annotations

import pytest
from textual.widgets import Select

from kumoss_console.model.contract import JobKind
from screens.commands import EVERYWHERE
from screens.jobs.form import SubmitDialog
from screens.registry import homes, unusable
from screens.views import VIEWS
from tests.screens.world import SMALL, World, painted, settle, view_of


async def typed(world: World, line: str, *, view: str = "overview", read_only: bool = False) -> str:
    """The flash line after ``line`` was entered in ``view``."""
    async with world.console(view=view, size=(160, 24), read_only=read_only) as pilot:
        await settle(pilot)
        await pilot.press("colon", *line, "enter")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, SubmitDialog)
        return next(iter(view_of(pilot).console.flashes)).text


@pytest.mark.parametrize("kind", ["nonsense", "appply", "state resource ids"])
async def test_an_unknown_kind_of_job_opens_no_form_and_the_eight_there_are_get_named(world: World, kind: str) -> None:
    said = await typed(world, f"submit {kind}", view="jobs")
    assert f"there is no kind of job {kind!r}" in said
    assert all(known.value in said for known in JobKind)


@pytest.mark.parametrize("spelled", ["state-resource-ids", "state_resource_ids", "State-Resource_IDs"])
async def test_a_kind_may_be_typed_with_hyphens(world: World, spelled: str) -> None:
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await pilot.press("colon", *f"submit {spelled}", "enter")
        await pilot.pause()
        form = pilot.app.screen
        assert isinstance(form, SubmitDialog)
        assert form.query_one("#kind", Select).value is JobKind.STATE_RESOURCE_IDS


async def test_a_word_of_another_view_is_answered_with_that_view(world: World) -> None:
    assert await typed(world, "submit plan") == ":submit works in the Jobs view (2), not here"
    assert "the Key view (4)" in await typed(world, "look", view="bucket")


async def test_a_word_that_changes_something_says_that_this_mode_is_read_only(world: World) -> None:
    for view in ("jobs", "bucket"):
        assert await typed(world, "submit plan", view=view, read_only=True) == ":submit changes something: not in read-only mode"


async def test_a_word_with_nothing_to_work_on_says_so(world: World) -> None:
    assert await typed(world, "resubmit", view="jobs") == ":resubmit (submit this job again) has nothing to work on now"


@pytest.mark.parametrize("word", ["quilt", "submt", "sub", "edit", "exit", "guid", "it", "suit"])
def test_quit_is_suggested_for_a_slip_of_quit_alone(word: str) -> None:
    said = unusable(word, view="overview", here=EVERYWHERE, read_only=False)
    assert (":quit" in said) == (word == "quilt")


def test_a_slip_is_answered_with_the_nearest_word_of_any_view() -> None:
    assert "did you mean :submit?" in unusable("submti", view="bucket", here=EVERYWHERE, read_only=False)
    assert "submit" not in unusable("submti", view="bucket", here=EVERYWHERE, read_only=True).partition(": ")[2]


async def test_the_registry_knows_every_word_of_every_view(world: World) -> None:
    known = {word for _, commands in homes() for command in commands for word in command.words}
    async with world.console():
        for view in VIEWS:
            assert {word for command in view.load().commands for word in command.words} <= known


@pytest.mark.parametrize("key", ["8", "9", "0"])
async def test_a_number_without_a_view_says_which_there_are(world: World, key: str) -> None:
    async with world.console(size=SMALL) as pilot:
        await settle(pilot)
        await pilot.press(key)
        await pilot.pause()
        assert f"there is no view {key}: the views are 1 to 7" in painted(pilot)


async def test_a_key_that_would_change_something_says_that_this_mode_is_read_only(world: World) -> None:
    async with world.console(view="jobs", read_only=True, size=SMALL) as pilot:
        await settle(pilot)
        for key, what in (("plus", "Submit a job"), ("R", "Run a chain: init to apply")):
            await pilot.press(key)
            await pilot.pause()
            assert f"{what}: not in read-only mode" in painted(pilot)
