"""Findings and refusals as facts: sign, words, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Finding, Severity
from screens.flash import SIGNS
from screens.widgets.cells import Cell, Tone
from screens.widgets.facts import Fact, fact

TONES: dict[Severity, Tone] = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: ""}
_ORDER = tuple(Severity)


def finding_facts(findings: Sequence[Finding]) -> tuple[Fact, ...]:
    """Gravest first, otherwise as given; the remedy below each."""
    facts: list[Fact] = []
    for finding in sorted(findings, key=lambda finding: _ORDER.index(finding.severity)):
        tone = TONES[finding.severity]
        facts.append(fact(SIGNS[finding.severity], Cell(finding.message, tone)))
        if finding.remedy:
            facts.append(fact("", Cell("→ ", "warn"), Cell(finding.remedy, "dim")))
    return tuple(facts)


def error_facts(error: ConsoleError) -> tuple[Fact, ...]:
    """Title, evidence and next step of a refusal that stands inside a view."""
    facts = [fact(SIGNS[Severity.ERROR], Cell(error.title, "bad"))]
    facts += [fact("", line) for line in error.detail.splitlines()]
    if error.hint:
        facts.append(fact("", Cell("→ ", "warn"), error.hint))
    return tuple(facts)
