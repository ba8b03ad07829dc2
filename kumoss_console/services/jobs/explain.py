"""What an error text means: the diagnosis of any text, and of a job's output, by the rules in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kumoss_console.model.diagnosis import Diagnosed, Diagnosis, Rules, diagnose
from kumoss_console.model.diagnosis.machine import problem_text
from kumoss_console.model.job import Job, ServicePlane


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A diagnosis with the shapes that the command line prints."""

    diagnosis: Diagnosis

    def as_data(self) -> dict[str, object]:
        """The ``explain`` shape of the command line, ready for JSON."""
        return {
            "findings": diagnosis_data(self.diagnosis.findings),
            "text_lines": self.diagnosis.text_lines,
            "unknown": self.diagnosis.unknown,
            "unrecognised": list(self.diagnosis.unrecognised),
        }


class ExplainService:
    """Reads the rules when they are first needed: a console that never meets an error never reads them."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    @cached_property
    def rules(self) -> Rules:
        """The rules of the package and of the operator. Raises :class:`~kumoss_console.errors.ConfigError`."""
        from kumoss_console.config.rulebook import load_rules

        return load_rules(self._environ)

    def text(self, text: str) -> Explanation:
        """What a text from anywhere means."""
        return Explanation(diagnosis=diagnose("", text, rules=self.rules))

    def job(self, job: Job) -> Explanation:
        """What a job's end means. Blocking, up to half a second for the largest output; nothing for a job that did well or has
        not ended.

        A job that the service itself could not do is diagnosed by its problem document.
        """
        if job.service is ServicePlane.FAULTED and job.problem is not None:
            said = problem_text(job.problem.status, job.problem.title, job.problem.detail)
            return Explanation(diagnosis=diagnose("", said, rules=self.rules, kind=job.kind))
        if job.service is not ServicePlane.ANSWERED:
            return Explanation(diagnosis=Diagnosis(findings=(), text_lines=0, unknown=False))
        return Explanation(diagnosis=diagnose(job.stdout, job.stderr, rules=self.rules, kind=job.kind, exit_code=job.exit_code))


def diagnosis_data(findings: tuple[Diagnosed, ...]) -> list[dict[str, object]]:
    """The ``finding`` shape, with the parts of the message and the evidence after it."""
    return [
        {
            "code": finding.code,
            "severity": finding.severity.value,
            "subject": finding.subject,
            "message": finding.message,
            "remedy": finding.remedy,
            "family": finding.family,
            "title": finding.title,
            "cause": finding.cause,
            "evidence": finding.evidence.splitlines(),
            "line": finding.line or None,
        }
        for finding in findings
    ]
