"""``doctor``: every check of this context, each with its remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Block, Cell, Fields, Text
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import SIGNS, TONES, findings_data
from kumoss_console.errors import ExitCode
from kumoss_console.model.finding import Severity

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from kumoss_console.services.doctor.service import DoctorReport


@click.command(cls=SharedCommand)
@pass_session
def doctor(session: Session) -> ExitCode:
    """Every check of this context, each with its remedy. Ends with 1 where something is wrong."""
    report = session.run(_report)
    return session.answer(
        Answer(
            data=_data(report),
            blocks=_blocks(report),
            exit_code=ExitCode.OK if report.healthy else ExitCode.BAD_NEWS,
        ),
        config_warnings=False,  # they are among the findings
    )


async def _report(services: Services) -> DoctorReport:
    return await services.doctor.run()


def _data(report: DoctorReport) -> dict[str, object]:
    return {
        "context": report.context,
        "healthy": report.healthy,
        "checks": [
            {
                "check": check.name,
                "severity": check.severity,
                "seconds": round(check.seconds, 3),
                "findings": findings_data(check.findings),
            }
            for check in report.checks
        ],
    }


def _blocks(report: DoctorReport) -> list[Block]:
    pairs: list[tuple[str, Cell | str]] = []
    for check in report.checks:
        name = check.name
        for finding in check.findings:
            # What is content and could be otherwise (an extra that is not installed) is no achievement.
            good = finding.severity is Severity.INFO and not finding.remedy
            sign = "✓" if good else SIGNS[finding.severity]
            tone = "good" if good else TONES[finding.severity]
            pairs.append((name, Cell(f"{sign} {finding.subject}: {finding.message}", tone)))
            if finding.remedy:
                pairs.append(("", f"  → {finding.remedy}"))
            name = ""
    errors = sum(finding.severity is Severity.ERROR for finding in report.findings)
    warnings = sum(finding.severity is Severity.WARNING for finding in report.findings)
    verdict = "Nothing is wrong." if report.healthy and not warnings else f"{errors} wrong, {warnings} to look at."
    return [Fields(pairs), Text(f"{report.context}: {verdict}")]
