"""Overview: what needs attention first, every answer that this rests on, and no comfort without grounds."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from kumoss_console.errors import NotFound, Unreachable
from kumoss_console.model.context import KnownProject
from kumoss_console.model.contract import CloudProvider, PlanRequest, ValidateRequest
from kumoss_console.model.project import derive
from kumoss_console.model.storage import StorageSettings
from screens.overview.screen import OverviewScreen
from tests.hostile import HOSTILE
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle, view_of
from tests.waiting import wait_until

KEY = "cca8550712f0e65e5c95dc347a919f335222fbb6b9c0ad4966dab38ed9a8a609/terraform.tfstate"


def hold_lock(world: World, *, hours: float, holder: str = "ci@runner-7", key: str = KEY) -> None:
    lock = {
        "ID": "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "Operation": "OperationTypeApply",
        "Who": holder,
        "Version": "1.11.4",
        "Created": (world.clock() - timedelta(hours=hours)).isoformat(),
        "Path": "kumoss-terraform-state/" + key,
    }
    world.store.objects[key] = b'{"version": 4, "serial": 1, "lineage": "7d1e", "resources": [], "outputs": {}}'
    world.store.objects[key + ".tflock"] = json.dumps(lock).encode()
    world.store.modified[key + ".tflock"] = world.clock() - timedelta(hours=hours)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_nothing_wrong_is_said_when_everything_was_looked_at(world: World, size: tuple[int, int]) -> None:
    async with world.console(size=size) as pilot:
        await settle(pilot)
        text = painted(pilot)
        for part in ("✓ Nothing needs attention", "managed", "✓ ok 4 ms", "✓ accepted", "✓ ok 3 ms", "0 running", "none held"):
            assert part in text


async def test_nothing_wrong_is_not_said_where_the_store_cannot_be_looked_at(world: World) -> None:
    world.change(storage=StorageSettings(terraform_state_bucket=""), backend_config="/etc/backend.hcl")
    world.store.errors["check"] = Unreachable("the store does not answer")
    world.store.errors["pages"] = Unreachable("the store does not answer")
    async with world.console() as pilot:
        await settle(pilot)
        assert "Nothing needs attention" not in painted(pilot)


async def test_a_dead_sidecar_is_the_first_line_and_does_not_hide_the_store(world: World) -> None:
    for call in ("health", "token_accepted", "job"):
        world.sidecar.errors[call] = Unreachable("the sidecar does not answer", hint="Start it, or mend services.iac.endpoint.")
    async with world.console() as pilot:
        await settle(pilot)
        lines = painted(pilot).splitlines()
        assert "✗ no answer" in lines[0]
        assert "✗ the sidecar does not answer" in lines[3]
        text = "\n".join(lines)
        assert "→ Start it, or mend" in text
        assert "✓ ok 3 ms" in text


async def test_a_hung_store_holds_back_nothing_else(world: World) -> None:
    world.store.hang.shut()
    async with world.console() as pilot:
        await wait_until(lambda: "✓ accepted" in painted(pilot))
        text = painted(pilot)
        assert "✓ ok 4 ms" in text
        assert "… asking" in text
        assert "looking… store" in text
        assert "Nothing needs attention" not in text


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_what_is_known_needs_attention_while_the_store_still_hangs(world: World, size: tuple[int, int]) -> None:
    world.store.hang.shut()
    world.sidecar.token_ok = False
    async with world.console(size=size) as pilot:
        await wait_until(lambda: "does not accept the token" in painted(pilot))
        lines = painted(pilot).splitlines()
        assert "NEEDS ATTENTION" in lines[2]
        assert "✗ The sidecar at" in lines[3]
        await wait_until(lambda: "… still looking: store, locks" in painted(pilot).splitlines()[4])


async def test_a_second_look_keeps_what_the_first_one_found_until_it_knows_better(world: World) -> None:
    hold_lock(world, hours=3.2)
    async with world.console() as pilot:
        await settle(pilot)
        world.store.hang.shut()
        world.sidecar.errors["health"] = Unreachable("the sidecar does not answer")
        await pilot.press("r")
        await wait_until(lambda: "✗ the sidecar does not answer" in painted(pilot))
        text = painted(pilot)
        assert "held 3 h 12 min by ci@runner-7" in text
        assert "looking" not in text


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_long_name_of_a_holder_does_not_push_out_what_is_known_of_it(world: World, size: tuple[int, int]) -> None:
    hold_lock(world, hours=3.2, holder="ci-runner-" * 60)
    async with world.console(size=size) as pilot:
        await settle(pilot)
        text = painted(pilot)
        assert "held 3 h 12 min by ci-runner" in text
        assert "1 held" in text
        assert sum("ci-runner" in line for line in text.splitlines()) <= 3


async def test_a_lock_from_the_future_says_that_the_clocks_differ(world: World) -> None:
    hold_lock(world, hours=-2)
    async with world.console(size=SMALL) as pilot:
        await settle(pilot)
        text = painted(pilot)
        assert "! lock on cca8…a609/terraform.tfstate taken in the future (clocks" in text
        assert "held" not in text.replace("1 held", "")


async def test_a_request_that_was_not_taken_is_no_failed_job(world: World) -> None:
    world.sidecar.errors["submit"] = NotFound("the workspace does not exist there", code="sidecar.workspace_missing")
    async with world.console(size=SMALL) as pilot:
        jobs = console_of(pilot).services.jobs
        for _ in range(2):
            with pytest.raises(NotFound):
                await jobs.submit(ValidateRequest(workspace_path="/w/acme-web"))
        await pilot.press("r")
        await settle(pilot)
        text = painted(pilot)
        assert "! validate on w/acme-web and 1 more: not accepted: the worksp" in text
        assert "0 running · 0 queued · 2 not accepted in the last hour" in text
        assert "failed" not in text


async def test_a_lock_held_for_long_needs_attention_and_opens_its_place(world: World) -> None:
    hold_lock(world, hours=3.2)
    async with world.console() as pilot:
        await settle(pilot)
        text = painted(pilot)
        assert "held 3 h 12 min by ci@runner-7" in text
        assert "1 held" in text


async def test_a_failed_job_opens_among_the_jobs(world: World) -> None:
    request = PlanRequest(workspace_path="/w/acme-net", scope_id="1111", terraform_provider=CloudProvider.AZURE, plan_file="p")
    async with world.console() as pilot:
        jobs = console_of(pilot).services.jobs
        failing = await jobs.submit(request)
        await jobs.submit(ValidateRequest(workspace_path="/w/acme-web"))
        world.sidecar.answer(UUID(failing.job_id), 1, stderr="Error: no")
        await pilot.press("r")
        await settle(pilot)
        assert "✗ plan on w/acme-net: no" in painted(pilot)
        assert "0 running · 1 queued · 1 failed" in painted(pilot)
        await pilot.press("enter")
        await wait_until(lambda: view_of(pilot).view_name == "jobs")
        await wait_until(lambda: "Error: no" in painted(pilot))


async def test_at_eighty_columns_a_line_still_says_why(world: World) -> None:
    owner = KnownProject(repo="https://github.com/acme/infra", scope="1111", path="envs/prod", name="acme/infra")
    world.change(projects=(owner,))
    hold_lock(world, hours=3.2, key=derive(owner.repo, owner.scope, owner.path).object_key())
    path = "/workspaces/payments_dde4e90a/infra"
    request = PlanRequest(workspace_path=path, scope_id="1111", terraform_provider=CloudProvider.AZURE, plan_file="p")
    async with world.console(size=SMALL) as pilot:
        failing = await console_of(pilot).services.jobs.submit(request)
        world.sidecar.answer(UUID(failing.job_id), 1, stderr="│ Error: Resource precondition failed")
        await pilot.press("r")
        await settle(pilot)
        text = painted(pilot)
        assert "ci@runner-7 (apply)" in text
        assert "plan on payments_dde4e90a/infra: Resource precondition failed" in text


async def test_a_new_look_never_blanks_what_the_last_one_found(world: World) -> None:
    hold_lock(world, hours=3.2)
    async with world.console() as pilot:
        await settle(pilot)
        world.sidecar.hang.shut()
        world.store.hang.shut()
        world.clock.advance(30)
        await pilot.press("r")
        await wait_until(lambda: view_of(pilot).busy == 1)
        await pilot.pause()
        text = painted(pilot)
        assert "held 3 h 12 min by ci@runner-7" in text
        assert "✓ ok 3 ms" in text
        assert "looking" not in text
        await wait_until(lambda: "data 30 s old ⟳" in painted(pilot))


@pytest.mark.parametrize("holder", HOSTILE)
async def test_a_hostile_lock_holder_is_only_shown(world: World, holder: str) -> None:
    hold_lock(world, hours=3.2, holder=holder)
    for size in (SMALL, LARGE):
        async with world.console(size=size) as pilot:
            await settle(pilot)
            await pilot.press("c")
            await pilot.pause()
            shown = painted(pilot)
            await pilot.press("escape", "y")
            shown += painted(pilot)
            assert "held 3 h 12 min" in shown
            assert all(char.isprintable() or char in "\n\u200d\ufe0f" for char in shown)


async def test_what_needs_attention_can_be_copied_with_the_command_that_shows_it(world: World) -> None:
    hold_lock(world, hours=3.2)
    async with world.console() as pilot:
        await settle(pilot)
        await pilot.press("y")
        assert console_of(pilot).clipboard.startswith("lock on")
        await pilot.press("Y")
        assert json.loads(console_of(pilot).clipboard)["subject"].startswith("cca8550712f0")
        screen = view_of(pilot)
        assert isinstance(screen, OverviewScreen)
        assert "kumoss-console overview --context prod" in [copy.text for copy in screen.copies()]


async def test_a_slow_refresh_interval_does_not_ask_again_by_itself(world: World) -> None:
    world.contexts = (replace(world.contexts[0], refresh_interval=3600.0), *world.contexts[1:])
    async with world.console() as pilot:
        await settle(pilot)
        assert world.store.calls.count(("check", "")) == 1
