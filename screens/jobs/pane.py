"""The detail of one job: result or problem first, then stderr, stdout, request and timeline."""

from __future__ import annotations

from datetime import datetime

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical

from kumoss_console.model.job import Job
from screens.jobs import detail
from screens.jobs.view import heading, planes
from screens.widgets.content import safe
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.line_view import LineView
from screens.widgets.part_bar import PartBar


class JobPane(Vertical):
    """Shows what :meth:`show` is given. Another job begins with the part that matters; the same job keeps the chosen one."""

    ALLOW_MAXIMIZE = True

    sheet = getters.query_one(FactSheet)
    bar = getters.query_one(PartBar)
    lines = getters.query_one(LineView)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._shown: tuple[int, bool, bool] | None = None
        self._job: Job | None = None
        self._now: datetime | None = None
        self._root: str | None = None

    def compose(self) -> ComposeResult:
        yield FactSheet()
        yield PartBar(detail.PARTS)
        yield LineView(id="output")

    def show(self, job: Job | None, now: datetime, root: str | None = None) -> None:
        """``job`` as it stands at ``now``; ``None`` where there is no job to show. ``root``: the folder of all workspaces."""
        self._job = job
        self._now = now
        self._root = root
        self._draw()

    def on_mount(self) -> None:
        self._draw()

    def _draw(self) -> None:
        job = self._job
        self.display = job is not None
        if job is None or not self.query(LineView):
            self._shown = None
            return
        # A job that ends while it is watched turns to its output by itself.
        identity = (job.entry, job.service.final, detail.is_unread(job))
        if identity != self._shown:
            self._shown = identity
            self.bar.current = detail.first_part(job)
        self.border_title = safe(heading(job, self._root))
        self.border_subtitle = planes(job)
        self.sheet.facts = detail.result(job)
        self._renew()

    def _renew(self) -> None:
        if self._job is None or self._now is None:
            return
        part = self.part
        text = detail.part_text(self._job, part, self._now)
        self.lines.empty = detail.empty_words(self._job, part)
        self.lines.show(text)
        self.say_found()

    @property
    def part(self) -> str:
        return detail.PARTS[self.bar.current]

    def turn(self, index: int) -> None:
        """Show another part; counts on from the last to the first."""
        self.bar.current = index % len(detail.PARTS)
        self._renew()

    def search(self, needle: str) -> None:
        self.lines.search(needle)
        self.say_found()

    def next_match(self, step: int) -> None:
        self.lines.next_match(step)
        self.say_found()

    def say_found(self) -> None:
        """How long the text is, or which match of how many is shown."""
        at, matches = self.lines.found
        count = self.lines.line_count
        if self.lines.needle:
            self.bar.note = f"match {at} of {matches}" if matches else "no match"
        else:
            self.bar.note = f"{count} line{'' if count == 1 else 's'}"

    @on(PartBar.Chosen)
    def _chosen(self, event: PartBar.Chosen) -> None:
        event.stop()
        self.turn(event.index)
