"""A console on a world in memory: what a test of a view starts from.

::

    async def test_a_dead_store_is_said(world: World) -> None:
        world.store.errors["check"] = Unreachable("nobody answers")
        async with world.console() as pilot:
            await settle(pilot)
            assert "nobody answers" in painted(pilot)
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from textual._compositor import LayoutUpdate
from textual.pilot import Pilot

from kumoss_console.config import LoadedConfig
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context, IacSettings
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.services.build import Services
from kumoss_console.services.wiring.adapters import GivenAdapters
from kumoss_console.text import Secret
from screens.app import ConsoleApp
from screens.base import ViewScreen
from screens.following import FOLLOWING
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore
from tests.waiting import wait_until

SMALL = (80, 24)
LARGE = (140, 45)

CONTEXT = Context(
    name="prod",
    storage=StorageSettings(endpoint_url="https://store.acme:9000", public_endpoint_url="https://store.acme:9000"),
    credentials=StorageCredentials(
        access_key=Secret("AKIDEXAMPLE"), secret_key=Secret("wJalrXUtnFEMI"), source="env RUSTFS_ACCESS_KEY"
    ),
    iac=IacSettings(endpoint="https://iac.acme:8082"),
    token=Secret("a-bearer-token"),
    backend_config="",
    colour="red",
    workspaces_root="/workspaces",
)


class World:
    """Fakes for everything outside, and real services on them. Change ``contexts``, the fakes and the journal before opening."""

    def __init__(self, folder: Path) -> None:
        self.contexts: tuple[Context, ...] = (CONTEXT, replace(CONTEXT, name="dev", colour="green"))
        self.clock = FakeClock()
        self.sidecar = FakeSidecar(self.clock)
        self.store = FakeStore()
        self.journal = Journal.open(folder / "jobs.sqlite3")
        self.warnings: tuple[str, ...] = ()
        self.built: list[str] = []

    @property
    def config(self) -> LoadedConfig:
        return LoadedConfig(contexts=self.contexts, default=self.contexts[0].name, warnings=self.warnings)

    def change(self, **changes: object) -> None:
        """Change settings of the first context."""
        self.contexts = (replace(self.contexts[0], **changes), *self.contexts[1:])  # type: ignore[arg-type]

    def build(self, config: LoadedConfig, name: str | None = None, *, read_only: bool = False) -> Services:
        context = config.context(name)
        self.built.append(context.name)
        adapters = GivenAdapters(sidecar=self.sidecar, store=self.store, journal=self.journal)
        return Services(
            config=config,
            context=replace(context, read_only=context.read_only or read_only),
            adapters=adapters,
            clock=self.clock,
            environ={},
        )

    def app(self, *, read_only: bool = False) -> ConsoleApp:
        return ConsoleApp(self.config, read_only=read_only, build=self.build, who="ops@laptop")

    @asynccontextmanager
    async def console(
        self, *, size: tuple[int, int] = LARGE, view: str = "", read_only: bool = False
    ) -> AsyncIterator[Pilot[None]]:
        """The console, painted once, on ``view``. Toasts and tooltips are on: a crash in one must not hide."""
        app = self.app(read_only=read_only)
        async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
            await pilot.pause()
            if view:
                await app.open_view(view)
                await pilot.pause()
            try:
                yield pilot
            finally:
                # As the console does when it ends: nothing that work finds may reach a screen that is being taken down.
                app.workers.cancel_all()


def console_of(pilot: Pilot[None]) -> ConsoleApp:
    assert isinstance(pilot.app, ConsoleApp)
    return pilot.app


def view_of(pilot: Pilot[None]) -> ViewScreen:
    """The view that is shown; fails the test where a dialog is."""
    assert isinstance(pilot.app.screen, ViewScreen)
    return pilot.app.screen


async def settle(pilot: Pilot[None]) -> None:
    """Until no work of the view is under way and everything it led to is painted."""
    await pilot.pause()
    await wait_until(lambda: all(worker.is_finished for worker in pilot.app.workers if not worker.group.startswith(FOLLOWING)))
    await pilot.pause()


def painted(pilot: Pilot[None]) -> str:
    """What the terminal shows, line by line, without styles: the very strips it is sent, dialogs over the view they are on.

    Textual's picture of the screen holds the same text; drawing that SVG would be most of what the tests of the views cost.
    """
    app = pilot.app
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    return "\n".join("".join(strip.text for strip in line).rstrip() for line in update.strips)
