"""Where an engine's first error stands in its output, and what it says. Pure, and quick on texts of any size."""

from __future__ import annotations

import re

_WORD = "Error:"
_FARTHEST = 200
"""Characters of colour and frame that may stand before the word; after more, a line mentions an error and begins none."""
_SGR = r"\x1b\[[0-9;:]{0,32}m"
_BEFORE = re.compile(rf"(?:{_SGR}|[ \t\r│┃|╷╵])*\Z")
_SAID = re.compile(rf"(?:{_SGR}|[^\n\r\x1b])*")
_COLOUR = re.compile(_SGR)
_LONGEST = 2_000
_MENTIONS = 50_000
"""Places looked at, a tenth of a second: a text that mentions errors this often without one is no engine's."""


def first_error(text: str) -> int:
    """The offset of the ``Error:`` that begins the first error frame, plain or coloured, framed or not; -1 for none."""
    at = -len(_WORD)
    for _ in range(_MENTIONS):
        at = text.find(_WORD, at + len(_WORD))
        if at < 0:
            break
        start = max(at - _FARTHEST, text.rfind("\n", max(0, at - _FARTHEST), at) + 1)
        begins = start == 0 or text[start - 1] == "\n"
        if begins and _BEFORE.match(text, start, at):
            return at
    return -1


def error_line(text: str) -> str:
    """What the first error says on its first line, without colours: ``Resource precondition failed``. Empty for no error.

    External text, not printable yet.
    """
    at = first_error(text)
    if at < 0:
        return ""
    start = at + len(_WORD)
    said = _SAID.match(text, start, min(len(text), start + _LONGEST))
    return _COLOUR.sub("", said[0]).strip() if said else ""
