"""From Jobs into a chain: its form, or one that is known already."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from kumoss_console.model.chain import ORDER, ChainRequest
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job
from kumoss_console.model.names import workspace_name
from screens.base import ViewScreen
from screens.chain import view
from screens.chain.draft import proposal
from screens.chain.form import ChainDialog
from screens.chain.run import Run
from screens.chain.screen import ChainScreen
from screens.dialogs.choose import ChooseDialog


class Chains:
    """The chains that were begun in this context, newest first. ``screen`` is the view that their work belongs to."""

    def __init__(self, screen: ViewScreen) -> None:
        self._screen = screen
        self.runs: list[Run] = []

    def open(self, values: Mapping[str, str]) -> None:
        """Choose among the chains there are, or write a new one, which starts with ``values``."""
        if not self.runs:
            self.write(values)
            return
        options = [(f"{self._name(run.request)}", view.now_words(run).text) for run in self.runs]

        def chosen(index: int | None) -> None:
            if index == 0:
                self.write(values)
            elif index is not None:
                self.show(self.runs[index - 1])

        # The one that goes on is what is looked for; where none does, the newest.
        start = next((number for number, run in enumerate(self.runs, start=1) if run.under_way), 1)
        dialog = ChooseDialog("Chains", [("a new chain…", ""), *options], start=start)
        self._screen.app.push_screen(dialog, chosen)

    def write(self, values: Mapping[str, str]) -> None:
        context = self._screen.services.context

        def written(request: ChainRequest | None) -> None:
            if request is not None:
                self.begin(request)

        self._screen.app.push_screen(ChainDialog(context, proposal(context, values)), written)

    def begin(self, request: ChainRequest) -> None:
        """Run it and show it. The work belongs to the view below: leaving the chain's screen does not end it."""
        run = Run(request, self._screen.services.clock)
        self.runs.insert(0, run)
        number = len(self.runs)
        run.listeners.append(_Herald(self._screen, run, self._name(request)))
        follow = partial(run.follow, self._screen.services.chain)
        run.worker = self._screen.start(follow, group=f"watch chain {number}", exclusive=False, lasting=True)
        self.show(run)

    def show(self, run: Run) -> None:
        # Its jobs are among those of the view below.
        self._screen.app.push_screen(ChainScreen(run, self.begin), lambda _: self._screen.reload())

    def has(self, job: Job) -> bool:
        """Whether it is a step of one of them: then the chain's words are what matters of it."""
        return any(
            (run.under_way and run.request.workspace == job.workspace) or any(_is(run.of(step).job, job) for step in ORDER)
            for run in self.runs
        )

    def _name(self, request: ChainRequest) -> str:
        return workspace_name(request.workspace, self._screen.services.context.workspaces_root)


def _is(one: Job | None, other: Job) -> bool:
    return one is not None and one.job_id is not None and one.job_id == other.job_id


class _Herald:
    """Says in any view that a chain waits, and how it ended."""

    def __init__(self, screen: ViewScreen, run: Run, name: str) -> None:
        self._screen = screen
        self._run = run
        self._name = name
        self._asked = False

    def __call__(self) -> None:
        run = self._run
        asked, self._asked = self._asked, run.waits
        if (run.waits and not asked) or (not run.under_way and not run.left):
            words, good = view.flash_words(run, self._name)
            self._screen.console.flash(words, Severity.INFO if good else Severity.ERROR)
