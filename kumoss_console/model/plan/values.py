"""Values as they may be shown: JSON text, masked, and cut where nobody would read on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from kumoss_console.model.plan.sealed import ENCODER, is_sealed
from kumoss_console.model.state.secretnames import is_worth_hiding
from kumoss_console.model.state.sensitive import masked
from kumoss_console.text import MASK

LONGEST = 100_000
"""Characters of one value that are kept for showing; how many were cut is kept with it."""
SENSITIVE = "(sensitive value)"
UNKNOWN = "(known after apply)"
_DEEPEST = 200
_MOST_LINES = 2_000


@dataclass(frozen=True, slots=True)
class Value:
    """JSON of a value, safe to copy. ``cut`` says how many characters are missing at its end.

    ``hidden`` is ``marked`` where provider or author marked it sensitive, ``named`` where its name reads like a secret.
    """

    text: str
    cut: int = 0
    hidden: Literal["", "marked", "named"] = ""


class Line(NamedTuple):
    """One line of a text that changes: ``+`` added, ``-`` removed, a blank for one that stays, ``…`` for those left out."""

    sign: Literal["+", "-", " ", "…"]
    text: str


def shown(value: Any, *, named: bool) -> Value:
    """``value`` as text. ``named`` says that a name on its path reads like a secret."""
    if is_sealed(value):
        return Value(SENSITIVE, hidden="marked")
    if named and is_worth_hiding(value):
        return Value(MASK, hidden="named")
    if isinstance(value, str):
        cut = max(0, len(value) - LONGEST)
        return Value(_json(masked(value[:LONGEST])), cut)
    text = _json(masked(_opened(value)))
    return Value(text[:LONGEST], max(0, len(text) - LONGEST))


def _json(value: Any) -> str:
    return ENCODER.encode(value).decode()


def _opened(value: Any, depth: int = 0) -> Any:
    """``value`` with words for what is sealed inside."""
    if is_sealed(value):
        return SENSITIVE
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {key: _opened(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_opened(item, depth + 1) for item in value]
    return value


def changed_lines(before: str, after: str) -> tuple[Line, ...]:
    """What changes between two texts of several lines, one line of context around; empty where that would not help."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) < 2 or max(len(old), len(new)) > _MOST_LINES or max(len(before), len(after)) > LONGEST:
        return ()
    lines: list[Line] = []
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(1):
        if lines or group[0][1]:
            lines.append(Line("…", ""))
        for kind, a, a_end, b, b_end in group:
            if kind == "equal":
                lines += _lines(" ", old[a:a_end])
            else:
                lines += _lines("-", old[a:a_end])
                lines += _lines("+", new[b:b_end])
    return tuple(lines)


def _lines(sign: Literal["+", "-", " "], texts: Sequence[str]) -> list[Line]:
    return [Line(sign, str(masked(text))) for text in texts]


def document(value: Any, *, name: str = "") -> Any:
    """``value`` for a JSON document that leaves the console: words for what is sealed, masks for what reads like a secret."""
    return masked(_opened(value), name=name)
