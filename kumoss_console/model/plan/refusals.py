"""Documents that are not a plan this console reads, each with what it is and what to do instead."""

from __future__ import annotations

from kumoss_console.errors import BadAnswer
from kumoss_console.text import clip, printable

_SHOW = "Run show (terraform show -json PLANFILE) on the plan file, and open what it prints."


def empty() -> BadAnswer:
    return BadAnswer(
        "There is no plan: the output is empty.",
        hint="Look at the job's stderr: show prints nothing where it fails.",
        code="plan.empty",
    )


def too_new(version: str) -> BadAnswer:
    return BadAnswer(
        f"The plan has format {clip(printable(version), 40)}; this console reads 1.x.",
        detail="A new major version means that fields changed their meaning: reading on could show the wrong thing.",
        hint="Upgrade kumoss-console, or review this plan with the engine's own show.",
        code="plan.format_too_new",
    )


def no_version(found: str) -> BadAnswer:
    return BadAnswer(
        "The document does not say which plan format it has.",
        detail=f"format_version is {clip(printable(found), 80)}",
        hint=_SHOW,
        code="plan.not_a_plan",
    )


def truncated(size: int) -> BadAnswer:
    return BadAnswer(
        "The plan ends early: it was cut off on its way.",
        detail=f"{size:,} bytes arrived, and the JSON is still open",
        hint="Run show again; a plan that is not whole must not be trusted.",
        code="plan.truncated",
    )


def not_json(text: bytes, reason: str) -> BadAnswer:
    begins = clip(printable(text[:200].decode(errors="replace")), 80)
    return BadAnswer(
        "This is not a plan in JSON.",
        detail=f"it begins with: {begins}\n{printable(reason)}",
        hint=_SHOW,
        code="plan.not_json",
    )


def plan_file() -> BadAnswer:
    return BadAnswer("This is the plan file itself, which only the engine reads.", hint=_SHOW, code="plan.not_json")


def event_stream() -> BadAnswer:
    return BadAnswer(
        "This is the log of a run with -json, not a plan.",
        detail="one JSON object a line, each with @level and @message",
        hint=_SHOW,
        code="plan.not_a_plan",
    )


def state() -> BadAnswer:
    return BadAnswer(
        "This is a state, not a plan.",
        detail="show -json without the name of a plan file prints the state",
        hint=_SHOW,
        code="plan.not_a_plan",
    )


def not_a_plan(found: str) -> BadAnswer:
    return BadAnswer("This JSON is not a plan.", detail=clip(printable(found), 200), hint=_SHOW, code="plan.not_a_plan")


def malformed(part: str, reason: str) -> BadAnswer:
    return BadAnswer(
        "The plan is not built as the engines build it.",
        detail=clip(printable(f"{part}: {reason}"), 400),
        hint="Run show again; if it says the same, review this plan with the engine's own show.",
        code="plan.malformed",
    )
