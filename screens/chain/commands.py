"""What can be asked for around a chain."""

from __future__ import annotations

from dataclasses import replace

from screens.commands import COPIES, DETAILS, OPEN, Command

RUN = Command(
    id="chain.run",
    action="run_chain",
    title="Run a chain: init to apply…",
    help="Or come back to one; nothing is sent before its form is",
    keys=("R",),
    label="run",
    words=("run",),
    argument="WORKSPACE",
    changes=True,
)
OPEN_STEP = replace(OPEN, title="Answer the review, or run again from this step")
READ_PLAN = Command(
    id="chain.plan",
    action="read_plan",
    title="Read the plan",
    help="Losses first, by module and address, masked",
    keys=("p",),
    label="plan",
    words=("plan",),
)
ANSWER = Command(
    id="chain.answer",
    action="answer",
    title="Answer the review…",
    help="Asks before anything is applied",
    keys=("A",),
    label="answer the review",
    words=("answer",),
    changes=True,
)
SHOW_JOB = replace(DETAILS, title="Show the job of this step", help="Among the jobs, with its whole output", label="job")
STOP = Command(
    id="chain.stop",
    action="stop_chain",
    title="End the chain here",
    help="A job under way goes on; nothing follows it",
    keys=("X",),
    words=("stop",),
)
COMMANDS = (OPEN_STEP, READ_PLAN, ANSWER, SHOW_JOB, STOP, *COPIES)
