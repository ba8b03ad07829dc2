"""A sidecar that cannot be asked: its banner over the rows, which stay, and the age of what it last said."""

from __future__ import annotations

from datetime import datetime

from kumoss_console.errors import ConsoleError, Unreachable
from screens import problems
from screens.base import ViewScreen
from screens.widgets.view_bar import freshness

SIDECAR = "sidecar"
"""The name among the problems of a view; no worker has it."""


def told(error: ConsoleError) -> ConsoleError:
    """``error`` as what it means for the rows."""
    return Unreachable(
        f"The sidecar cannot be asked about jobs: {error.title}",
        detail="\n".join(
            part for part in (error.detail, "The rows are what it last said; nothing is known to have failed.") if part
        ),
        hint=error.hint,
        code=error.code,
    )


class Silence:
    """Of the sidecar of one screen's context, from what is heard of jobs and of its health."""

    def __init__(self, screen: ViewScreen) -> None:
        self._screen = screen

    @property
    def error(self) -> ConsoleError | None:
        """Why it cannot be asked now; ``None`` where it answers or was not asked yet."""
        screen = self._screen
        return screen.services.jobs.silence or (screen.console.probe.error if screen.console.probe.status == "bad" else None)

    @property
    def last_answer(self) -> datetime | None:
        """When it last said anything, to this console."""
        times = (self._screen.services.jobs.answered, self._screen.console.answered)
        return max((time for time in times if time is not None), default=None)

    def tell(self) -> bool:
        """Put up the banner or take it down; true where it stands."""
        error, screen = self.error, self._screen
        if error is not None:
            screen.problems = problems.with_failure(screen.problems, SIDECAR, told(error))
        elif SIDECAR in screen.problems:
            screen.dismissed = problems.without(screen.dismissed, {SIDECAR})
            screen.problems = problems.without(screen.problems, {SIDECAR})
        return error is not None

    def heard(self) -> None:
        """Its health was asked again."""
        self.tell()

    def age(self) -> str:
        """How old the rows are: as old as the sidecar's last answer."""
        screen, last = self._screen, self.last_answer
        if self.error is None:
            return freshness(screen.loaded, screen.now(), busy=screen.busy > 0)
        return "no answer yet" if last is None else freshness(last, screen.now(), busy=screen.busy > 0)
