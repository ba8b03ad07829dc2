"""When to look at a job again. No clock in here: all times are seconds since the watch began."""

from __future__ import annotations

from dataclasses import dataclass

FASTEST = 0.25
"""Seconds between looks at a young job: a validate takes about one second, and an operator is waiting for it."""

STALENESS = 0.1
"""The share of its age by which the news of a job may be late: at 2.5 s a look each 0.25 s, at 50 s one each 5 s."""

FIRST_RETRY = 1.0
LONGEST_RETRY = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The looks of one watch: the first at once, then close together while young, then ``interval`` apart until ``timeout``.

    Both in seconds, as the core's ``job_poll_interval`` and ``job_timeout``.
    """

    interval: float
    timeout: float

    def wait(self, elapsed: float, *, failures: int = 0, retry_after: float | None = None) -> float | None:
        """Seconds until the next look, ``None`` when patience has ended.

        ``failures`` counts the looks in a row that got no answer; each doubles the wait, up to a minute or the interval, and a
        ``retry_after`` that asks for more gets more. The last wait ends on the deadline, so that a job which ends just before
        it is still seen.
        """
        left = self.timeout - elapsed
        if left <= 0:
            return None
        return min(self._pause(elapsed, failures, retry_after), left)

    def _pause(self, elapsed: float, failures: int, retry_after: float | None) -> float:
        if not failures:
            return max(min(self.interval, max(FASTEST, elapsed * STALENESS)), 0.05)
        doubled: float = FIRST_RETRY * 2.0 ** min(failures - 1, 10)
        backoff = min(doubled, max(LONGEST_RETRY, self.interval))
        return max(backoff, retry_after or 0.0)
