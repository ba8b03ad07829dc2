"""What can be asked for among the jobs."""

from __future__ import annotations

from dataclasses import replace

from screens.chain.commands import RUN
from screens.commands import (
    COPIES,
    DETAILS,
    FILTER,
    FIRST_ERROR,
    FOLLOW_END,
    FULL_SCREEN,
    NEXT_MATCH,
    ONLY_WRONG,
    OPEN,
    PREVIOUS_MATCH,
    RAW,
    REVERSE,
    SAVE,
    SEARCH,
    SORT,
    WRAP,
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
OPEN_OUTPUT = replace(OPEN, title="Read the output", help="The texts of the job, full screen", label="output")
READ = replace(RAW, title="Read the output", help="The same as Enter", label="", words=("output",))
EXPLAIN = replace(
    DETAILS,
    title="Explain the failure, or less of it",
    help="Cause, remedy and evidence of every finding",
    label="why",
    words=("why",),
)
FOLLOW_OUTPUT = replace(FOLLOW_END, title="Show the output at its end when it arrives", help="While the job is not over")
COMMANDS = (
    OPEN_OUTPUT,
    EXPLAIN,
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
    READ,
    FIRST_ERROR,
    WRAP,
    FULL_SCREEN,
    SAVE,
    *COPIES,
)
OUTPUT_COMMANDS = (
    SEARCH,
    replace(NEXT_MATCH, label="next"),
    PREVIOUS_MATCH,
    replace(FIRST_ERROR, label="error"),
    NEXT_PART,
    WRAP,
    FOLLOW_OUTPUT,
    FULL_SCREEN,
    SAVE,
    *COPIES,
)
