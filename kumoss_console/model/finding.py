"""A finding: something an operator should know, with what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One statement about one subject. ``code`` is stable and dotted; ``remedy`` is the next step and may be empty."""

    code: str
    severity: Severity
    subject: str
    message: str
    remedy: str = ""


def worst(findings: tuple[Finding, ...]) -> Severity | None:
    """The gravest severity present, ``None`` for no findings."""
    for severity in Severity:
        if any(finding.severity is severity for finding in findings):
            return severity
    return None
