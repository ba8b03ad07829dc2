"""Jobs: what is it really doing?"""

from __future__ import annotations

from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive, var

from kumoss_console.errors import Refused
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job, with_places
from kumoss_console.services.follow.follower import LISTED, Followed
from screens import problems
from screens.base import LOAD, ViewScreen
from screens.chain.starting import Chains
from screens.commands import NEXT_MATCH, PREVIOUS_MATCH, Command
from screens.copies import Copy
from screens.gestures import Saved
from screens.jobs import detail, draft, plans, view
from screens.jobs.commands import COMMANDS, EXPLAIN, OPEN_PLAN, RESUBMIT
from screens.jobs.diagnosis import needs_one
from screens.jobs.explained import Explained
from screens.jobs.following import Following
from screens.jobs.output import OutputScreen
from screens.jobs.pane import JobPane
from screens.jobs.silence import SIDECAR, Silence
from screens.jobs.taking import Taking
from screens.widgets.columns import Sorting
from screens.widgets.rows import Rows
from screens.widgets.typed_line import FilterLine
from screens.widgets.virtual_table import VirtualTable

JOURNAL = "journal"
"""The name among the problems for a journal that cannot be read or written."""


class JobsScreen(ViewScreen):
    """Every job this console knows, live, with the detail of the one under the cursor."""

    view_name = "jobs"
    commands = COMMANDS
    parts = frozenset({LOAD, SIDECAR, JOURNAL})
    polls = False  # the follower tells what changes; r looks once more at all that has not ended
    CSS_PATH = "jobs.tcss"

    jobs: reactive[tuple[Job, ...]] = reactive(())
    asked: var[bool] = var(False)
    narrowed: reactive[str] = reactive("")
    only_wrong: reactive[bool] = reactive(False)
    searching: reactive[bool] = reactive(False, bindings=True)
    sorting: reactive[Sorting] = reactive(view.NEWEST_FIRST)

    table = getters.query_one("#jobs", VirtualTable)
    pane = getters.query_one("#job", JobPane)

    def __init__(self) -> None:
        super().__init__()
        self.chains = Chains(self)
        self.following = Following(self, heard=self._heard, words=self._words, told_elsewhere=self.chains.has)
        self.silence = Silence(self)
        self.taking = Taking(self, taken=self._take, listed=self._list)
        self._read: dict[int, Job] = {}
        self._ended: frozenset[int] = frozenset()
        self._asked_for: tuple[int, int] | None = None
        self._wanted = ""
        self._explained: Explained | None = None
        self._reader: OutputScreen | None = None

    def body(self) -> ComposeResult:
        yield VirtualTable(view.COLUMNS, empty="looking…", id="jobs")
        yield FilterLine(placeholder="filter: id, kind, workspace, state, words of the verdict", id="filter")
        yield JobPane(id="job")
        yield FilterLine(placeholder="search the text", id="search")

    # -- data --------------------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        self._asked_for = None
        # The journal answers at once; what it says is as old as the last look at the service.
        self.jobs = await self.services.jobs.list(LISTED)
        for notice in self.services.jobs.notices:
            self.console.flash_once(notice, Severity.WARNING)
        self.jobs = await self.services.jobs.refresh(LISTED)
        self.asked = True
        if not self.silence.tell():
            self.fresh(self.now())
        self.start(self._explain, group="explain")

    def on_mount(self) -> None:
        self.watch(self.app, "probe", self.silence.heard)
        self.following.start()

    def on_screen_suspend(self) -> None:
        reader = self._reader
        self.following.show({reader.job.entry} if reader is not None and reader in self.app.screen_stack else ())

    def _heard(self, followed: Followed) -> None:
        """All jobs, after a change that this console or another one saw."""
        newest = max((job.entry for job in followed.jobs), default=0)
        # What was sent from here a moment ago may not be among them yet.
        self.jobs = (*(job for job in self.jobs if job.entry > newest), *followed.jobs)
        self.asked = self.asked or followed.asked
        if isinstance(followed.error, Refused):
            self.problems = problems.with_failure(self.problems, JOURNAL, followed.error)
        elif JOURNAL in self.problems:
            self.problems = problems.without(self.problems, {JOURNAL})
        self.silence.tell()
        if self._reader is not None:
            self._reader.hear_all(followed.jobs)
        ended = frozenset(job.entry for job in followed.jobs if job.service.final)
        if ended - self._ended:
            self.start(self._explain, group="explain")
        self._ended = ended

    def age(self) -> str:
        return self.silence.age()

    @property
    def explained(self) -> Explained:
        """What is known of failures. The services are those of the context that this screen was made for."""
        if self._explained is None:
            self._explained = Explained(self.services)
        return self._explained

    async def _explain(self) -> None:
        async for _ in self.explained.learn(self.jobs):
            self._renew()

    async def _words(self, job: Job) -> str:
        async for _ in self.explained.learn((job,)):
            self._renew()
        return self.explained.words(job)

    def _take(self, job: Job) -> None:
        """A job that came by hand, to show and to move to."""
        self._wanted = job.job_id or ""
        self.jobs = (job, *(other for other in self.jobs if other.entry != job.entry))
        self.following.expect(job)

    def _list(self, jobs: tuple[Job, ...]) -> None:
        self.jobs = jobs

    def _with_output(self, row: Job) -> Job:
        """A row with the output that was read for it. Lists come without: it may be megabytes."""
        if not detail.is_unread(row):
            return row
        read = self._read.get(row.entry)
        return read if read is not None and read.output_bytes == row.output_bytes else row

    async def _read_output(self, job: Job) -> None:
        if detail.is_unread(job):
            job = await self.services.jobs.find(f"#{job.entry}")
            # Only the one that is shown is kept.
            self._read = {job.entry: job}
            self._show_selected()
        async for _ in self.explained.learn((job,)):
            self._renew()

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def watch_jobs(self) -> None:
        self._renew()

    watch_asked = watch_narrowed = watch_only_wrong = watch_sorting = watch_jobs

    def ticked(self) -> None:
        if self.silence.error is None and (at := self.following.at) is not None:
            self.fresh(max(at, self.loaded or at))
        self._renew()

    def _renew(self) -> None:
        if not self.has_frame:
            return
        now = self.now()
        jobs = with_places(self.jobs, now)
        words = self.explained.words
        kept = view.matching(jobs, self.narrowed, only_wrong=self.only_wrong, words=words)
        shown = view.ordered(kept, self.sorting, now, self._root, words)
        self.table.sorting = self.sorting
        self.table.empty = view.empty_words(known=len(self.jobs), asked=self.asked, read_only=self.services.read_only)
        self.table.source = Rows(shown, identify=lambda job: job.entry, draw=lambda job: view.cells(job, now, self._root, words))
        if self._wanted and self._select(self._wanted):
            self._wanted = ""
        if self.is_current:
            self.following.show([shown[row].entry for row in self.table.visible_rows])
        self._show_selected()

    def _show_selected(self) -> None:
        job = self.selected
        if job is None:
            self.pane.show(None, self.now())
            return
        diagnosis = self.explained.of(job)
        self.pane.show(
            self.following.as_seen(job), self.now(), root=self._root, diagnosis=diagnosis, asked=job.entry in self._read
        )
        wanted = (job.entry, job.output_bytes)
        if wanted != self._asked_for and (detail.is_unread(job) or (needs_one(job) and diagnosis is None)):
            self._asked_for = wanted
            self.start(partial(self._read_output, job), group="output")

    @property
    def _root(self) -> str | None:
        return self.services.context.workspaces_root

    def _select(self, job_id: str) -> bool:
        return any(self.table.select(job.entry) for job in self.jobs if job_id in {job.job_id, f"#{job.entry}"})

    @property
    def selected(self) -> Job | None:
        """The job under the cursor, with its output where that was read."""
        source = self.table.source
        job = source.items[self.table.cursor] if isinstance(source, Rows) and len(source) else None
        return self._with_output(job) if isinstance(job, Job) else None

    def show_subject(self, subject: str) -> None:
        self.narrowed, self.only_wrong = "", False
        self._wanted = subject
        self._renew()

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_selected()

    @on(VirtualTable.RowOpened)
    def _opened(self) -> None:
        self.action_raw()

    @on(VirtualTable.HeaderPressed)
    def _header_pressed(self, event: VirtualTable.HeaderPressed) -> None:
        key = event.column.key
        self.sorting = self.sorting.reversed() if self.sorting.key == key else Sorting(key)

    @on(FilterLine.Filtered, "#filter")
    def _filtered(self, event: FilterLine.Filtered) -> None:
        self.narrowed = event.text

    @on(FilterLine.Filtered, "#search")
    def _searched(self, event: FilterLine.Filtered) -> None:
        self.searching = bool(event.text)
        self.pane.lines.search(event.text)

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command in {NEXT_MATCH, PREVIOUS_MATCH}:
            return self.searching
        if command is RESUBMIT:
            return self.has_frame and self.selected is not None and bool(self.selected.fields)
        if command is OPEN_PLAN:
            return self.has_frame and plans.has_plan(self.selected)
        if command is EXPLAIN:
            return self.has_frame and self.selected is not None and self.explained.of(self.selected) is not None
        return True

    def step_back(self) -> bool:
        if self.focused is self.pane.lines:
            self.table.focus()
            return True
        return False

    def action_filter(self) -> None:
        line = "#search" if self.focused is self.pane.lines else "#filter"
        self.query_one(line, FilterLine).open()

    def action_open_plan(self) -> None:
        job = self.selected
        if job is not None and plans.has_plan(job):
            self.start(partial(plans.open_plan, self, job), group="plan")

    def action_next_part(self) -> None:
        self.pane.texts.turn(self.pane.texts.bar.current + 1)

    def action_raw(self) -> None:
        if (job := self.selected) is not None:
            self._reader = OutputScreen(job, self.explained.words(job))
            self.app.push_screen(self._reader)

    def action_details(self) -> None:
        self.pane.toggle()

    def action_first_error(self) -> None:
        if not self.pane.texts.go_to_first_error():
            self.console.flash("no line begins an error", Severity.WARNING)

    def action_wrap(self) -> None:
        self.pane.lines.action_wrap()

    def action_next_match(self) -> None:
        self.pane.lines.next_match(1)

    def action_previous_match(self) -> None:
        self.pane.lines.next_match(-1)

    def action_sort(self) -> None:
        self.sorting = self.sorting.next([place.column for place in self.table.placed])

    def action_reverse(self) -> None:
        self.sorting = self.sorting.reversed()

    def action_only_wrong(self) -> None:
        self.only_wrong = not self.only_wrong
        self.console.flash("only what is wrong; ! again shows all" if self.only_wrong else "all jobs")

    def copies(self) -> tuple[Copy, ...]:
        job = self.selected
        if job is None:
            return ()
        offered = detail.copies(job, self.explained.of(job))
        if self.focused is self.pane.lines and (line := self.pane.lines.current_line):
            return (Copy(label="the line", text=line, role="thing"), *offered)
        return offered

    def saved(self) -> tuple[str, Saved] | None:
        job = self.selected
        return detail.saved(job, self.pane.texts.part, self.pane.lines) if job is not None else None

    # -- submitting --------------------------------------------------------------------------------------------------------

    def action_submit(self, kind: str = "") -> None:
        self.taking.submit(kind)

    def action_resubmit(self) -> None:
        self.taking.again(self.selected)

    def action_follow(self, job: str = "") -> None:
        self.taking.follow(job)

    def action_run_chain(self, workspace: str = "") -> None:
        if workspace:
            self.chains.write({"workspace_path": workspace})
        else:
            self.chains.open(draft.again(self.selected) if self.selected is not None else {})
