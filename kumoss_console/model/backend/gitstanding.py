"""What git would do with the core's override, which holds the store's keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.text import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class GitStanding:
    """``None`` is unknown, each for itself."""

    tracked: bool | None
    ignored: bool | None


def git_findings(standing: GitStanding | None, name: str, *, present: bool) -> Iterator[Finding]:
    """``present``: the file is in the folder, so that the next commit may take it along."""
    if standing is None:
        return
    subject = printable(name)
    if standing.tracked:
        yield Finding(
            code="backend.override_tracked",
            severity=Severity.WARNING,
            subject=subject,
            message="is tracked by git: the keys that the core writes into it would get into a commit and a pull request",
            remedy=f"Run git rm --cached {subject}, add it to .gitignore, and replace keys that were ever committed.",
        )
    elif standing.ignored is False:
        yield Finding(
            code="backend.override_not_ignored",
            severity=Severity.WARNING if present else Severity.INFO,
            subject=subject,
            message="no .gitignore of the repository covers it: git add would take the keys in it into a pull request",
            remedy=f"Add a line {subject} to .gitignore at the root of the repository.",
        )
    elif standing.ignored is None or standing.tracked is None:
        yield Finding(
            code="backend.override_git_unknown",
            severity=Severity.INFO,
            subject=subject,
            message="whether git tracks or ignores it could not be told from the repository's files",
            remedy=f"Run git ls-files {subject} and git check-ignore -v {subject} in the workspace.",
        )
