"""Discovery on the screen: nothing is sent before it is asked for, every heap is told, imports need a word."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Button, Input, Select

from kumoss_console.errors import Unreachable
from kumoss_console.model.contract import ImportRequest, JobKind
from kumoss_console.services.discovery.service import DiscoveryRequest
from screens.dialogs.ask import AskDialog
from screens.dialogs.confirm import ConfirmDialog
from screens.discovery.draft import PROVIDERS
from screens.discovery.form import DiscoveryDialog
from screens.discovery.screen import DiscoveryScreen
from screens.discovery.worksheet import WorksheetScreen
from screens.jobs.screen import JobsScreen
from tests.fakes.clouds import ACCOUNT, aws_arns
from tests.fakes.discovering import DiscoveringSidecar, Told
from tests.hostile import HOSTILE
from tests.model.discovery.states import document, topics
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle
from tests.waiting import wait_until

ARNS = aws_arns(6)
ODD = f"arn:aws:newservice:eu-central-1:{ACCOUNT}:thing/x"
HERE, OTHER = "aa" * 32 + "/terraform.tfstate", "bb" * 32 + "/terraform.tfstate"
WORKSPACE = "/workspaces/acme-net"
ASKED = DiscoveryRequest(workspace=WORKSPACE, scope=ACCOUNT, provider=PROVIDERS[2], suppressions=())


@pytest.fixture
def service(world: World) -> DiscoveringSidecar:
    """Two topics here of which one is gone, two in another state, one nobody manages, and one of a kind that no table knows."""
    service = DiscoveringSidecar(world.clock)
    world.sidecar = service
    service.lists(ARNS[:2], [*ARNS[1:5], ODD])
    world.store.objects = {HERE: document(*topics(ARNS[:2])), OTHER: document(*topics(ARNS[2:4]))}
    return service


def view(pilot: Pilot[None]) -> DiscoveryScreen:
    assert isinstance(pilot.app.screen, DiscoveryScreen)
    return pilot.app.screen


def sheet(pilot: Pilot[None]) -> WorksheetScreen:
    assert isinstance(pilot.app.screen, WorksheetScreen)
    return pilot.app.screen


async def discovered(pilot: Pilot[None]) -> DiscoveryScreen:
    screen = view(pilot)
    screen.discover(ASKED)
    await settle(pilot)
    return screen


async def worksheet_of(pilot: Pilot[None], *identifiers: str) -> WorksheetScreen:
    screen = await discovered(pilot)
    screen.marked = frozenset(identifiers)
    await pilot.press("w")
    await wait_until(lambda: isinstance(pilot.app.screen, WorksheetScreen))
    await pilot.pause()
    return sheet(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_nothing_is_sent_before_the_form_is(world: World, service: DiscoveringSidecar, size: tuple[int, int]) -> None:
    async with world.console(size=size, view="discovery") as pilot:
        await settle(pilot)
        assert "R discovers a scope" in painted(pilot)
        await pilot.press("R")
        await wait_until(lambda: isinstance(pilot.app.screen, DiscoveryDialog))
        form = pilot.app.screen
        await pilot.pause()
        assert form.query_one("#run", Button).disabled
        assert "Workspace: name a folder below /workspaces" in painted(pilot)
        form.query_one("#workspace_path", Input).value = WORKSPACE
        form.query_one("#scope_id", Input).value = ACCOUNT
        form.query_one("#terraform_provider", Select).value = "aws"
        await pilot.pause()
        assert "two jobs will be sent, which only read" in painted(pilot)
        assert service.requests == []
        form.query_one("#run", Button).press()
        await wait_until(lambda: isinstance(pilot.app.screen, DiscoveryScreen) and view(pilot).found is not None)
        await settle(pilot)
        assert [request.kind for request in service.requests] == [JobKind.STATE_RESOURCE_IDS, JobKind.SCOPE_RESOURCE_IDS]
        assert "+ unmanaged" in painted(pilot)


async def test_counts_come_first_and_every_heap_has_its_lines(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery") as pilot:
        screen = await discovered(pilot)
        shown = painted(pilot)
        assert "2 unmanaged · 1 missing · 0 ambiguous · 2 elsewhere · 1 here" in shown
        assert ARNS[4] in shown
        assert "aws_sns_topic" in shown
        listed = {}
        for _ in range(7):
            listed[screen.heap] = len(screen.table.source)
            await pilot.press("t")
        assert listed == {
            "to look at": 3,
            "unmanaged": 2,
            "missing": 1,
            "ambiguous": 0,
            "elsewhere": 2,
            "here": 1,
            "all": 6,
        }


async def test_the_filter_narrows_and_the_mark_keeps_what_is_wrong(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery") as pilot:
        screen = await discovered(pilot)
        screen.turn(6)
        await pilot.press("slash", *"newservice", "enter")
        assert len(screen.table.source) == 1
        await pilot.press("escape", "exclamation_mark")
        assert len(screen.table.source) == 3
        await pilot.press("o", "o")
        assert screen.sorting.key == "id"


async def test_both_jobs_and_the_bucket_are_told_while_they_go_on(world: World, service: DiscoveringSidecar) -> None:
    service.script.held = {JobKind.SCOPE_RESOURCE_IDS}
    async with world.console(view="discovery") as pilot:
        screen = view(pilot)
        screen.discover(ASKED)
        await wait_until(lambda: "state listing  answered" in painted(pilot) and "2 states read" in painted(pilot))
        shown = painted(pilot)
        assert "scope listing  queued" in shown
        assert "looking ⟳" in shown
        await pilot.press("X")
        await settle(pilot)
        assert "the jobs go on" in painted(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_listing_that_failed_is_told_and_what_was_found_before_stays(
    world: World, service: DiscoveringSidecar, size: tuple[int, int]
) -> None:
    async with world.console(size=size, view="discovery") as pilot:
        screen = await discovered(pilot)
        service.script.cloud = Told(exit_code=1, stderr="AWS_REGION is not set")
        await pilot.press("r")
        await settle(pilot)
        shown = painted(pilot)
        assert "the scope listing failed" in shown
        assert "AWS_REGION is not set" in " ".join(shown.split())
        assert len(screen.table.source) == 3
        await pilot.press("J")
        await wait_until(lambda: isinstance(pilot.app.screen, JobsScreen))
        await settle(pilot)
        assert "AWS_REGION is not set" in painted(pilot)


async def test_findings_are_read_with_what_to_do(world: World, service: DiscoveringSidecar) -> None:
    world.store.objects[OTHER] = document(*topics(ARNS[1:4]))
    async with world.console(view="discovery") as pilot:
        await discovered(pilot)
        assert "aaaaaaaa…aaaa/terraform.tfstate and bbbbbbbb…bbbb/terraform.tfstate: manage one thing together" in painted(pilot)
        await pilot.press("f")
        await pilot.pause()
        assert "keep it in one of them, and remove it from the other with state rm" in painted(pilot)


async def test_a_dead_service_is_a_banner(world: World, service: DiscoveringSidecar) -> None:
    service.errors["submit"] = Unreachable("the IaC service refused the connection", hint="start it")
    async with world.console(view="discovery") as pilot:
        await discovered(pilot)
        assert "the IaC service refused the connection" in painted(pilot)


async def test_enter_on_what_another_state_manages_opens_that_state(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery") as pilot:
        screen = await discovered(pilot)
        screen.turn(4)
        await pilot.press("enter")
        await wait_until(lambda: OTHER[:8] in painted(pilot) and not isinstance(pilot.app.screen, DiscoveryScreen))
        await settle(pilot)


async def test_lines_are_chosen_with_space_and_go_to_the_worksheet(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery") as pilot:
        screen = await discovered(pilot)
        await pilot.press("space", "enter")
        assert screen.marked == {ARNS[4], ODD}
        await pilot.press("j", "space")
        assert "only what no state manages" in painted(pilot)
        await pilot.press("w")
        await pilot.pause()
        assert [row.identifier for row in sheet(pilot).rows] == [ARNS[4], ODD]
        assert "1 ready · 1 not yet" in painted(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, DiscoveryScreen)


async def write(pilot: Pilot[None], key: str, text: str) -> None:
    await pilot.press(key)
    await wait_until(lambda: isinstance(pilot.app.screen, AskDialog))
    pilot.app.screen.query_one("#asked", Input).value = text
    await pilot.pause()
    await pilot.press("enter")
    await wait_until(lambda: isinstance(pilot.app.screen, WorksheetScreen))
    await pilot.pause()


async def test_what_is_written_is_judged_at_once(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery") as pilot:
        page = await worksheet_of(pilot, ODD)
        await write(pilot, "enter", "-destroy")
        assert "an engine may read an address that begins with a hyphen as an option" in painted(pilot)
        await write(pilot, "enter", "aws_sns_topic.t0")
        assert "the state has this address already" in page.rows[0].faults
        await write(pilot, "enter", 'module.net.aws_new_thing.x["eu"]')
        await write(pilot, "e", "thing-x")
        assert page.rows[0].ready
        assert page.saved() == (
            "import.tf",
            'import {\n  to = module.net.aws_new_thing.x["eu"]\n  id = "thing-x"\n}\n',
        )


async def test_import_blocks_are_saved_to_a_file(world: World, service: DiscoveringSidecar, tmp_path: Path) -> None:
    file = tmp_path / "import.tf"
    async with world.console(view="discovery") as pilot:
        page = await worksheet_of(pilot, ARNS[4])
        page.action_save(str(file))
        await settle(pilot)
    assert file.read_text() == f'import {{\n  to = aws_sns_topic.topic_000004\n  id = "{ARNS[4]}"\n}}\n'


async def ask(pilot: Pilot[None]) -> ConfirmDialog:
    await pilot.press("I")
    await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
    await pilot.pause()
    dialog = pilot.app.screen
    assert isinstance(dialog, ConfirmDialog)
    return dialog


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_imports_name_subject_and_consequence_and_start_on_cancel(
    world: World, service: DiscoveringSidecar, size: tuple[int, int]
) -> None:
    async with world.console(size=size, view="discovery") as pilot:
        await worksheet_of(pilot, ARNS[4])
        dialog = await ask(pilot)
        shown = painted(pilot)
        assert "Import 1 thing into the state of acme-net?" in shown
        assert "the first that fails ends it" in " ".join(shown.split())
        assert dialog.query_one("#cancel", Button).has_focus
        await pilot.press("enter")
        await pilot.pause()
        assert not any(isinstance(request, ImportRequest) for request in service.requests)

        dialog = await ask(pilot)
        dialog.query_one("#typed", Input).value = "acme-net"
        await pilot.pause()
        dialog.query_one("#confirm", Button).press()
        await wait_until(lambda: any(isinstance(request, ImportRequest) for request in service.requests))
        await settle(pilot)
        assert "imported" in painted(pilot)
        assert "1 imported" in next(iter(console_of(pilot).flashes)).text
        await pilot.press("I")
        await pilot.pause()
        assert "all of them are imported" in painted(pilot)


async def test_the_first_failure_ends_the_imports_and_is_told_at_its_line(world: World, service: DiscoveringSidecar) -> None:
    service.lists([], ARNS[3:6])
    world.store.objects = {}
    service.script.imports["aws_sns_topic.topic_000004"] = Told(exit_code=1, stderr="Error: no such configuration")
    async with world.console(view="discovery") as pilot:
        page = await worksheet_of(pilot, *ARNS[3:6])
        dialog = await ask(pilot)
        dialog.query_one("#typed", Input).value = "acme-net"
        await pilot.pause()
        dialog.query_one("#confirm", Button).press()
        await wait_until(lambda: page.importing is not None and not page.importing.under_way)
        await settle(pilot)
        shown = painted(pilot)
        assert "1 imported, 1 failed, 1 not sent" in shown
        assert "Error: no such configuration" in shown
        assert len([request for request in service.requests if isinstance(request, ImportRequest)]) == 2


async def test_lines_that_are_not_ready_are_not_sent(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery") as pilot:
        page = await worksheet_of(pilot, ARNS[4], ODD)
        await pilot.press("I")
        await pilot.pause()
        assert "1 of 2 lines are not ready" in painted(pilot)
        await pilot.press("backspace")
        assert [row.identifier for row in page.rows] == [ARNS[4]]


async def test_read_only_has_no_import(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery", read_only=True) as pilot:
        page = await worksheet_of(pilot, ARNS[4])
        assert not any(command.id == "worksheet.submit" for command in page.available)
        await pilot.press("I")
        await pilot.pause()
        assert "not in read-only mode" in painted(pilot)
        assert not any(isinstance(request, ImportRequest) for request in service.requests)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_hostile_identifiers_are_shown_and_never_obeyed(
    world: World, service: DiscoveringSidecar, size: tuple[int, int]
) -> None:
    names = [f"{ARNS[0]}{text}" for text in HOSTILE]
    service.lists([], names)
    world.store.objects = {}
    async with world.console(size=size, view="discovery") as pilot:
        await worksheet_of(pilot, *names)
        for _ in names:
            await pilot.press("j")
            assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(painted(pilot))
        await pilot.press("escape")
        for _ in names:
            await pilot.press("j")
            assert not {"\x1b", "\x9b", "\u202e", "\r"} & set(painted(pilot))


async def test_twenty_thousand_lines_are_drawn_as_the_few_that_are_in_view(world: World, service: DiscoveringSidecar) -> None:
    ids = aws_arns(20_000)
    service.lists(ids[:5000], ids)
    world.store.objects = {}
    async with world.console(view="discovery") as pilot:
        screen = await discovered(pilot)
        assert len(screen.table.source) == 15_000
        await pilot.press("G")
        assert ids[-1] in painted(pilot)
        await pilot.press("a")
        assert len(screen.marked) == 15_000
        await pilot.press("w")
        await wait_until(lambda: isinstance(pilot.app.screen, WorksheetScreen))
        await settle(pilot)
        assert "15,000 ready" in painted(pilot)
        await pilot.press("escape")
        await pilot.press("slash", *"019999", "enter")
        assert len(screen.table.source) == 1


async def test_the_command_that_shows_this_is_offered(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery") as pilot:
        screen = await discovered(pilot)
        texts = {copy.label: copy.text for copy in screen.copies()}
        assert texts["the command that shows this"] == (
            f"kumoss-console discover {WORKSPACE} --scope {ACCOUNT} --provider aws --context prod"
        )
        assert f'pattern: "{ARNS[4]}"' in texts["a suppression for it"]


async def test_keys_typed_in_one_burst_with_the_filters_enter_go_to_the_list(world: World, service: DiscoveringSidecar) -> None:
    async with world.console(view="discovery") as pilot:
        screen = await discovered(pilot)
        await pilot.press("slash")
        await wait_until(lambda: screen.query_one("#filter", Input).has_focus)
        for key in ("n", "e", "w", "enter", "t", "exclamation_mark"):
            # All at once, as a terminal hands on what was pasted or typed ahead.
            pilot.app.post_message(Key(key, {"enter": "\r", "exclamation_mark": "!"}.get(key, key)))
        await wait_until(lambda: screen.only_wrong)
        assert (screen.query_one("#filter", Input).value, screen.narrowed, screen.heap) == ("new", "new", "unmanaged")
