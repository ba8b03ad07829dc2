"""How many jobs stand where, in the words that both front ends have for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kumoss_console.services.overview.attention import JobCounts

Weight = Literal["plain", "warn", "bad"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobWords:
    """``standing`` holds however long ago they were sent, ``recent`` is of the last hour. What there is none of is left out,
    but for running and queued."""

    standing: tuple[tuple[str, Weight], ...]
    recent: tuple[tuple[str, Weight], ...]

    @property
    def line(self) -> str:
        """All of it, in one line."""
        told = " · ".join(text for text, _ in (*self.standing, *self.recent))
        return f"{told} in the last hour" if self.recent else told


def job_words(counts: JobCounts) -> JobWords:
    silent = counts.unknown - counts.unclear
    standing: list[tuple[str, Weight]] = [(f"{counts.running} running · {counts.queued} queued", "plain")]
    if silent:
        standing.append((f"{silent} cannot be asked about", "warn"))
    recent: tuple[tuple[int, str, Weight], ...] = (
        (counts.failed, "failed", "bad"),
        (counts.refused, "not accepted", "warn"),
        (counts.lost, "lost", "warn"),
        (counts.unclear, "sent, no answer", "warn"),
    )
    return JobWords(
        standing=tuple(standing), recent=tuple((f"{number} {words}", weight) for number, words, weight in recent if number)
    )
