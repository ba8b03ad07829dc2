"""What a failed job's output means, as a card: what it is, its likely cause, what to do, and the line that says so. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kumoss_console.model.diagnosis import Diagnosed, Diagnosis
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job, Verdict
from screens.flash import SIGNS
from screens.widgets.cells import Cell, Tone, fit
from screens.widgets.facts import Fact, fact

TONES: dict[Severity, Tone] = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: ""}
UNKNOWN = "unknown: no rule knows this text"
ASK = "Read the output; a rule of your own in the configuration folder makes it known."


def needs_one(job: Job) -> bool:
    """Whether there is something to explain: a command or a service that failed."""
    return job.verdict is Verdict.BAD


def headline(diagnosis: Diagnosis) -> str:
    """The most specific finding in one line; what was not recognised in its own words; empty for nothing at all."""
    if diagnosis.findings:
        return diagnosis.findings[0].title
    return diagnosis.unrecognised[0].removeprefix("Error: ") if diagnosis.unrecognised else ""


def brief(diagnosis: Diagnosis, width: int, *, key: str) -> tuple[Fact, ...]:
    """Two lines: what it means, and what to do. ``key`` opens the rest."""
    if not diagnosis.findings:
        return (fact("", Cell(fit(f"? {_unknown(diagnosis)}", width).rstrip(), "warn")),) if diagnosis.unknown else ()
    first = diagnosis.findings[0]
    rest = len(diagnosis.findings) - 1
    more = f"  {key} why" + (f" and {rest} more" if rest else "")
    room = width - len(more)
    return (
        fact("", Cell(fit(f"{SIGNS[first.severity]} {first.title}", room), TONES[first.severity]), Cell(more, "dim")),
        *((fact("", Cell("→ ", "warn"), Cell(fit(first.remedy, width - 2).rstrip())),) if first.remedy else ()),
    )


def full(diagnosis: Diagnosis) -> tuple[Fact, ...]:
    """Every finding with its cause, its remedy and its evidence, the most specific first, and what nobody knows."""
    facts: list[Fact] = []
    for finding in diagnosis.findings:
        facts += _finding(finding)
    if diagnosis.unknown:
        facts += [fact("?", Cell(_unknown(diagnosis), "warn")), fact("→", ASK)]
    elif diagnosis.unrecognised:
        facts += [fact("?", Cell("not recognised: ", "warn"), line) for line in diagnosis.unrecognised]
    return tuple(facts)


def _finding(finding: Diagnosed) -> Sequence[Fact]:
    facts = [fact(SIGNS[finding.severity], Cell(finding.title, TONES[finding.severity]))]
    if finding.cause:
        facts.append(fact("likely", finding.cause))
    if finding.remedy:
        facts.append(fact("→", finding.remedy))
    where = f"{finding.stream} {finding.line:,}" if finding.line else ""
    lines = finding.evidence.splitlines()
    facts += [fact(where if number == 0 else "", Cell(line.strip(), "dim")) for number, line in enumerate(lines)]
    return facts


def _unknown(diagnosis: Diagnosis) -> str:
    said = f": {diagnosis.unrecognised[0]}" if diagnosis.unrecognised else ""
    return f"{UNKNOWN}{said}"


def as_text(diagnosis: Diagnosis) -> str:
    """The whole card as text, to be copied."""
    return "\n".join(f"{one.label} {''.join(cell.text for cell in one.value)}".strip() for one in full(diagnosis))
