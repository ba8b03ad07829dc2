"""What both front ends say of a held lock. Pure; names and documents in it are external text, raw."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from kumoss_console.model.lock.holder import JobTie
from kumoss_console.services.locks.judgement import judged
from kumoss_console.services.locks.report import LockReport
from kumoss_console.text import printable

Guard = Literal["kept", "ignored", "unknown", "broken"]
"""What is known of the store before a removal: ``kept``: it removes that very lock or none. ``ignored``: it removes whatever is
there by then. ``unknown``: it is asked right before. ``broken``: a lease without a legible id, which can only be broken."""

GUARDS: Mapping[Guard, str] = {
    "kept": "only this very lock is removed: if another run has taken it meanwhile, nothing is",
    "ignored": (
        "this store deletes whatever is there by then: the lock is read again right before, and a run that takes it between the "
        "two loses it"
    ),
    "unknown": (
        "only this very lock is removed if the store looks at the condition of a deletion, which it is asked right before; if it "
        "does not, a run that takes the lock in the last moment loses it"
    ),
    "broken": (
        "the id of the lease is not known, so it is broken, if the blob is as it was seen: a run that takes a new one in the "
        "last moment loses it"
    ),
}


_SAID_BY_THE_JUDGEMENT = frozenset({"lock.unreadable", "lock.other_lease", "lock.stateless"})


def unlock_command(report: LockReport, context: str) -> str:
    """The command of this console that removes the lock; empty where no command line can carry its key."""
    if not report.word or printable(report.key) != report.key:
        return ""
    words = ["kumoss-console", "state", "unlock", report.key, f"--lock-id={report.word}", "--context", context]
    return shlex.join(words)


def tie_words(tie: JobTie) -> str:
    """``apply 7f3a… of context prod probably took it, and has ended``."""
    job = tie.job
    kind = job.kind.value if job.kind else "job"
    sure = {"proven": "took it, by its own words", "likely": "probably took it", "possible": "ran when it was taken"}
    became = {
        "running": "has not ended as far as is known",
        "ended": "has ended",
        "lost": "is lost: whether and how it ended is not known",
    }
    return f"{kind} {tie.name} of context {job.context} {sure[tie.certainty]}, and {became[tie.standing]}"


def why(report: LockReport, now: datetime) -> str:
    """What speaks against the lock, the gravest first; else the job that is at work."""
    parts = [f"stale: {report.stale}" if report.stale else "", judged(report.held, now).odd]
    parts += [finding.message for finding in report.findings if finding.code not in _SAID_BY_THE_JUDGEMENT]
    if report.tie is not None and not report.stale:
        parts.append(tie_words(report.tie))
    return "; ".join(part for part in parts if part)
