"""Words of the output in a finding: printable, without secrets, and short."""

from __future__ import annotations

from collections.abc import Iterable

from kumoss_console.model.diagnosis.blocks import Block
from kumoss_console.text import clip, printable, redact

_MOST_LINES = 4
_WIDEST = 240
_LEAD = 60
"""Characters before a match that are kept of a line that has to be cut."""


def told(text: str) -> str:
    """A value or a line from outside, fit to be put into a sentence of ours."""
    return clip(redact(printable(text.strip())), _WIDEST)


def quoted(block: Block, spans: Iterable[tuple[int, int]]) -> tuple[str, int]:
    """The lines on which ``spans`` of the block's flat text stand, and the number of the first of them."""
    lines: dict[int, str] = {}
    first = 0
    for start, end in sorted(spans):
        for position in (start, max(start, end - 1)):
            line = block.at(position)
            first = first or line.number
            if id(line) not in lines:
                lines[id(line)] = _cut(line.text, block.offset_in_line(position))
    shown = list(lines.values())
    return "\n".join(shown[:_MOST_LINES]), first


def _cut(text: str, offset: int) -> str:
    safe = redact(printable(text.strip()))
    if len(safe) <= _WIDEST or offset < _WIDEST - _LEAD:
        return clip(safe, _WIDEST)
    return clip("…" + safe[max(0, min(offset, len(safe)) - _LEAD) :], _WIDEST)
