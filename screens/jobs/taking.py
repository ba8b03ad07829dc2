"""How a job comes onto the screen by hand: sent from here, sent again, or followed by its id."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kumoss_console.errors import ConsoleError
from kumoss_console.model.contract import JobKind, SubmitRequest
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job
from screens.base import ViewScreen
from screens.dialogs.ask import AskDialog
from screens.jobs import draft, submitting, view


class Taking:
    """``taken`` gets the job to show and to move to; ``listed`` all of them, where an answer never came."""

    def __init__(self, screen: ViewScreen, *, taken: Callable[[Job], None], listed: Callable[[tuple[Job, ...]], None]) -> None:
        self._screen = screen
        self._taken = taken
        self._listed = listed

    def submit(self, kind: str) -> None:
        """Open the form for a kind, a plan where none is named."""
        wanted = draft.kind_named(kind) if kind else JobKind.PLAN
        if wanted is None:
            kinds = ", ".join(JobKind)
            self._screen.console.flash(f"there is no kind of job {kind!r}: {kinds}", Severity.WARNING)
            return
        submitting.write(self._screen, draft.proposal(self._screen.services.context), wanted, send=self._send)

    def again(self, job: Job | None) -> None:
        """Open the form with the request of ``job``."""
        if job is not None and job.kind is not None:
            submitting.write(self._screen, draft.again(job), job.kind, send=self._send)

    def follow(self, job_id: str) -> None:
        """Find a job by its id, asking for the id where none is given."""
        if job_id:
            self._follow(job_id)
        else:
            hint = "its id, or the first characters of one that is listed"
            self._screen.app.push_screen(AskDialog("Follow a job", hint=hint), self._follow)

    def _send(self, wanted: SubmitRequest) -> None:
        # Not exclusive: a submission under way is never cut off by the next one.
        self._screen.start(partial(self._submit, wanted), group="submit", exclusive=False)

    async def _submit(self, wanted: SubmitRequest) -> None:
        jobs = self._screen.services.jobs
        try:
            job = await jobs.submit(wanted)
        except ConsoleError:
            # Also without an answer the journal has the job, and what is not known about it.
            self._listed(await jobs.list())
            raise
        self._taken(job)
        self._screen.console.flash(f"{view.kind_name(job)} submitted as {(job.job_id or '')[:8]}")

    def _follow(self, text: str | None) -> None:
        if text:
            self._screen.start(partial(self._find, text), group="follow")

    async def _find(self, text: str) -> None:
        self._taken(await self._screen.services.jobs.find(text))
