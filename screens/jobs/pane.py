"""The detail of one job: its result, or what its failure means, first; then its texts."""

from __future__ import annotations

from datetime import datetime

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll

from kumoss_console.model.diagnosis import Diagnosis
from kumoss_console.model.job import Job, ServicePlane
from screens.jobs import detail, diagnosis
from screens.jobs.texts import JobTexts
from screens.jobs.view import heading, planes
from screens.widgets.content import safe
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.facts import Fact
from screens.widgets.line_view import LineView

ROOMY = 16
"""Rows from which on a diagnosis is shown whole unless it was closed."""


class JobPane(Vertical):
    """Shows what :meth:`show` is given."""

    ALLOW_MAXIMIZE = True

    sheet = getters.query_one(FactSheet)
    texts = getters.query_one(JobTexts)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._job: Job | None = None
        self._diagnosis: Diagnosis | None = None
        self._now: datetime | None = None
        self._root: str | None = None
        self._asked = False
        self._opened: bool | None = None

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="card", can_focus=False):
            yield FactSheet()
        yield JobTexts()

    @property
    def lines(self) -> LineView:
        return self.texts.lines

    def show(
        self,
        job: Job | None,
        now: datetime,
        *,
        root: str | None = None,
        diagnosis: Diagnosis | None = None,
        asked: bool = False,
    ) -> None:
        """``job`` as it stands at ``now``; ``None`` where there is no job to show.

        ``root`` is the folder of all workspaces; ``asked``: the job's output was asked for already.
        """
        if job is None or self._job is None or job.entry != self._job.entry:
            self._opened = None
        self._job, self._now, self._root, self._diagnosis, self._asked = job, now, root, diagnosis, asked
        self._draw()

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw_card()

    def _draw(self) -> None:
        self.display = self._job is not None
        if self._job is None or self._now is None or not self.query(JobTexts):
            return
        self.border_title = safe(heading(self._job, self._root))
        self.border_subtitle = planes(self._job)
        self._draw_card()
        self.texts.show(self._job, self._now, asked=self._asked)

    # -- the card ------------------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the diagnosis is shown whole: by choice, else where there is room."""
        return self._opened if self._opened is not None else self.size.height >= ROOMY

    def toggle(self) -> None:
        """Show the whole diagnosis, or its two lines."""
        self._opened = not self.is_open
        self._draw_card()

    def _draw_card(self) -> None:
        if self._job is not None and self.query(FactSheet):
            self.sheet.facts = self._facts(self._job, max(20, self.sheet.size.width or self.size.width - 2))
            self.set_class(self.is_open, "-open")
            # Where there is little room, the card that was asked for may take all of it.
            self.set_class(self.is_open and self.size.height < ROOMY, "-whole")

    def _facts(self, job: Job, width: int) -> tuple[Fact, ...]:
        left_out = detail.dropped(job)
        if self._diagnosis is None:
            return (*detail.result(job), *left_out)
        card = diagnosis.full(self._diagnosis) if self.is_open else diagnosis.brief(self._diagnosis, width, key="d")
        told = bool(self._diagnosis.findings) and job.service is not ServicePlane.FAULTED
        return (*(() if told else detail.result(job)), *card, *left_out)
