"""The ``job`` shape of the command line, for it and for whoever copies a job as JSON."""

from __future__ import annotations

from kumoss_console.model.diagnosis import Diagnosis
from kumoss_console.model.job import Job, Verdict
from kumoss_console.model.moment import iso_or_none
from kumoss_console.services.jobs.explain import diagnosis_data
from kumoss_console.services.jobs.words import said


def as_data(job: Job, *, output: bool = False, diagnosis: Diagnosis | None = None, words: str = "") -> dict[str, object]:
    """The ``job`` shape of the command line, ready for JSON: keys in their fixed order, times in UTC. Raw text, not printable.

    With ``output`` it ends with the command's whole output and the problem the service had. The ``diagnosis`` of what failed
    is ``null`` where nobody looked, which takes the output, and empty where no rule knows it. ``words`` are what the command
    said of its end where that is known, else ``said`` is ``null``.
    """
    shape: dict[str, object] = {
        "job_id": job.job_id,
        "context": job.context,
        "kind": job.kind.value if job.kind else None,
        "workspace": job.workspace,
        "service": job.service.value,
        "exit_code": job.exit_code,
        "verdict": job.verdict.value,
        "summary": job.summary,
        "created": iso_or_none(job.created),
        "started": iso_or_none(job.started),
        "finished": iso_or_none(job.finished),
        "expires": iso_or_none(job.expires),
        "diagnosis": _diagnosis(job, diagnosis),
        "submitted": iso_or_none(job.submitted),
        "seen": iso_or_none(job.seen),
        "note": job.note,
        "output_bytes": job.output_bytes,
        "fields": {name: list(value) if isinstance(value, tuple) else value for name, value in job.fields},
        "said": words or said(job) or None,
    }
    if output:
        problem = job.problem
        shape |= {
            "stdout": job.stdout,
            "stderr": job.stderr,
            "problem": problem
            and {"type": problem.type, "title": problem.title, "status": problem.status, "detail": problem.detail},
        }
    return shape


def _diagnosis(job: Job, diagnosis: Diagnosis | None) -> list[dict[str, object]] | None:
    if diagnosis is not None:
        return diagnosis_data(diagnosis.findings)
    return None if job.verdict is Verdict.BAD else []
