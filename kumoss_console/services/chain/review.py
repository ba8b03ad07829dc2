"""What is reviewed, and when a reviewed plan is not applied."""

from __future__ import annotations

from kumoss_console.errors import ConsoleError, Refused
from kumoss_console.model.chain import Review, digest
from kumoss_console.model.job import Job
from kumoss_console.model.plan import parse_plan
from kumoss_console.text import printable


def reviewed(shown: str, plan_file: str) -> Review:
    """What ``show -json`` printed, read. Half a second for 15,000 resources. Raises :class:`BadAnswer` for what is no plan."""
    return Review(plan=parse_plan(shown), plan_file=plan_file, digest=digest(shown))


def cannot_apply(review: Review, wanted: str) -> Refused | None:
    """Why this plan is not even offered. ``wanted`` is the digest of an earlier review, empty where there was none."""
    if review.plan.errored:
        return Refused(
            "the plan is not whole: planning ended with an error",
            hint="look at the output of the plan job, mend the cause, and plan again",
            code="chain.plan_errored",
        )
    if wanted and wanted != review.digest:
        return Refused(
            f"plan {printable(review.plan_file)} is not the plan that was reviewed",
            detail=f"reviewed {wanted[:16]}…, shown {review.digest[:16]}…",
            hint="review the plan that is there now, without --reviewed",
            code="chain.plan_changed",
        )
    return None


def changed(plan_file: str) -> Refused:
    """Somebody planned into the same file while the review went on."""
    return Refused(
        f"plan {printable(plan_file)} changed after it was reviewed: nothing was applied",
        detail="another plan was written to the same file in the meantime",
        hint="run the chain from show to review it as it is now; without --plan-file each chain has a file of its own",
        code="chain.plan_changed",
    )


def nothing_shown(plan_file: str, job: Job) -> ConsoleError:
    """The plan cannot be shown any more."""
    return Refused(
        f"plan {printable(plan_file)} could not be shown again right before the apply: nothing was applied",
        detail=printable(job.summary),
        hint=f"kumoss-console jobs show {job.job_id} has the engine's words; then run the chain from plan",
        code="chain.plan_changed",
    )
