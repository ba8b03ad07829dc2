"""A chain as the command line shows it: its steps, its plan, and what is asked before an apply."""

from __future__ import annotations

from collections.abc import Iterator

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Text, Tone
from kumoss_console.cli.shapes import heading
from kumoss_console.model.chain import ChainState, StepStatus
from kumoss_console.services.job_shape import as_data

_TONES: dict[StepStatus, Tone] = {
    StepStatus.DONE: "good",
    StepStatus.FAILED: "bad",
    StepStatus.STOPPED: "warn",
    StepStatus.UNKNOWN: "warn",
}
_COLUMNS = (Column("STEP"), Column("STATE"), Column("NOTE", "end"), Column("JOB ID"))

NAMED_AT_MOST = 20
"""Objects that are named before they are destroyed; the rest is counted."""


def chain_data(state: ChainState) -> dict[str, object]:
    """The whole outcome, ready for JSON. ``review`` is ``null`` where no plan was shown."""
    placed, review = state.placed, state.review
    return {
        "workspace": state.request.workspace,
        "plan_file": state.plan_file,
        "verdict": state.verdict.value,
        "stopped_at": state.broken.step.value if state.broken else None,
        "override": {"status": placed.status, "why": placed.why} if placed else None,
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
                "job": as_data(one.job, output=one.status is StepStatus.FAILED) if one.job else None,
            }
            for one in state.steps
        ],
    }


def chain_blocks(state: ChainState) -> list[Block]:
    rows = [
        (one.step.value, Cell(one.status.value, _TONES.get(one.status, "plain")), one.note, (one.job and one.job.job_id) or "-")
        for one in state.steps
    ]
    blocks: list[Block] = [Table(_COLUMNS, rows)]
    if state.review is not None:
        review = state.review
        blocks.append(Fields([("plan", review.plan.headline), ("plan file", review.plan_file), ("digest", review.digest)]))
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
    gone = review.destroyed
    for address in gone[:NAMED_AT_MOST]:
        yield f"destroys {address}"
    if len(gone) > NAMED_AT_MOST:
        yield f"and destroys {len(gone) - NAMED_AT_MOST} more"
    yield f"{review.plan.headline} (plan file {review.plan_file}, digest {review.digest[:16]}…)"
