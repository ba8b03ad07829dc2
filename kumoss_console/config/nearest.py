"""The name an operator probably meant."""

from __future__ import annotations

from collections.abc import Iterable

# Longer text is no misspelt name, and the comparison is quadratic in its length.
_LONGEST_NAME = 80


def nearest(written: str, names: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The one of ``names`` that is most like ``written``; ``None`` where none is."""
    if not written or len(written) > _LONGEST_NAME:
        return None
    from difflib import get_close_matches

    known = list(names)
    by_folded = {name.casefold(): name for name in known}
    folded = written.casefold().replace("-", "_")
    if folded in by_folded:
        return by_folded[folded]
    close = get_close_matches(folded, list(by_folded), n=1, cutoff=cutoff)
    return by_folded[close[0]] if close else None


def did_you_mean(written: str, names: Iterable[str]) -> str:
    """A question that names the nearest of ``names``, empty where there is none."""
    name = nearest(written, names)
    return f"did you mean {name}?" if name else ""
