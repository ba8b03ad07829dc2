"""The project an operator is looking at: what the project views share."""

from __future__ import annotations

from dataclasses import dataclass, field

from kumoss_console.text import redact


@dataclass(frozen=True, slots=True, repr=False)
class Subject:
    """Three texts as typed, not yet judged. ``repo`` may hold a password: it is shown in its input only.

    ``brought`` marks the project that a picked workspace brought along: it leaves with the workspace. One that was typed or
    picked after the workspace is meant as it stands: the workspace is held against it.
    """

    repo: str = ""
    scope: str = ""
    path: str = ""
    brought: bool = field(default=False, compare=False)

    @property
    def empty(self) -> bool:
        """Whether nothing was typed at all."""
        return not (self.repo.strip() or self.scope.strip() or self.path.strip())

    def __repr__(self) -> str:
        # Crash reports print what they find.
        return f"Subject({redact(self.repo)!r}, {self.scope!r}, {self.path!r})"


NOTHING = Subject()
