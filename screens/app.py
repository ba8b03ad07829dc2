"""The application: which world, which view, what was said. No handler here knows the domain."""

from __future__ import annotations

from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import RenderableType
from textual import events
from textual.binding import Binding
from textual.reactive import var

from kumoss_console.errors import ConsoleError
from kumoss_console.identity import identity
from kumoss_console.model.finding import Severity
from kumoss_console.services.asking.probe import UNASKED, Probe
from screens.base import ViewScreen
from screens.clipboard import copying
from screens.commands import APPLICATION, QUIT, Command, bindings, key_display
from screens.contexts import refusal
from screens.flash import Flash, FlashLog
from screens.following import follow
from screens.health import UNKNOWN, health_words
from screens.preloading import AFTER_SECONDS, PRELOADING, import_views, is_still_wanted
from screens.start import Builder, build_services, close, command_provider
from screens.subject import NOTHING, Subject
from screens.theme import CONTEXT_COLOURS, DARK, THEMES
from screens.trail import Trail
from screens.typeahead import TypeAheadApp
from screens.views import VIEWS, view_named
from screens.widgets.context_bar import ContextFacts, facts_of

if TYPE_CHECKING:
    from kumoss_console.config import LoadedConfig

HEALTH = "health"
CONTEXT = "context"
"""Worker groups of the application: asking the sidecar how it is, entering another context."""
QUIT_AGAIN_SECONDS = 2.0
CTRL_C = Command(id="quit.twice", action="app.help_quit", title="Quit when pressed twice", keys=("ctrl+c",), listed=False)


class ConsoleApp(TypeAheadApp[None], inherit_bindings=False):
    """The console on one context at a time. ``read_only`` only ever adds to what the configuration says."""

    TITLE = "kumoss-console"
    CSS_PATH = "app.tcss"
    MODES = {view.name: view.load for view in VIEWS}  # noqa: RUF012 - Textual's declaration
    DEFAULT_MODE = VIEWS[0].name
    COMMANDS = {command_provider}  # noqa: RUF012 - Textual's declaration
    ENABLE_COMMAND_PALETTE = True
    BINDINGS = [*bindings(APPLICATION), *bindings((QUIT, CTRL_C), priority=True)]  # noqa: RUF012 - Textual's declaration

    flash_shown: var[Flash | None] = var(None)
    facts: var[ContextFacts | None] = var(None)
    health: var[str] = var(UNKNOWN)
    probe: var[Probe] = var(UNASKED)
    """How the sidecar of this context was when last asked; :attr:`answered` is when it last answered that question."""
    answered: var[datetime | None] = var(None)
    subject: var[Subject] = var(NOTHING)

    def __init__(
        self,
        config: LoadedConfig,
        context: str | None = None,
        read_only: bool = False,
        *,
        build: Builder = build_services,
        who: str | None = None,
    ) -> None:
        """Raises :class:`~kumoss_console.errors.InputError` for a context that the configuration does not have."""
        self.config = config
        self.read_only = read_only
        self._build = build
        self.services = build(config, context, read_only=read_only)
        self.who = identity() if who is None else who
        self.flashes = FlashLog()
        self.typed: list[str] = []
        self.trail = Trail(VIEWS[0].name)
        self._generation = 0
        self._asked_to_quit = float("-inf")
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    # -- worlds --------------------------------------------------------------------------------------------------------------

    def get_theme_variable_defaults(self) -> dict[str, str]:
        background, foreground = CONTEXT_COLOURS[self.services.context.colour]
        return {"context-background": background, "context-foreground": foreground}

    def switch_to(self, name: str) -> None:
        """Leave this context for another one. The old one need not answer."""
        self.run_worker(self._enter(name), group=CONTEXT, exclusive=True)

    async def _enter(self, name: str) -> None:
        try:
            services = self._build(self.config, name, read_only=self.read_only)
        except ConsoleError as error:
            self.flash(refusal(error), Severity.ERROR)
            return
        left, self.services = self.services, services
        # Work of the old world ends before its screens go: nothing it finds may reach a screen that is being taken down.
        for worker in self.workers:
            if worker.group != CONTEXT:
                worker.cancel()
        old = [self._mode(view.name) for view in VIEWS]
        self._generation += 1
        for view in VIEWS:
            self.add_mode(self._mode(view.name), view.load)
        self.trail = Trail(VIEWS[0].name)
        self.health, self.probe, self.answered = UNKNOWN, UNASKED, None
        self._renew_facts()
        self.refresh_css(animate=False)
        await self.switch_mode(self._mode(VIEWS[0].name))
        for mode in old:
            await self.remove_mode(mode)
        self.flash(f"context {services.context.name}")
        self.look()
        follow(self)
        await close(left)

    def _mode(self, view: str) -> str:
        # Screens belong to one context: another context gets modes of its own, and the old ones go.
        return f"{view}.{self._generation}" if self._generation else view

    # -- health of the sidecar, in line 1 of every view --------------------------------------------------------------------

    def look(self) -> None:
        """Ask the sidecar how it is, unless the last question is still open."""
        if not any(worker.group == HEALTH and not worker.is_finished for worker in self.workers):
            self.run_worker(self._ask_health(), group=HEALTH)

    async def _ask_health(self) -> None:
        asked = self.services
        probe = await asked.overview.ask_sidecar()
        refused = probe.status == "ok" and await asked.overview.refuses_token()
        if asked is self.services:
            self.answered = asked.clock() if probe.status == "ok" else self.answered
            self.probe = probe
            self.health = health_words(probe, token_refused=refused)

    def watch_health(self) -> None:
        self._renew_facts()

    def _renew_facts(self) -> None:
        self.facts = facts_of(self.services.context, health=self.health, identity=self.who, read_only=self.services.read_only)

    # -- views ---------------------------------------------------------------------------------------------------------------

    async def action_open_view(self, name: str) -> None:
        await self.open_view(name)

    async def open_view(self, name: str, subject: str = "") -> None:
        """Go to a view, and to what it should show there: a job id, an object key."""
        if view_named(name) is None:
            self.flash(f"there is no view {name!r}", Severity.WARNING)
            return
        self.trail.visit(name)
        await self._show(name, subject)

    async def action_go_back(self) -> bool:
        """The view before; false at the root."""
        name = self.trail.back()
        if name is not None:
            await self._show(name)
        return name is not None

    async def action_go_forward(self) -> None:
        if name := self.trail.forward():
            await self._show(name)

    async def _show(self, name: str, subject: str = "") -> None:
        if not await is_still_wanted(name, self.trail, self.services.off_loop):
            return
        if self.current_mode != self._mode(name):
            for screen in self.screen_stack:
                if isinstance(screen, ViewScreen):
                    screen.left()
        await self.switch_mode(self._mode(name))
        if subject and isinstance(self.screen, ViewScreen):
            self.screen.show_subject(subject)

    def get_key_display(self, binding: Binding) -> str:
        """Keys as an operator would type them: ``ctrl+p``, ``enter``, ``/``."""
        return key_display(binding)

    # -- words and copies ----------------------------------------------------------------------------------------------------

    def flash(self, text: str, severity: Severity = Severity.INFO) -> None:
        """Say something on the flash line, until a key is pressed; it stays in ``:log``. ``text`` may be external."""
        flash = Flash(at=self.services.clock(), text=text, severity=severity)
        self.flashes.add(flash)
        self.flash_shown = flash

    def flash_once(self, text: str, severity: Severity = Severity.INFO) -> None:
        """:meth:`flash`, unless the log has exactly that already."""
        if all(said.text != text for said in self.flashes):
            self.flash(text, severity)

    def copy(self, text: str, what: str) -> None:
        """Hand ``text`` to the terminal's clipboard and say what happened."""
        copied = copying(text, what, self.services.environ)
        if not copied.fits:
            self.flash(copied.message, Severity.WARNING)
            return
        super().copy_to_clipboard(text)
        if copied.wrapped and self._driver is not None:
            self._driver.write(copied.wrapped)
        self.flash(copied.message)

    def copy_to_clipboard(self, text: str) -> None:
        """Textual's own copying (a selection, an input) takes the same way, so that it also says what happened."""
        self.copy(text, "the selection")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.flash_shown = None
        await super().on_event(event)

    # -- beginning and end ---------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.watch_health()
        for warning in self.config.warnings:
            self.flash(warning, Severity.WARNING)
        self.set_interval(self.services.context.refresh_interval, self.look)
        # First the picture, then the network.
        self.call_after_refresh(self.look)
        self.call_after_refresh(follow, self)
        self.set_timer(AFTER_SECONDS, lambda: self.run_worker(import_views(self.services.off_loop), group=PRELOADING))

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        # Work ends before the screens go: nothing it finds may reach a screen that is being taken down.
        self.workers.cancel_all()
        super().exit(result, return_code, message)

    async def on_unmount(self) -> None:
        await close(self.services)

    def action_help_quit(self) -> None:
        """Ctrl+C: quits when pressed twice, because everybody presses it twice."""
        now = monotonic()
        if now - self._asked_to_quit < QUIT_AGAIN_SECONDS:
            self.exit()
            return
        self._asked_to_quit = now
        self.flash("ctrl+c again quits; running jobs go on, they belong to the sidecar")
