"""Jobs: a request that was not taken is told as one, and an hour that a restart cut short is not counted down."""

from __future__ import annotations

from uuid import UUID

import pytest

from kumoss_console.errors import NotFound
from kumoss_console.model.contract import ValidateRequest
from screens.jobs.screen import JobsScreen
from tests.screens.world import LARGE, SMALL, World, painted, settle, view_of
from tests.waiting import wait_until

REQUEST = ValidateRequest(workspace_path="/w/acme-web")
REFUSAL = NotFound("the workspace does not exist there", code="sidecar.workspace_missing")


async def refuse(world: World) -> None:
    world.sidecar.errors["submit"] = REFUSAL
    with pytest.raises(NotFound):
        await world.build(world.config).jobs.submit(REQUEST)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_refused_request_says_why_and_that_it_is_the_thing_to_change(world: World, size: tuple[int, int]) -> None:
    await refuse(world)
    async with world.console(view="jobs", size=size) as pilot:
        await settle(pilot)
        text = painted(pilot)
        assert "✗ refused" in text
        assert "not accepted: the workspace does not exist there" in " ".join(text.split())
        assert "Nothing ran." in text
        assert "validate without an id" in text
        assert "workspace_path" in text, "the request is shown"
        assert "The service failed" not in text


async def test_attention_to_a_refused_request_leads_to_it(world: World) -> None:
    await refuse(world)
    world.sidecar.errors.clear()
    await world.build(world.config).jobs.submit(REQUEST)
    async with world.console() as pilot:
        await settle(pilot)
        assert "! validate on w/acme-web: not accepted" in painted(pilot)
        await pilot.press("enter")
        await wait_until(lambda: view_of(pilot).view_name == "jobs")
        screen = view_of(pilot)
        assert isinstance(screen, JobsScreen)
        await wait_until(lambda: screen.selected is not None and screen.selected.refused)


async def test_a_job_that_ended_before_a_restart_is_gone_and_its_hour_not_counted_down(world: World) -> None:
    jobs = world.build(world.config).jobs
    ended, _running = [await jobs.submit(REQUEST) for _ in range(2)]
    world.sidecar.answer(UUID(ended.job_id), 0, stdout="ok")
    await jobs.refresh()
    world.sidecar.forget()
    world.clock.advance(60)
    async with world.console(view="jobs", size=(180, 45)) as pilot:
        await settle(pilot)
        assert "gone" in next(line for line in painted(pilot).splitlines() if "✓ answered 0" in line)
        screen = view_of(pilot)
        assert isinstance(screen, JobsScreen)
        screen.show_subject(str(ended.job_id))
        await settle(pilot)
        await pilot.press("t", "t")
        await settle(pilot)
        assert "by the service after" in painted(pilot)
