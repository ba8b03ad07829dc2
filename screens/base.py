"""The screen every view stands on: the frame, guarded work, the age of what is shown.

A view is a small class::

    class BucketScreen(ViewScreen):
        view_name = "bucket"
        commands = (OPEN, FILTER, *COPIES)

        def body(self) -> ComposeResult:            # between line 2 and the flash line
            yield VirtualTable(COLUMNS, id="states")

        async def load(self) -> None:               # at first sight, on r, and every refresh interval while in view
            async for snapshot in self.services.bucket.stream():
                self.snapshot = snapshot            # a reactive; its watcher hands rows to the widgets
                self.fresh(snapshot.at)

``load`` may raise a :class:`ConsoleError`: it becomes the banner, and what was shown stays with its age. Anything else is a bug
and ends the program. Other work that waits for the outside goes through :meth:`ViewScreen.start`, never into a handler. Filter
and command line, copying, help and full screen come with the base; see :mod:`screens.gestures`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import var
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity
from screens import gestures, problems
from screens.commands import APPLICATION, EVERYWHERE, MOVE, QUIT, Command, bindings, by_action
from screens.copies import Copy
from screens.flash import Flash
from screens.views import VIEW_COMMANDS, VIEWS
from screens.widgets.context_bar import ContextBar
from screens.widgets.error_banner import ErrorBanner
from screens.widgets.flash_line import FlashLine
from screens.widgets.key_bar import KeyBar
from screens.widgets.typed_line import CommandLine
from screens.widgets.view_bar import ViewBar, freshness

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from screens.app import ConsoleApp

Work = Callable[[], Coroutine[Any, Any, None]]
LOAD = "load"
"""The worker group of :meth:`ViewScreen.load`."""


class ViewScreen(Screen[None]):
    """Frame, worker and time of one view. Subclasses give their ``view_name``, list ``commands``, write ``body`` and ``load``."""

    view_name: ClassVar[str] = ""
    commands: ClassVar[tuple[Command, ...]] = ()
    polls: ClassVar[bool] = True
    """Whether ``load`` runs again by itself while the view is shown."""
    parts: ClassVar[frozenset[str]] = frozenset({LOAD})
    """Worker groups that are tried again in this view. What stopped any other was the answer to something asked for: its
    banner goes when the view is left."""

    BINDINGS = bindings((*EVERYWHERE, *VIEW_COMMANDS))

    problems: var[dict[str, ConsoleError]] = var(dict, always_update=True)
    """What stands in the way, by worker group. A group that succeeds clears its own; Esc takes the banner away."""
    dismissed: var[dict[str, ConsoleError]] = var(dict, always_update=True)
    loaded: var[datetime | None] = var(None)
    busy: var[int] = var(0)

    def __init_subclass__(cls, **options: Any) -> None:
        # One definition per command: the bindings are made from the tuple, not written beside it.
        cls.BINDINGS = bindings(cls.commands)
        super().__init_subclass__(**options)

    def __init__(self) -> None:
        super().__init__()
        self._by_action = by_action(self.available_in_principle)
        self._poll: Timer | None = None
        self._clockwork: Timer | None = None

    # -- what a view writes ------------------------------------------------------------------------------------------------

    def body(self) -> ComposeResult:
        """The widgets between line 2 and the flash line."""
        yield from ()

    async def load(self) -> None:
        """Fetch and assign. Call :meth:`fresh` with the time of what was fetched."""

    def enabled(self, command: Command) -> bool | None:
        """Whether a command of this view can be used now: ``False`` hides it, ``None`` greys it out."""
        return True

    def copies(self) -> tuple[Copy, ...]:
        """What ``y``, ``Y`` and ``c`` offer for the present selection. Never text that the screen masks."""
        return ()

    def saved(self) -> tuple[str, gestures.Saved] | None:
        """A file name to propose and the text that ``S`` writes; ``None`` where there is nothing to save."""
        return None

    def show_subject(self, subject: str) -> None:
        """Open what another view pointed at: a job id, an object key, as that view got it."""

    def age(self) -> str:
        """What line 2 says at its end: how old the shown data is."""
        return freshness(self.loaded, self.now(), busy=self.busy > 0)

    def step_back(self) -> bool:
        """Close one thing of this view (a detail, a search); true where there was one."""
        return False

    # -- what a view uses --------------------------------------------------------------------------------------------------

    @property
    def console(self) -> ConsoleApp:
        return cast("ConsoleApp", self.app)

    @property
    def services(self) -> Services:
        return self.console.services

    def now(self) -> datetime:
        """UTC, by the services' clock, so that ages agree with the times that services give."""
        return self.services.clock()

    def start(self, work: Work, *, group: str, exclusive: bool = True, lasting: bool = False) -> Worker[None]:
        """Run ``work`` beside the event loop's other business; a :class:`ConsoleError` becomes the banner.

        ``group`` names the purpose: with ``exclusive`` a new start of the same group cancels the one under way. ``lasting``
        work goes on for as long as something else does (a watch): it does not show as a look under way.
        """
        guarded = partial(self._guarded, work, group, 0 if lasting else 1)
        return self.run_worker(guarded, group=group, exclusive=exclusive, name=group)

    def fresh(self, at: datetime) -> None:
        """What is shown now was true at ``at``."""
        self.loaded = at

    def reload(self) -> None:
        """Start :meth:`load` unless it is under way: a slow answer is waited for, not asked for again."""
        if not any(worker.group == LOAD and not worker.is_finished for worker in self.workers if worker.node is self):
            self.start(self.load, group=LOAD)

    async def _guarded(self, work: Work, group: str, weight: int) -> None:
        self.busy += weight
        try:
            await work()
        except ConsoleError as error:
            if problems.is_news(self.problems, group, error):
                self.console.flashes.add(Flash(at=self.now(), text=error.title, severity=Severity.ERROR))
            self.problems = problems.with_failure(self.problems, group, error)
        else:
            self.dismissed = problems.without(self.dismissed, {group})
            self.problems = problems.without(self.problems, {group})
        finally:
            self.busy -= weight

    # -- frame -------------------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield ContextBar()
        yield ViewBar(VIEWS, self.view_name)
        yield ErrorBanner()
        with Container(id="body"):
            yield from self.body()
        yield FlashLine()
        yield KeyBar()
        yield CommandLine(self.console.typed)

    def on_mount(self) -> None:
        self._poll = self.set_interval(self.services.context.refresh_interval, self.reload, pause=True)
        self._clockwork = self.set_interval(1.0, self._tick, pause=True)
        self.watch(self.app, "flash_shown", self._show_flash)
        self.watch(self.app, "facts", self._show_facts)

    def _show_flash(self) -> None:
        self.query_one(FlashLine).flash = self.console.flash_shown

    def _show_facts(self) -> None:
        self.query_one(ContextBar).facts = self.console.facts

    def on_screen_resume(self) -> None:
        # Textual sends this twice when a mode is first entered; both calls end in the same state.
        for timer in (self._poll if self.polls else None, self._clockwork):
            if timer is not None:
                timer.resume()
        self._tick()
        if self._is_stale():
            self.call_after_refresh(self.reload)

    def on_screen_suspend(self) -> None:
        for timer in (self._poll, self._clockwork):
            if timer is not None:
                timer.pause()

    def _is_stale(self) -> bool:
        if self.loaded is None:
            return True
        return self.polls and (self.now() - self.loaded).total_seconds() >= self.services.context.refresh_interval

    @property
    def has_frame(self) -> bool:
        """Whether the widgets are there: not before the screen is composed, and no more while it is taken down."""
        return all(self.query_one_optional(part) is not None for part in (ViewBar, ErrorBanner, KeyBar))

    def _tick(self) -> None:
        if self.has_frame:
            self._show_age()
            self.ticked()

    def _show_age(self) -> None:
        if self.has_frame:
            self.query_one(ViewBar).age = self.age()

    def ticked(self) -> None:
        """Called each second while in view: ages that are shown grow."""

    def watch_loaded(self) -> None:
        self._show_age()

    def watch_busy(self) -> None:
        self._show_age()

    def watch_problems(self, problems: dict[str, ConsoleError]) -> None:
        self._show_problem()

    def watch_dismissed(self) -> None:
        self._show_problem()

    def _show_problem(self) -> None:
        if self.has_frame:
            found = problems.shown(self.problems, self.dismissed)
            self.query_one(ErrorBanner).error = found[1] if found is not None else None

    def dismiss_problem(self) -> bool:
        """Take the banner away, until something else goes wrong; true where there was one. ``:log`` keeps what it said."""
        found = problems.shown(self.problems, self.dismissed)
        if found is not None:
            self.dismissed = {**self.dismissed, found[0]: found[1]}
        return found is not None

    def left(self) -> None:
        """Another view is shown instead."""
        self.problems = problems.only(self.problems, self.parts)

    # -- commands ----------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        command = self._by_action.get(action)
        if command is None:
            return super().check_action(action, parameters)
        if command.changes and self.services.read_only:
            return False
        return self.enabled(command)

    @property
    def available_in_principle(self) -> tuple[Command, ...]:
        """Every command of this view and of all views, the view's own first."""
        return (*self.commands, *EVERYWHERE, *APPLICATION, QUIT, *VIEW_COMMANDS)

    @property
    def available(self) -> tuple[Command, ...]:
        """Every command that can be used now."""
        return tuple(command for command in self.available_in_principle if self.check_action(command.action_name, ()))

    async def run_command(self, command: Command, argument: str = "") -> None:
        """What a key, the palette and the ``:`` line all end in."""
        if self.check_action(command.action_name, ()):
            await self.run_action(command.action_with(argument))

    @on(CommandLine.Entered)
    async def _entered(self, event: CommandLine.Entered) -> None:
        await gestures.run_typed(self, event.word, event.argument)

    def on_key(self, event: events.Key) -> None:
        # Whatever has the focus and takes the key stops it before it gets here.
        gestures.answer_dead_key(self, event.key)

    @on(ViewBar.Chosen)
    async def _chosen(self, event: ViewBar.Chosen) -> None:
        await self.console.action_open_view(event.view.name)

    async def action_back(self) -> None:
        if not gestures.close_one(self) and not self.step_back() and not self.dismiss_problem():
            await self.console.action_go_back()

    async def action_leave(self) -> None:
        """Close one thing that is open, else leave the program: never a walk through the views seen before."""
        if not gestures.close_one(self) and not self.step_back():
            self.app.exit()

    def action_refresh_now(self) -> None:
        self.reload()
        self.console.look()

    def action_command_line(self) -> None:
        gestures.open_command_line(self)

    def action_help(self) -> None:
        gestures.show_help(self, moves=MOVE)

    def action_show_log(self) -> None:
        gestures.show_log(self)

    def action_switch_context(self, name: str = "") -> None:
        gestures.switch_context(self, name)

    def action_open(self) -> None:
        gestures.open_row(self)

    def action_filter(self) -> None:
        gestures.open_filter(self)

    def action_copy(self) -> None:
        gestures.copy_role(self, "thing")

    def action_copy_json(self) -> None:
        gestures.copy_role(self, "json")

    def action_copy_menu(self) -> None:
        gestures.copy_menu(self)

    def action_show_locks(self) -> None:
        gestures.show_locks(self)

    def action_save(self, name: str = "") -> None:
        gestures.save(self, name)

    def action_full_screen(self) -> None:
        gestures.full_screen(self)
