"""What is known of locks, as the data both front ends print. Keys in a fixed order, times UTC with ``Z``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kumoss_console.model.finding import Finding
from kumoss_console.model.lock import Removal
from kumoss_console.model.lock.holder import JobTie
from kumoss_console.model.moment import iso, iso_or_none
from kumoss_console.model.state import finding_shape
from kumoss_console.model.state.sensitive import masked
from kumoss_console.services.bucket.shape import held_lock_shape
from kumoss_console.services.locks.judgement import judged
from kumoss_console.services.locks.report import LockReport


def report_shape(report: LockReport, now: datetime) -> dict[str, Any]:
    """One held lock: as the overview has it, then who keeps it, what is odd, for which job, and how to remove it."""
    seen, judgement = report.sighting, judged(report.held, now)
    return held_lock_shape(report.held, now) | {
        "severity": judgement.severity.value,
        "stale": report.stale or None,
        "mechanism": report.mechanism,
        "where": seen.where if seen is not None else None,
        "modified": iso_or_none(seen.modified) if seen is not None else None,
        "proof": seen.proof if seen is not None else None,
        "state_present": not report.held.stateless,
        "id_hint": report.held.document.id_hint if report.held.document is not None else None,
        "job": None if report.tie is None else _job(report.tie),
        "unlock_word": report.word or None,
        "release": [{"by": one.by, "command": one.command, "note": one.note} for one in report.release],
        "findings": findings_shape(report.findings),
    }


def findings_shape(findings: tuple[Finding, ...]) -> list[dict[str, Any]]:
    return [finding_shape(finding) for finding in findings]


def removal_shape(removal: Removal) -> dict[str, Any]:
    """A lock that was removed; ``document`` is the whole of what it said, what is no UTF-8 replaced and secrets masked."""
    return {
        "entry": removal.entry,
        "at": iso(removal.at),
        "by": removal.by,
        "context": removal.context,
        "key": removal.key,
        "store": removal.store,
        "mechanism": removal.mechanism,
        "where": removal.where,
        "lock_id": removal.lock_id or None,
        "outcome": removal.outcome,
        "note": removal.note or None,
        "despite": list(removal.despite),
        "proof": removal.proof,
        "document": str(masked(removal.document.decode("utf-8", "replace"))),
    }


def _job(tie: JobTie) -> dict[str, Any]:
    job = tie.job
    return {
        "job_id": job.job_id,
        "entry": job.entry,
        "kind": job.kind.value if job.kind else None,
        "context": job.context,
        "workspace": job.workspace,
        "certainty": tie.certainty,
        "standing": tie.standing,
        "exit_code": job.exit_code,
        "finished": iso_or_none(job.finished),
    }
