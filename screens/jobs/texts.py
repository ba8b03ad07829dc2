"""The texts of one job, one at a time: stderr, stdout, request, timeline. Search, wrap, jump; says what part is in view."""

from __future__ import annotations

from datetime import datetime

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical

from kumoss_console.model.job import Job
from screens.jobs import detail
from screens.widgets.line_view import LineView
from screens.widgets.part_bar import PartBar


class JobTexts(Vertical):
    """Shows what :meth:`show` is given. Another job begins with the part that matters; the same job keeps the chosen one."""

    bar = getters.query_one(PartBar)
    lines = getters.query_one(LineView)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._shown: tuple[int, bool, bool] | None = None
        self._job: Job | None = None
        self._now: datetime | None = None
        self._asked = False

    def compose(self) -> ComposeResult:
        yield PartBar(detail.PARTS)
        yield LineView(id="output")

    def show(self, job: Job, now: datetime, *, asked: bool = False) -> None:
        """``job`` as it stands at ``now``. ``asked``: its output was asked for already."""
        self._job, self._now, self._asked = job, now, asked
        if self.query(LineView):
            self._draw()

    def on_mount(self) -> None:
        self._draw()

    def _draw(self) -> None:
        if self._job is None:
            return
        # A job that ends while it is watched turns to its output by itself.
        identity = (self._job.entry, self._job.service.final, detail.is_unread(self._job))
        if identity != self._shown:
            self._shown = identity
            self.bar.current = detail.first_part(self._job)
        self._renew()

    def _renew(self) -> None:
        if self._job is None or self._now is None:
            return
        self.lines.empty = detail.empty_words(self._job, self.part, asked=self._asked)
        self.lines.show(detail.part_text(self._job, self.part, self._now))
        self._tell()

    @property
    def part(self) -> str:
        return detail.PARTS[self.bar.current]

    def turn(self, index: int) -> None:
        """Show another part; counts on from the last to the first."""
        self.bar.current = index % len(detail.PARTS)
        self._renew()

    def go_to_first_error(self) -> bool:
        """The line that begins the first error: of the text that is shown, else of the other stream; false for none."""
        if self.lines.go_to_first_error():
            return True
        shown = self.bar.current
        for part in ("stderr", "stdout"):
            if part != self.part:
                self.turn(detail.PARTS.index(part))
                if self.lines.go_to_first_error():
                    return True
        self.turn(shown)
        return False

    def _tell(self) -> None:
        self.bar.note = self.lines.told

    @on(LineView.Changed)
    def _changed(self, event: LineView.Changed) -> None:
        event.stop()
        self._tell()

    @on(PartBar.Chosen)
    def _chosen(self, event: PartBar.Chosen) -> None:
        event.stop()
        self.turn(event.index)
