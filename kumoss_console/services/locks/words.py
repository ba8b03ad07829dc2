"""What both front ends say of a held lock. Pure; names and documents in it are external text, raw."""

from __future__ import annotations

import shlex
from datetime import datetime

from kumoss_console.model.lock.holder import JobTie
from kumoss_console.services.locks.judgement import judged
from kumoss_console.services.locks.report import LockReport
from kumoss_console.text import printable


def unlock_command(report: LockReport, context: str) -> str:
    """The command of this console that removes the lock; empty where no command line can carry its key."""
    if not report.word or printable(report.key) != report.key:
        return ""
    words = ["kumoss-console", "state", "unlock", report.key, f"--lock-id={report.word}", "--context", context]
    return shlex.join(words)


def tie_words(tie: JobTie) -> str:
    """``apply 7f3a… of this console probably took it, and has ended``."""
    job = tie.job
    kind = job.kind.value if job.kind else "job"
    sure = {"proven": "took it, by its own words", "likely": "probably took it", "possible": "ran when it was taken"}
    became = {"running": "has not ended as far as is known", "ended": "has ended", "lost": "was lost: how it ended is not known"}
    return f"{kind} {tie.name} of this console {sure[tie.certainty]}, and {became[tie.standing]}"


def why(report: LockReport, now: datetime) -> str:
    """What speaks against the lock, the gravest first; else the job that is at work."""
    parts = [f"stale: {report.stale}" if report.stale else "", judged(report.held, now).odd]
    parts += [finding.message for finding in report.findings if finding.code not in {"lock.unreadable", "lock.stateless"}]
    if report.tie is not None and not report.stale:
        parts.append(tie_words(report.tie))
    return "; ".join(part for part in parts if part)
