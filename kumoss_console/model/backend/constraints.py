"""``required_version``: whether an engine's version is allowed."""

from __future__ import annotations

import re
from functools import lru_cache

from kumoss_console.model.backend.engine import Version

_TERM = re.compile(r"\s*(=|!=|>=|<=|>|<|~>)?\s*v?(\d{1,6}(?:\.\d{1,6}){0,2})(-[0-9A-Za-z.-]+)?\s*")


@lru_cache(maxsize=256)
def allows(constraint: str, version: Version) -> bool | None:
    """Whether every term holds; ``None`` where a term is none, or is about a prerelease. The files of a module mostly say the
    same: each text is read once."""
    results = []
    for term in constraint.split(","):
        match = _TERM.fullmatch(term)
        if match is None or match[3]:
            return None
        numbers = [int(part) for part in match[2].split(".")]
        results.append(_holds(match[1] or "=", numbers, version))
    return all(results)


def _holds(operator: str, numbers: list[int], version: Version) -> bool:
    major, minor, patch = (*numbers, 0, 0)[:3]
    wanted = (major, minor, patch)
    if operator == "~>":
        # The last number that is written may grow, all before it stand.
        kept = max(1, len(numbers) - 1)
        return version >= wanted and version[:kept] == wanted[:kept]
    return {
        "=": version == wanted,
        "!=": version != wanted,
        ">": version > wanted,
        ">=": version >= wanted,
        "<": version < wanted,
        "<=": version <= wanted,
    }[operator]
