"""A diagnosis as the command line shows it, and that of a job."""

from __future__ import annotations

from kumoss_console.cli.blocks import Block, Cell, Fields, Text
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import SIGNS, TONES, heading
from kumoss_console.errors import ConfigError
from kumoss_console.model.diagnosis import Diagnosed, Diagnosis
from kumoss_console.model.job import Job, Verdict


def diagnosis_of(session: Session, job: Job) -> Diagnosis | None:
    """What a failed job's output means; ``None`` for other jobs, and where rules of the operator cannot be read (a warning)."""
    if job.verdict is not Verdict.BAD or job.job_id is None:
        return None
    try:
        return session.services.explain.job(job).diagnosis
    except ConfigError as error:
        # How the job ended is worth more than what it means.
        session.diagnostics.warning(f"{error.title} {error.hint}".strip())
        return None


def diagnosis_blocks(diagnosis: Diagnosis) -> list[Block]:
    """Each finding with its cause, its remedy and its evidence; what no rule knows, and that."""
    blocks: list[Block] = [Fields(_pairs(finding)) for finding in diagnosis.findings]
    if diagnosis.unknown:
        blocks.append(Text("unknown: no rule knows this text", "warn"))
    if diagnosis.unrecognised:
        blocks += [heading("Not recognised"), Text("\n".join(f"  {line}" for line in diagnosis.unrecognised))]
    return blocks


def _pairs(finding: Diagnosed) -> list[tuple[str, Cell | str]]:
    return [
        (SIGNS[finding.severity], Cell(f"{finding.title}  [{finding.code}]", TONES[finding.severity])),
        *([("", finding.cause)] if finding.cause else []),
        ("→", finding.remedy),
        *((">", Cell(line, "dim")) for line in finding.evidence.splitlines()),
    ]
