"""Forms and questions: what is typed goes where it is meant, and what does not fit is said where it was typed."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from kumoss_console.model.contract import JobKind
from screens.dialogs.choose import ChooseDialog
from screens.dialogs.confirm import ConfirmDialog
from screens.dialogs.draft_error import DraftError
from screens.jobs.draft import request
from screens.jobs.form import SubmitDialog
from screens.subject import Subject
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle
from tests.waiting import wait_until


def focused(pilot: Pilot[None]) -> str | None:
    return pilot.app.focused.id if pilot.app.focused is not None else None


async def test_typing_in_the_workspace_goes_on_after_the_folder_of_all_workspaces(world: World) -> None:
    async with world.console(view="jobs", size=SMALL) as pilot:
        await settle(pilot)
        await pilot.press("plus")
        await wait_until(lambda: isinstance(pilot.app.screen, SubmitDialog))
        await pilot.press("tab", *"acme")
        await pilot.pause()
        assert pilot.app.screen.query_one("#workspace_path", Input).value == "/workspaces/acme"


@pytest.mark.parametrize("path", ["/workspaces/../etc", "/workspaces/a/../../etc", "/workspaces/a/..", "/workspaces/.."])
def test_a_workspace_that_leads_out_of_the_root_is_refused(path: str) -> None:
    with pytest.raises(DraftError) as refused:
        request(JobKind.VALIDATE, {"workspace_path": path}, root="/workspaces")
    assert refused.value.field == "workspace_path"
    assert "not below /workspaces" in refused.value.reason


@pytest.mark.parametrize("path", ["/workspaces/a/../b", "/elsewhere/a", "/workspaces/..a"])
def test_a_workspace_that_says_where_it_is_may_be_anywhere(path: str) -> None:
    assert request(JobKind.VALIDATE, {"workspace_path": path}, root="/workspaces").workspace_path == path


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_name_that_does_not_match_is_said_and_enter_goes_nowhere(world: World, size: tuple[int, int]) -> None:
    async with world.console(size=size) as pilot:
        await settle(pilot)
        answers: list[bool | None] = []
        dialog = ConfirmDialog("Apply?", consequences=["it applies"], verb="Apply", must_type="prod")
        pilot.app.push_screen(dialog, answers.append)
        await pilot.pause()
        dialog.query_one("#typed", Input).focus()
        await pilot.press(*"prof", "enter", "enter")
        await pilot.pause()
        assert "✗ prof is not it: the name is prod" in painted(pilot)
        assert focused(pilot) == "typed"
        assert answers == []
        await pilot.press("backspace", "d")
        await pilot.pause()
        assert "is not it" not in painted(pilot)
        await pilot.press("enter")
        assert focused(pilot) == "confirm"
        await pilot.press("enter")
        await wait_until(lambda: answers == [True])


async def test_the_copy_menu_shows_what_a_document_says_and_not_its_first_brace(world: World) -> None:
    async with world.console(view="key", size=LARGE) as pilot:
        console_of(pilot).subject = Subject("https://github.com/acme/infra", "1111", "")
        await settle(pilot)
        await pilot.press("c")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        line = next(line for line in painted(pilot).splitlines() if "JSON" in line)
        assert '{ "' in line
