"""Shapes of ``data`` that more than one command prints. Fields may be added, never renamed: scripts read them."""

from __future__ import annotations

from collections.abc import Sequence

from kumoss_console.cli.blocks import Block, Cell, Fields, Text, Tone
from kumoss_console.errors import ExitCode
from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Finding, Severity, worst

TONES: dict[Severity, Tone] = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: "plain"}
SIGNS: dict[Severity, str] = {Severity.ERROR: "✗", Severity.WARNING: "!", Severity.INFO: "·"}


def finding_data(finding: Finding) -> dict[str, object]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "subject": finding.subject,
        "message": finding.message,
        "remedy": finding.remedy,
    }


def findings_data(findings: Sequence[Finding]) -> list[dict[str, object]]:
    return [finding_data(finding) for finding in findings]


def findings_blocks(findings: Sequence[Finding], *, about: str = "") -> list[Block]:
    """One block for all of them: sign, subject and message, the remedy below it. A subject that is ``about`` is left out: the
    answer has named it."""
    if not findings:
        return []
    pairs: list[tuple[str, Cell | str]] = []
    for finding in findings:
        subject = "" if finding.subject == about else f"{finding.subject}: "
        pairs.append((SIGNS[finding.severity], Cell(f"{subject}{finding.message}", TONES[finding.severity])))
        if finding.remedy:
            pairs.append(("", f"→ {finding.remedy}"))
    return [Fields(pairs)]


def finding_text(finding: Finding) -> str:
    """One line, for narration."""
    remedy = f" → {finding.remedy}" if finding.remedy else ""
    return f"{finding.severity.value}: {finding.subject}: {finding.message}{remedy}"


def exit_code_for(findings: Sequence[Finding]) -> ExitCode:
    """1 where a finding of severity error is among them."""
    return ExitCode.BAD_NEWS if worst(tuple(findings)) is Severity.ERROR else ExitCode.OK


def project_data(project: KnownProject | None) -> dict[str, object] | None:
    """A project the operator named; ``provider`` is ``None`` where it was not said."""
    if project is None:
        return None
    return {
        "name": project.name,
        "repo": project.repo,
        "scope": project.scope,
        "path": project.path,
        "provider": project.provider,
    }


def project_text(project: KnownProject) -> str:
    """The name the operator gave, else repository and path."""
    return project.name or (f"{project.repo} {project.path}" if project.path else project.repo)


def counted(count: int, noun: str) -> str:
    """``1 state``, ``2 states``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def heading(text: str) -> Text:
    return Text(text, "dim")
