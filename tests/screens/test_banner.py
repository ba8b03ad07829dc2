"""The banner belongs to the part that it stopped: it goes when that succeeded, was left, or Esc was pressed."""

from __future__ import annotations

from kumoss_console.errors import NotFound, Unreachable
from kumoss_console.model.contract import ValidateRequest
from screens import problems
from screens.base import ViewScreen
from screens.bucket.screen import BucketScreen
from tests.screens.objects import INFRA, INFRA_KEY, state
from tests.screens.world import World, console_of, painted, settle, view_of
from tests.waiting import wait_until

REQUEST = ValidateRequest(workspace_path="/w/acme-web")
REFUSED = NotFound("the workspace does not exist there", code="sidecar.workspace_missing")
SILENT = Unreachable("the store does not answer")


def submit(screen: ViewScreen) -> None:
    async def submitted() -> None:
        await screen.services.jobs.submit(REQUEST)

    screen.start(submitted, group="submit")


async def test_a_refused_request_is_told_until_the_view_is_left_and_stays_in_the_log(world: World) -> None:
    world.sidecar.errors["submit"] = REFUSED
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        screen = view_of(pilot)
        submit(screen)
        await settle(pilot)
        assert screen.problems
        assert REFUSED.title in painted(pilot).splitlines()[2]
        await pilot.press("1", "2")
        await settle(pilot)
        assert view_of(pilot) is screen
        assert REFUSED.title not in painted(pilot).splitlines()[2]
        assert REFUSED.title in [said.text for said in console_of(pilot).flashes]


async def test_escape_takes_the_banner_away_first_and_goes_back_after_that(world: World) -> None:
    world.sidecar.errors["submit"] = REFUSED
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        screen = view_of(pilot)
        submit(screen)
        await settle(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert view_of(pilot) is screen
        assert REFUSED.title not in painted(pilot).splitlines()[2]
        await pilot.press("escape")
        await wait_until(lambda: view_of(pilot).view_name == "overview")


async def test_what_was_dismissed_stays_away_while_it_is_the_same_and_comes_back_as_another(world: World) -> None:
    world.store.errors["pages"] = SILENT
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        assert SILENT.title in painted(pilot).splitlines()[2]
        await pilot.press("escape", "r")
        await settle(pilot)
        assert view_of(pilot).view_name == "bucket"
        assert SILENT.title not in painted(pilot).splitlines()[2]
        world.store.errors["pages"] = Unreachable("the store hung up")
        await pilot.press("r")
        await settle(pilot)
        assert "the store hung up" in painted(pilot).splitlines()[2]
        said = [flash.text for flash in console_of(pilot).flashes]
        assert said.count(SILENT.title) == 1, "a repeated look is told once"


async def test_an_object_that_could_not_be_read_is_read_again_and_its_banner_goes(world: World) -> None:
    world.change(projects=(INFRA,))
    world.store.objects = {INFRA_KEY: state(41)}
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        screen = view_of(pilot)
        assert isinstance(screen, BucketScreen)
        world.store.errors["get"] = SILENT
        screen.open(INFRA_KEY)
        await settle(pilot)
        assert SILENT.title in painted(pilot).splitlines()[2]
        world.store.errors.clear()
        screen.reload()
        await settle(pilot)
        assert screen.problems == {}
        assert SILENT.title not in painted(pilot).splitlines()[2]


def test_the_newest_is_shown_and_one_that_goes_on_does_not_push_itself_before_it() -> None:
    known = problems.with_failure({}, "load", SILENT)
    known = problems.with_failure(known, "submit", REFUSED)
    known = problems.with_failure(known, "load", Unreachable("the store does not answer", detail="request 2"))
    assert problems.shown(known, {}) == ("submit", REFUSED)
    known = problems.with_failure(known, "load", Unreachable("the store hung up"))
    found = problems.shown(known, {})
    assert found is not None
    assert found[1].title == "the store hung up"
