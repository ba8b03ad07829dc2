"""Pictures of every view: ``python -m tests.screens.pictures OUTDIR`` writes an SVG of each at 80x24 and 140x45.

They come from the same world in memory as the tests, so they show what the program really draws.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from textual.pilot import Pilot
from textual.widgets import Button, Input, Select

from kumoss_console.model.context import KnownProject
from kumoss_console.model.contract import ApplyRequest, CloudProvider, InitRequest, JobKind, PlanRequest
from kumoss_console.model.endpoint import Aspect, AspectName, LifecycleRule, Standing
from kumoss_console.model.project import derive
from kumoss_console.services.discovery.service import DiscoveryRequest
from screens.chain.form import ChainDialog
from screens.dialogs.confirm import ConfirmDialog
from screens.discovery.screen import DiscoveryScreen
from screens.endpoint.screen import EndpointScreen
from screens.following import FOLLOWING
from screens.jobs.form import SubmitDialog
from screens.plan.screen import PlanScreen
from screens.statedetail.opening import open_state
from screens.versions.screen import VersionsScreen
from screens.views import VIEWS
from tests.fakes.chained import ChainedSidecar
from tests.histories import document, keep
from tests.model.plan_documents import made
from tests.model.plan_worlds import FIXTURES
from tests.screens.world import LARGE, SMALL, World, console_of, painted, view_of
from tests.waiting import wait_until

SCOPE = "11111111-2222-3333-4444-555555555555"
PROJECTS = tuple(
    KnownProject(
        repo=f"https://github.com/acme/{name}", scope=SCOPE, path=path, provider=CloudProvider.AZURE, name=f"acme/{name}"
    )
    for name, path in (("infra", ""), ("net", "envs/eu"), ("dns", ""), ("web", "envs/prod"), ("data", "envs/prod"))
)
BAD_KEY = """\x1b[31m╷\x1b[0m
\x1b[31m│\x1b[0m \x1b[1m\x1b[31mError: \x1b[0m\x1b[1merror configuring S3 Backend\x1b[0m
\x1b[31m│\x1b[0m
\x1b[31m│\x1b[0m   with the state bucket kumoss-terraform-state,
\x1b[31m│\x1b[0m   api error InvalidAccessKeyId: The Access Key Id you provided does not exist in our records.
\x1b[31m╵\x1b[0m
"""


def populate(world: World) -> None:
    """A small world in which something is wrong: an old lock, an orphan, a failed job, one that waits."""
    world.contexts = (replace(world.contexts[0], projects=PROJECTS), *world.contexts[1:])
    for number, project in enumerate(PROJECTS):
        key = derive(project.repo, project.scope, project.path).object_key()
        world.store.objects[key] = _state(serial=7 + 11 * number, resources=3 + 17 * number)
        world.store.modified[key] = world.clock() - timedelta(hours=3 + 30 * number)
    orphan = "9f0077aa" * 8 + "/terraform.tfstate"
    world.store.objects[orphan] = _state(serial=7, resources=3)
    world.store.modified[orphan] = world.clock() - timedelta(days=800)
    locked = derive(PROJECTS[1].repo, PROJECTS[1].scope, PROJECTS[1].path).object_key()
    lock = {
        "ID": "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "Operation": "OperationTypeApply",
        "Who": "ci@runner-7",
        "Version": "1.11.4",
        "Created": (world.clock() - timedelta(hours=3, minutes=12)).isoformat(),
        "Path": f"kumoss-terraform-state/{locked}",
    }
    world.store.objects[f"{locked}.tflock"] = json.dumps(lock).encode()
    world.store.modified[f"{locked}.tflock"] = world.clock() - timedelta(hours=3, minutes=12)


def _state(*, serial: int, resources: int) -> bytes:
    rows = [
        {
            "mode": "managed",
            "type": "azurerm_subnet",
            "name": f"subnet_{number}",
            "provider": 'provider["registry.terraform.io/hashicorp/azurerm"]',
            "instances": [{"schema_version": 0, "attributes": {"id": f"/subscriptions/{SCOPE}/subnets/{number}"}}],
        }
        for number in range(resources)
    ]
    document = {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": serial,
        "lineage": "7d1e2f30-1111-2222-3333-444455556666",
        "outputs": {
            "address": {"value": "10.0.0.0/16", "type": "string"},
            "password": {"value": "x", "type": "string", "sensitive": True},
        },
        "resources": rows,
    }
    return json.dumps(document).encode()


async def run_jobs(world: World) -> None:
    """Jobs of every fate, as an earlier run of the console left them."""
    jobs = world.build(world.config).jobs
    azure = CloudProvider.AZURE

    async def submit(request: InitRequest | PlanRequest | ApplyRequest, minutes: float) -> UUID:
        job = await jobs.submit(request)
        world.clock.advance(60 * minutes)
        return UUID(job.job_id)

    def plan(name: str) -> PlanRequest:
        return PlanRequest(
            workspace_path=f"/workspaces/{name}", scope_id=SCOPE, terraform_provider=azure, plan_file="session.plan"
        )

    lost = await submit(plan("acme-dns_c3d4"), 20)
    world.sidecar.forget(lost)
    done = await submit(plan("acme-dns_c3d4"), 0.1)
    world.sidecar.start(done)
    world.clock.advance(14)
    world.sidecar.answer(done, 0, stdout="\x1b[1mPlan:\x1b[0m 3 to add, 1 to change, 0 to destroy.\n")
    apply = ApplyRequest(
        workspace_path="/workspaces/acme-net_a1b2", scope_id=SCOPE, terraform_provider=azure, plan_file="session.plan"
    )
    running = await submit(apply, 0.1)
    world.sidecar.start(running)
    world.clock.advance(120)
    await submit(plan("acme-net_a1b2"), 0.6)
    init = InitRequest(workspace_path="/workspaces/acme-web_e5f6", scope_id=SCOPE, terraform_provider=azure)
    failed = await submit(init, 0.1)
    world.sidecar.start(failed)
    world.clock.advance(2)
    world.sidecar.answer(failed, 1, stderr=BAD_KEY)
    world.clock.advance(15)


async def quiet(pilot: Pilot[None]) -> None:
    """Like ``settle``, but a watch of an unfinished job may go on."""
    await pilot.pause()
    await wait_until(
        lambda: all(worker.is_finished for worker in pilot.app.workers if not worker.group.startswith(("watch", FOLLOWING)))
    )
    await pilot.pause()


async def show_key(pilot: Pilot[None], world: World) -> None:
    """Fill the three inputs of a view that asks for a project."""
    fields = [
        field for field in view_of(pilot).query(Input) if field.display and field.id not in {"command-line", "filter", "search"}
    ]
    for field, text in zip(fields, (PROJECTS[1].repo, SCOPE, PROJECTS[1].path), strict=False):
        field.value = text
    await quiet(pilot)


async def show_moved(pilot: Pilot[None], world: World) -> None:
    """A workspace that is bound to the key its module had before it moved."""
    from screens.state.screen import StateScreen
    from tests.screens.workspaces import bound_workspace

    screen = view_of(pilot)
    assert isinstance(screen, StateScreen)
    root = Path(tempfile.gettempdir(), "workspaces-of-pictures")
    old = derive(PROJECTS[1].repo, SCOPE, PROJECTS[1].path)
    new = derive(PROJECTS[1].repo, SCOPE, "live/envs/eu")
    shutil.rmtree(root, ignore_errors=True)
    folder = bound_workspace(
        root / "acme-net_a1b2", world.contexts[0], world.clock(), bound=old.object_key(), written=new.object_key()
    )
    screen.show_subject(str(folder))
    await quiet(pilot)
    shutil.rmtree(root)


async def show_layers(pilot: Pilot[None], world: World) -> None:
    """Which value wins in a workspace whose repository has a backend of its own, with another project beside it."""
    from screens.backend.screen import BackendScreen
    from tests.screens.workspaces import bound_workspace

    screen = view_of(pilot)
    assert isinstance(screen, BackendScreen)
    root = Path(tempfile.gettempdir(), "workspaces-of-pictures")
    keys = [derive(PROJECTS[1].repo, SCOPE, path).object_key() for path in (PROJECTS[1].path, "live/envs/eu")]
    shutil.rmtree(root, ignore_errors=True)
    folder = bound_workspace(
        root / "acme-net_a1b2" / "envs" / "eu", world.contexts[0], world.clock(), bound=keys[1], written=keys[0]
    )
    values = '    bucket         = "acme-team-tfstate"\n    key            = "envs/eu.tfstate"\n    dynamodb_table = "tf-locks"\n'
    (folder / "main.tf").write_text(f'terraform {{\n  backend "s3" {{\n{values}  }}\n}}\n')
    screen.action_pick(PROJECTS[0].name)
    screen.show_subject(str(folder))
    await quiet(pilot)
    await wait_until(lambda: screen.pane.found is not None)
    await quiet(pilot)
    shutil.rmtree(root)


async def show_other_project(pilot: Pilot[None], world: World) -> None:
    """A workspace that is in order, and beside it a project that was chosen after it and is not its own."""
    from screens.state.screen import StateScreen
    from tests.screens.workspaces import bound_workspace

    screen = view_of(pilot)
    assert isinstance(screen, StateScreen)
    root = Path(tempfile.gettempdir(), "workspaces-of-pictures")
    own = derive(PROJECTS[1].repo, SCOPE, PROJECTS[1].path).object_key()
    shutil.rmtree(root, ignore_errors=True)
    folder = bound_workspace(root / "acme-net_a1b2" / "envs" / "eu", world.contexts[0], world.clock(), bound=own, written=own)
    screen.show_subject(str(folder))
    await quiet(pilot)
    screen.action_pick(PROJECTS[0].name)
    await quiet(pilot)
    await wait_until(lambda: screen.trace is not None)
    await quiet(pilot)
    shutil.rmtree(root)


async def show_help(pilot: Pilot[None], world: World) -> None:
    await pilot.press("question_mark")


async def show_form(pilot: Pilot[None], world: World) -> None:
    await pilot.press("plus")
    await wait_until(lambda: isinstance(pilot.app.screen, SubmitDialog))


async def show_palette(pilot: Pilot[None], world: World) -> None:
    await pilot.press("ctrl+p")
    await wait_until(lambda: "Refresh now" in painted(pilot))


async def as_it_is(pilot: Pilot[None], world: World) -> None:
    """The view as it opens."""


async def show_plan(pilot: Pilot[None], world: World) -> None:
    """A plan with a change of every kind, one of them opened."""
    await pilot.app.push_screen(PlanScreen(made("mixed"), "show 3f2504e0 · acme-net_a1b2"))
    await quiet(pilot)
    await pilot.press("slash", *"replaced", "enter", "enter")
    await quiet(pilot)


async def show_one_state(pilot: Pilot[None], world: World) -> None:
    """A state that is locked, opened to its outputs."""
    project = PROJECTS[1]
    open_state(console_of(pilot), derive(project.repo, project.scope, project.path).object_key())
    await quiet(pilot)
    await pilot.press("slash", *"password", "enter")
    await quiet(pilot)


async def show_scan(pilot: Pilot[None], world: World) -> None:
    """Copies of one state, an empty one, and one that nobody owns."""
    world.store.objects["5" * 64 + "/terraform.tfstate"] = b""
    await pilot.press("X")
    await quiet(pilot)
    await pilot.press("j")
    await quiet(pilot)


async def show_locks(pilot: Pilot[None], world: World) -> None:
    await pilot.press("L")
    await quiet(pilot)


async def show_history(pilot: Pilot[None], world: World) -> None:
    """A state with a history: a deletion, an apply of this console, a step that another project made."""
    key = derive(PROJECTS[1].repo, PROJECTS[1].scope, PROJECTS[1].path).object_key()
    running = next(job for job in await world.journal.jobs("prod", 10) if job.kind is JobKind.APPLY and job.started)
    lost = document(16, "web", "dns", lineage="0f0f0f0f-0000-4000-8000-00000000beef")
    contents = (document(18, "net", "dns"), document(17, "net", "web", "dns"), None, lost, document(15, "net", "web"))
    keep(world.store, key, *contents, at=(running.started or world.clock()) + timedelta(seconds=30))
    await pilot.app.push_screen(VersionsScreen(key))
    await quiet(pilot)


async def show_difference(pilot: Pilot[None], world: World) -> None:
    await show_history(pilot, world)
    await pilot.press("enter")
    await quiet(pilot)


async def show_way_back(pilot: Pilot[None], world: World) -> None:
    await show_history(pilot, world)
    await pilot.press("j", "b")
    await quiet(pilot)


async def show_endpoint(pilot: Pilot[None], world: World) -> None:
    """A card before anything was tried: versioning is off, and the store does not know every question."""
    unknown = "the store does not know the question"
    rule = LifecycleRule(name="tidy", prefix="", expire_days=30, expire_old_days=None)
    told: tuple[tuple[AspectName, Standing, str, str], ...] = (
        ("access", "good", "listing works", "listed the bucket"),
        ("identity", "plain", "keys from env RUSTFS_ACCESS_KEY", "this store has no name for them"),
        ("addressing", "plain", "path style", "the listing was answered that way"),
        ("clock", "plain", "right, to the second", "Date: Mon, 30 Nov 2026 14:00:00 GMT"),
        ("transport", "good", "TLSv1.3", "a handshake, with a trusted certificate until 2027-03-01"),
        ("versioning", "bad", "off", "GetBucketVersioning: no status, so it never was on"),
        ("version_listing", "good", "works", "ListObjectVersions was answered"),
        ("encryption", "unknown", unknown, "NotImplemented"),
        ("lifecycle", "bad", "1 that deletes", "GetBucketLifecycleConfiguration: 1 rule"),
        ("public_access", "plain", "none found", "neither the policy nor the access list is public"),
    )
    world.store.aspects = [
        Aspect(
            name=name,
            standing=standing,
            said=said,
            evidence=evidence,
            doubt="unsupported" if standing == "unknown" else "",
            rules=(rule,) if name == "lifecycle" else (),
        )
        for name, standing, said, evidence in told
    ]
    await pilot.app.push_screen(EndpointScreen())
    await quiet(pilot)


async def show_chain_form(pilot: Pilot[None], world: World) -> None:
    await pilot.press("R")
    await wait_until(lambda: isinstance(pilot.app.screen, ChainDialog))
    form = pilot.app.screen
    form.query_one("#workspace_path", Input).value = "/workspaces/acme-net_a1b2"
    form.query_one("#project", Select).value = 1
    await pilot.pause()


async def show_chain(pilot: Pilot[None], world: World) -> None:
    """A chain that waits for its review."""
    service = world.sidecar
    assert isinstance(service, ChainedSidecar)
    service.stuck.clear()
    service.ends[JobKind.SHOW] = (0, (FIXTURES / "mixed.json").read_text(encoding="utf-8"), "")
    await show_chain_form(pilot, world)
    pilot.app.screen.query_one("#run", Button).press()
    await wait_until(lambda: "your turn" in painted(pilot))


async def show_question(pilot: Pilot[None], world: World) -> None:
    await show_chain(pilot, world)
    await pilot.press("A")
    await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))


async def show_failed_chain(pilot: Pilot[None], world: World) -> None:
    service = world.sidecar
    assert isinstance(service, ChainedSidecar)
    service.stuck.clear()
    service.ends[JobKind.INIT] = (1, "", BAD_KEY)
    await show_chain_form(pilot, world)
    pilot.app.screen.query_one("#run", Button).press()
    await wait_until(lambda: "✗ failed" in painted(pilot))
    await quiet(pilot)


async def show_discovery(pilot: Pilot[None], world: World) -> None:
    """A scope with a little of everything; the bucket is empty of Azure's things."""
    service = world.sidecar
    assert isinstance(service, ChainedSidecar)
    service.stuck.clear()
    group = f"/subscriptions/{SCOPE}/resourceGroups/rg-net/providers"
    stores = [f"{group}/Microsoft.Storage/storageAccounts/acme{number}" for number in range(9)]
    odd = [f"{group}/Microsoft.Compute/virtualMachines/jump-1", f"{group}/Microsoft.Odd/things/one"]
    service.ends[JobKind.STATE_RESOURCE_IDS] = (0, json.dumps([*stores[:5], f"{stores[0]}-gone"]), "")
    service.ends[JobKind.SCOPE_RESOURCE_IDS] = (0, json.dumps([*stores, *odd]), "")
    screen = view_of(pilot)
    assert isinstance(screen, DiscoveryScreen)
    screen.discover(
        DiscoveryRequest(workspace="/workspaces/acme-net_a1b2", scope=SCOPE, provider=CloudProvider.AZURE, suppressions=())
    )
    await wait_until(lambda: screen.found is not None)
    await quiet(pilot)


async def show_worksheet(pilot: Pilot[None], world: World) -> None:
    await show_discovery(pilot, world)
    await pilot.press("a", "w")
    await quiet(pilot)


Step = Callable[[Pilot[None], World], Awaitable[None]]
PICTURES: dict[str, tuple[str, Step]] = {
    **{view.name: (view.name, show_key if view.name in {"key", "backend", "state"} else as_it_is) for view in VIEWS},
    "discovery": ("discovery", show_discovery),
    "worksheet": ("discovery", show_worksheet),
    "state-moved": ("state", show_moved),
    "state-other-project": ("state", show_other_project),
    "backend-layers": ("backend", show_layers),
    "jobs-form": ("jobs", show_form),
    "locks": ("overview", show_locks),
    "scan": ("bucket", show_scan),
    "one-state": ("bucket", show_one_state),
    "history": ("bucket", show_history),
    "history-diff": ("bucket", show_difference),
    "history-way-back": ("bucket", show_way_back),
    "endpoint": ("bucket", show_endpoint),
    "plan": ("jobs", show_plan),
    "chain-form": ("jobs", show_chain_form),
    "chain": ("jobs", show_chain),
    "chain-question": ("jobs", show_question),
    "chain-failed": ("jobs", show_failed_chain),
    "help": ("jobs", show_help),
    "palette": ("overview", show_palette),
}


async def take(folder: Path) -> list[Path]:
    """Every picture at both sizes; returns the files written."""
    written = []
    for width, height in (SMALL, LARGE):
        for name, (view, step) in PICTURES.items():
            with tempfile.TemporaryDirectory() as scratch:
                world = World(Path(scratch))
                service = world.sidecar = ChainedSidecar(world.clock)
                # The jobs of an earlier run end when they are told to.
                service.stuck.update(JobKind)
                populate(world)
                await run_jobs(world)
                async with world.console(size=(width, height), view=view) as pilot:
                    await quiet(pilot)
                    await step(pilot, world)
                    await pilot.pause()
                    target = folder / f"{name}-{width}x{height}.svg"
                    target.write_text(pilot.app.export_screenshot(title="kumoss-console"), encoding="utf-8")
                    written.append(target)
    return written


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m tests.screens.pictures OUTDIR", file=sys.stderr)  # noqa: T201 - a tool of its own
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for path in asyncio.run(take(folder)):
        print(path)  # noqa: T201 - a tool of its own
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
