"""What the screen of a chain shows. Pure; texts may be external and are neutralised where they are drawn."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime

from kumoss_console.model.chain import ChainState, Step, StepState, StepStatus
from kumoss_console.model.diagnosis.clean import clean_lines
from kumoss_console.model.finding import Finding
from kumoss_console.model.job import Job, ServicePlane, Verdict
from screens.chain.run import Run
from screens.durations import DASH, precise
from screens.findings import finding_facts
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact

COLUMNS = (
    Column(key="state", title="STATE", width=11, sortable=False),
    Column(key="step", title="STEP", width=8, sortable=False),
    Column(key="time", title="TIME", width=10, priority=2, right=True, sortable=False),
    Column(key="job", title="JOB", width=8, priority=3, sortable=False),
    Column(key="note", title="WHAT CAME OF IT", width=24, stretch=1, sortable=False),
)
_SIGNS: Mapping[StepStatus, tuple[str, Tone]] = {
    StepStatus.WAITING: ("· waiting", "dim"),
    StepStatus.RUNNING: ("● running", "busy"),
    StepStatus.DONE: ("✓ done", "good"),
    StepStatus.FAILED: ("✗ failed", "bad"),
    StepStatus.STOPPED: ("■ stopped", "warn"),
    StepStatus.UNKNOWN: ("? unknown", "warn"),
    StepStatus.SKIPPED: ("- not run", "dim"),
}
_READ = 200_000
"""Characters of an output in which its first error is looked for: an engine that fails says so early, or last in stderr."""
LISTED = 12
"""Objects that are named as lost beside the plan's headline; the plan itself has all."""


def sign(run: Run, one: StepState) -> Cell:
    """Icon and word. A review that waits says whose turn it is."""
    if one.step is Step.REVIEW and run.waits:
        return Cell("● your turn", "warn")
    if not run.under_way and one.status is StepStatus.RUNNING:
        return Cell("? left", "warn")
    if not run.under_way and one.status is StepStatus.WAITING:
        return Cell(*_SIGNS[StepStatus.SKIPPED])
    return Cell(*_SIGNS[one.status])


def cells(run: Run, step: Step, now: datetime) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`."""
    one = run.of(step)
    job_id = one.job.job_id if one.job is not None else None
    tone: Tone = "bad" if one.status is StepStatus.FAILED else "warn" if one.status is StepStatus.UNKNOWN else ""
    return (
        sign(run, one),
        Cell(step.value, "dim" if one.status is StepStatus.SKIPPED else ""),
        Cell(precise(run.span(step, now)), "dim"),
        Cell((job_id or DASH)[:8], "dim"),
        Cell(what_came(run, one), tone),
    )


def what_came(run: Run, one: StepState) -> str:
    """A step in a few words: why it failed, what the plan says, whether the override was written."""
    state = run.state
    if one.status is StepStatus.SKIPPED:
        return "the plan changes nothing" if one.step in run.request.steps else "not part of this chain"
    if one.status in {StepStatus.FAILED, StepStatus.UNKNOWN, StepStatus.STOPPED}:
        return first_error(one.job) or one.note
    if one.step is Step.INIT and state.placed is not None:
        return state.placed.words
    if one.step in {Step.SHOW, Step.REVIEW} and state.review is not None:
        return state.review.plan.headline
    if one.status is StepStatus.RUNNING:
        return one.note or (one.job.summary if one.job is not None else "sending it")
    return one.job.summary if one.job is not None and one.status is StepStatus.DONE else ""


def first_error(job: Job | None) -> str:
    """The first line in which the engine says what is wrong, without frames and colours; empty where there is none."""
    if job is None or job.verdict is not Verdict.BAD:
        return ""
    if job.service is ServicePlane.FAULTED and job.problem is not None:
        return job.problem.detail or job.problem.title
    said = [[line.text.strip() for line in clean_lines(text[:_READ])] for text in (job.stderr, job.stdout)]
    told = next((line for lines in said for line in lines if line.startswith("Error")), "")
    return told or next((line for line in said[0] if line), "")


def about(run: Run) -> tuple[Fact, ...]:
    """Which chain it is, above the steps."""
    asked, state = run.request, run.state
    project = f"{asked.repo} {asked.path}".strip() if asked.repo else "none: the workspace keeps the backend it has"
    plan = [Cell(state.plan_file or "not named yet", "" if state.plan_file else "dim")]
    if state.review is not None:
        plan.insert(0, Cell(f"{state.review.plan.headline} ", "bad" if state.review.destroyed else "good"))
    return (
        fact("now", now_words(run)),
        fact("plan", *plan),
        fact("workspace", asked.workspace),
        fact("project", Cell(project, "" if asked.repo else "dim")),
        fact("scope", f"{asked.provider.value} {asked.scope}"),
    )


def now_words(run: Run) -> Cell:
    """How the whole stands."""
    broken = run.state.broken
    if run.waits:
        return Cell("waiting for your review: Enter reads the plan, then asks", "warn")
    if run.under_way:
        return Cell(f"{run.current.value} is under way", "busy")
    if run.left:
        return Cell("ended from here; a job that was under way goes on, and Jobs has it", "warn")
    if broken is not None:
        words = "its outcome is not known" if broken.status is StepStatus.UNKNOWN else broken.note
        return Cell(f"stopped at {broken.step.value}: {words}", "warn" if broken.status is StepStatus.STOPPED else "bad")
    if run.error is not None:
        return Cell(run.error.title, "bad")
    first, last = run.request.steps[0], run.request.steps[-1]
    return Cell(f"done: {first.value}" + (f" to {last.value}" if last is not first else ""), "good")


def step_facts(run: Run, step: Step, findings: Sequence[Finding]) -> tuple[Fact, ...]:
    """All that is known of one step. ``findings`` are what its failure means."""
    one = run.of(step)
    facts = [fact(step.value, sign(run, one), *((Cell(f"  {one.note}"),) if one.note else ()))]
    if told := first_error(one.job):
        facts.append(fact("says", Cell(told, "bad")))
    facts += finding_facts(findings[:2])
    if step is Step.INIT and run.state.placed is not None:
        placed = run.state.placed
        facts.append(fact("override", Cell(placed.why, "warn" if placed.status == "not_written" else "")))
        facts += [fact("!", Cell(placed.warning, "warn"))] if placed.warning else []
    if run.state.reinitialised and step is Step.INIT:
        facts.append(fact("", "run once more, because the engine asked for it"))
    if one.job is not None:
        summary = "" if one.job.summary == one.note else f" · {one.job.summary}"
        facts.append(fact("job", one.job.job_id or DASH, Cell(summary, "dim")))
    if step in {Step.SHOW, Step.REVIEW, Step.APPLY} and run.state.review is not None:
        facts += plan_facts(run.state)
    return (*facts, *next_facts(run, one))


def plan_facts(state: ChainState) -> tuple[Fact, ...]:
    """What the plan does, losses first, in the engine's own counts."""
    review = state.review
    if review is None:
        return ()
    gone = review.destroyed
    facts = [fact("plan", Cell(review.plan.headline, "bad" if gone else "good"))]
    facts += [fact("", Cell("- ", "bad"), Cell(address)) for address in gone[:LISTED]]
    if len(gone) > LISTED:
        facts.append(fact("", Cell(f"and {len(gone) - LISTED:,} more are destroyed: p reads the plan", "bad")))
    facts.append(fact("digest", Cell(f"{review.digest[:16]}…", "dim")))
    return tuple(facts)


def next_facts(run: Run, one: StepState) -> tuple[Fact, ...]:
    """What can be done from here."""
    if run.waits and one.step is Step.REVIEW:
        return (fact("→", "Enter reads the plan, then asks; A asks at once; X ends the chain without an apply"),)
    if run.under_way:
        return (fact("→", Cell("Esc leaves; the chain goes on in this console, R among the jobs comes back to it", "dim")),)
    again = "show" if one.step is Step.REVIEW else one.step.value
    facts = [fact("→", Cell(f"Enter runs the chain again from {again}; its jobs are in the journal", "dim"))]
    if one.status is StepStatus.UNKNOWN or (run.left and one.status is StepStatus.RUNNING):
        facts.insert(0, fact("→", Cell("see first how its job ends: d shows it", "warn")))
    return tuple(facts)


def command_line(run: Run, context: str, step: Step) -> str:
    """The command that takes the chain up at ``step``."""
    asked = run.request
    words = ["kumoss-console", "jobs", "run", asked.workspace, "--scope", asked.scope, "--provider", asked.provider.value]
    words += ["--from", "apply" if step is Step.REVIEW else step.value, "--until", asked.until.value]
    if run.state.plan_file:
        words += ["--plan-file", run.state.plan_file]
    if asked.repo:
        words += ["--repo", asked.repo, *(["--path", asked.path] if asked.path else [])]
    return shlex.join([*words, "--context", context])


def flash_words(run: Run, name: str) -> tuple[str, bool]:
    """What is said in any view when it waits or ends, and whether that is good."""
    if run.waits:
        return f"the chain on {name} waits for your review: R among the jobs opens it", True
    broken = run.state.broken
    if broken is None and run.error is None:
        return f"the chain on {name} went through until {run.request.until.value}", True
    why = (first_error(broken.job) or broken.note) if broken is not None else str(run.error)
    return f"the chain on {name} stopped{f' at {broken.step.value}' if broken else ''}: {why}", False
