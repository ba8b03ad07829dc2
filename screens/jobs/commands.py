"""What can be asked for among the jobs."""

from __future__ import annotations

from screens.chain.commands import RUN
from screens.commands import (
    COPIES,
    FILTER,
    FULL_SCREEN,
    NEXT_MATCH,
    ONLY_WRONG,
    OPEN,
    PREVIOUS_MATCH,
    REVERSE,
    SAVE,
    SORT,
    Command,
)

SUBMIT = Command(
    id="jobs.submit",
    action="submit",
    title="Submit a job…",
    help="A form; nothing is sent before its Submit",
    keys=("plus",),
    label="submit",
    words=("submit",),
    argument="KIND",
    changes=True,
)
RESUBMIT = Command(
    id="jobs.resubmit",
    action="resubmit",
    title="Submit this job again…",
    help="The form with this job's values",
    words=("resubmit",),
    changes=True,
)
FOLLOW = Command(
    id="jobs.follow",
    action="follow",
    title="Follow a job by its id…",
    help="Also one that another program submitted",
    keys=("i",),
    label="follow",
    words=("follow", "job"),
    argument="JOB",
)
NEXT_PART = Command(
    id="jobs.part",
    action="next_part",
    title="Next part of the detail",
    help="stderr, stdout, request, timeline",
    keys=("t",),
    label="part",
)
OPEN_PLAN = Command(
    id="jobs.plan",
    action="open_plan",
    title="Read the plan that this job shows",
    help="Losses first, by module and address, masked",
    keys=("p",),
    label="plan",
    words=("plan",),
)
COMMANDS = (
    OPEN,
    OPEN_PLAN,
    NEXT_PART,
    FILTER,
    SUBMIT,
    RESUBMIT,
    RUN,
    FOLLOW,
    ONLY_WRONG,
    SORT,
    REVERSE,
    NEXT_MATCH,
    PREVIOUS_MATCH,
    FULL_SCREEN,
    SAVE,
    *COPIES,
)
