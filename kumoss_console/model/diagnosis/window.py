"""The parts of an output worth reading: all of a short one; of a long one its ends, and what stands around errors.

An engine can print 100 MB. Looking for a word in that costs milliseconds, taking it apart line by line costs minutes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

WHOLE = 256 * 1024
"""Characters up to which a text is read whole."""
_HEAD = 32 * 1024
_TAIL = 160 * 1024
_BEFORE = 512
_AFTER = 7 * 1024
_MOST = 24
"""Places around an error that are looked at from each end of the text."""
# A cut inside a line goes to the line's start where that is near.
_NEAR = 2048
_SIGNS = ("Error", "error", "ailed")


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text; ``line`` is the 1-based number of its first line."""

    text: str
    line: int


def windows(text: str) -> tuple[Window, ...]:
    """Parts of ``text`` in their order, no more than about 700 KiB together."""
    if len(text) <= WHOLE:
        return (Window(text, 1),) if text else ()
    spans = [(0, _HEAD), *_around_errors(text), (len(text) - _TAIL, len(text))]
    parts: list[Window] = []
    line, counted = 1, 0
    for start, end in _merged(sorted(_to_lines(text, span) for span in spans)):
        line += text.count("\n", counted, start)
        counted = start
        parts.append(Window(text[start:end], line))
    return tuple(parts)


def _around_errors(text: str) -> Iterator[tuple[int, int]]:
    end = len(text) - _TAIL
    for sign in _SIGNS:
        position = _HEAD
        for _ in range(_MOST):
            position = text.find(sign, position, end)
            if position < 0:
                break
            yield position - _BEFORE, position + _AFTER
            position += _AFTER
        position = end
        for _ in range(_MOST):
            position = text.rfind(sign, _HEAD, position)
            if position < 0:
                break
            yield position - _AFTER, position + _AFTER
            position -= _AFTER


def _to_lines(text: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = max(0, span[0]), min(len(text), span[1])
    line_start = text.rfind("\n", max(0, start - _NEAR), start) + 1
    line_end = text.find("\n", end, end + _NEAR)
    return line_start or start, line_end if line_end >= 0 else end


def _merged(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start, end = spans[0]
    for next_start, next_end in spans[1:]:
        if next_start > end:
            yield start, end
            start, end = next_start, next_end
        end = max(end, next_end)
    yield start, end
