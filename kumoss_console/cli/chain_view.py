"""A chain as the command line shows it: its steps, its plan, and what is asked before an apply."""

from __future__ import annotations

from collections.abc import Iterator

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Text, Tone
from kumoss_console.cli.diagnosis_view import diagnosis_blocks
from kumoss_console.cli.shapes import heading
from kumoss_console.model.chain import ChainState, StepStatus
from kumoss_console.model.diagnosis import Diagnosis
from kumoss_console.model.job import Job
from kumoss_console.services.jobs.shape import as_data

_TONES: dict[StepStatus, Tone] = {
    StepStatus.DONE: "good",
    StepStatus.FAILED: "bad",
    StepStatus.STOPPED: "warn",
    StepStatus.UNKNOWN: "warn",
}
_COLUMNS = (Column("STEP"), Column("STATE"), Column("NOTE", "end"), Column("JOB ID"))

NAMED_AT_MOST = 20
"""Objects that are named before they are destroyed; the rest is counted."""


def chain_data(state: ChainState, diagnosis: Diagnosis | None = None) -> dict[str, object]:
    """For JSON. ``review`` is ``null`` where no plan was shown; ``diagnosis`` is that of the job it stopped at."""
    placed, review = state.placed, state.review
    return {
        "workspace": state.request.workspace,
        "plan_file": state.plan_file,
        "verdict": state.verdict.value,
        "stopped_at": state.broken.step.value if state.broken else None,
        "override": {"status": placed.status, "why": placed.why, "warning": placed.warning or None} if placed else None,
        "review": {
            "digest": review.digest,
            "summary": review.plan.headline,
            "add": review.plan.summary.add,
            "change": review.plan.summary.change,
            "destroy": review.plan.summary.destroy,
            "destroyed": list(review.destroyed),
        }
        if review
        else None,
        "steps": [
            {
                "step": one.step.value,
                "status": one.status.value,
                "note": one.note,
                "job": _job(one.job, one.status, diagnosis) if one.job else None,
            }
            for one in state.steps
        ],
    }


def _job(job: Job, status: StepStatus, diagnosis: Diagnosis | None) -> dict[str, object]:
    failed = status is StepStatus.FAILED
    return as_data(job, output=failed, diagnosis=diagnosis if failed else None)


def chain_blocks(state: ChainState, diagnosis: Diagnosis | None = None) -> list[Block]:
    rows = [
        (one.step.value, Cell(one.status.value, _TONES.get(one.status, "plain")), one.note, (one.job and one.job.job_id) or "-")
        for one in state.steps
    ]
    blocks: list[Block] = [Table(_COLUMNS, rows)]
    if state.review is not None:
        review = state.review
        blocks.append(Fields([("plan", review.plan.headline), ("plan file", review.plan_file), ("digest", review.digest)]))
    if diagnosis is not None:
        blocks += [heading("diagnosis"), *diagnosis_blocks(diagnosis)]
    broken = state.broken
    if broken is not None and broken.job is not None:
        for name, text in (("stdout", broken.job.stdout), ("stderr", broken.job.stderr)):
            if text.strip():
                blocks += [heading(f"{broken.step.value}: {name}"), Text(text)]
    return blocks


def review_notes(state: ChainState) -> Iterator[str]:
    """What the person who confirms should know first: what is lost."""
    review = state.review
    if review is None:
        return
    if state.placed is not None and state.placed.warning:
        yield f"! {state.placed.warning}"
    gone = review.destroyed
    for address in gone[:NAMED_AT_MOST]:
        yield f"destroys {address}"
    if len(gone) > NAMED_AT_MOST:
        yield f"and destroys {len(gone) - NAMED_AT_MOST} more"
    yield f"{review.plan.headline} (plan file {review.plan_file}, digest {review.digest[:16]}…)"
