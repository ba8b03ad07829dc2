"""The output of one job, and nothing else. Pushed over the view that has the job; Esc and ``q`` go back there."""

from __future__ import annotations

from collections.abc import Sequence

from textual import getters, on
from textual.app import ComposeResult
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job
from kumoss_console.services.jobs.words import said
from screens.commands import NEXT_MATCH, PREVIOUS_MATCH, Command
from screens.copies import Copy
from screens.durations import precise
from screens.gestures import Saved
from screens.jobs import detail
from screens.jobs.commands import FOLLOW_OUTPUT, OUTPUT_COMMANDS
from screens.jobs.texts import JobTexts
from screens.jobs.view import heading, state
from screens.pushed import PushedScreen
from screens.widgets.cells import Cell
from screens.widgets.content import toned
from screens.widgets.line_view import LineView
from screens.widgets.typed_line import FilterLine


class OutputScreen(PushedScreen):
    """Shows ``job``, and what becomes of it: by itself every refresh interval, and when told with :meth:`hear`."""

    view_name = "output"
    commands = OUTPUT_COMMANDS
    CSS_PATH = "output.tcss"
    AUTO_FOCUS = "#output"

    searching: reactive[bool] = reactive(False, bindings=True)

    texts = getters.query_one(JobTexts)

    def __init__(self, job: Job, words: str) -> None:
        """``words`` is what is known of its end, in one line; may hold external text."""
        super().__init__()
        self.job = job
        self._words = words
        self._asked = False

    def body(self) -> ComposeResult:
        yield Static(id="headline")
        yield JobTexts()
        yield FilterLine(placeholder="search the text", id="search")

    @property
    def lines(self) -> LineView:
        return self.texts.lines

    def on_mount(self) -> None:
        self._renew()

    async def load(self) -> None:
        if detail.is_unread(self.job) or not self.job.service.final:
            self.hear(await self.services.jobs.find(f"#{self.job.entry}"))
            self._asked = True
        self._renew()
        self.fresh(self.now())

    def hear(self, job: Job) -> None:
        """A newer word about the job, if it is this one. An output that was read is never unread again."""
        if job.entry == self.job.entry and (not detail.is_unread(job) or detail.is_unread(self.job)):
            if job.service is not self.job.service:
                self._words = said(job) or job.summary
            self.job = job
            if self.has_frame:
                self._renew()

    def hear_all(self, jobs: Sequence[Job]) -> None:
        """The news of every job; an output that the service has by now is fetched."""
        for job in jobs:
            if self.is_attached and job.entry == self.job.entry:
                self.hear(job)
                if detail.is_unread(job) and not self.job.service.final:
                    self.reload()

    def ticked(self) -> None:
        self._renew()

    def _renew(self) -> None:
        now, job = self.now(), self.services.follow.as_seen(self.job)
        # The timeline has the day; here the line has to fit.
        times = [f"{job.started:%H:%M:%S} UTC"] if job.started is not None else []
        if (ran := job.run_time(now)) is not None:
            times.append(f"ran {precise(ran)}")
        self.query_one("#headline", Static).update(
            Content("\n").join(
                [
                    toned(Cell(heading(job, self.services.context.workspaces_root), "accent")),
                    toned(state(job), "  ", self._words, Cell("".join(f" · {time}" for time in times), "dim")),
                    *(toned(*left_out.value) for left_out in detail.dropped(job)),
                ]
            )
        )
        self.texts.show(job, now, asked=self._asked)

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command.id in {NEXT_MATCH.id, PREVIOUS_MATCH.id}:
            return self.searching
        if command is FOLLOW_OUTPUT:
            return not self.job.service.final
        return True

    def action_search(self) -> None:
        self.query_one("#search", FilterLine).open()

    @on(FilterLine.Filtered, "#search")
    def _searched(self, event: FilterLine.Filtered) -> None:
        self.searching = bool(event.text)
        self.lines.search(event.text)

    def action_next_match(self) -> None:
        self.lines.next_match()

    def action_previous_match(self) -> None:
        self.lines.next_match(-1)

    def action_next_part(self) -> None:
        self.texts.turn(self.texts.bar.current + 1)

    def action_wrap(self) -> None:
        self.lines.action_wrap()

    def action_first_error(self) -> None:
        if not self.texts.go_to_first_error():
            self.console.flash("no line begins an error", Severity.WARNING)

    def action_follow_end(self) -> None:
        self.lines.follow = not self.lines.follow
        said = "the end is shown as soon as there is output" if self.lines.follow else "output is shown from its start"
        self.console.flash(f"{said}; the service gives it once the command has ended")

    def copies(self) -> tuple[Copy, ...]:
        line = self.lines.current_line
        others = tuple(copy for copy in detail.copies(self.job) if copy.role != "thing")
        return (*((Copy(label="the line", text=line, role="thing"),) if line else ()), *others)

    def saved(self) -> tuple[str, Saved] | None:
        return detail.saved(self.job, self.texts.part, self.lines)
