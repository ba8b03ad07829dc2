"""Which known name a wrong one is close to."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """`` Did you mean "x"?`` for a name less than three edits away, else nothing."""
    if len(given) > 100:
        return ""
    for name in sorted(names):
        if abs(len(name) - len(given)) < 3 and _distance(given, name) < 3:
            return f' Did you mean "{name}"?'
    return ""


def _distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
