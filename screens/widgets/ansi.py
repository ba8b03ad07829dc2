"""Engine output as the terminal may see it: colours stay, everything else that a terminal would obey is shown, not done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rich.text import Text

from kumoss_console.text import printable

TAB = "    "
_LONGEST_CODE = 64
_PIECE = 131_072
SGR = re.compile(r"\x1b\[[0-9;:]*m")
LINE_BREAK = re.compile(r"\r\n?|\n")
"""CR alone ends a line as well: each state of a progress line is a line of its own, none overwrites another."""


def plain(line: str) -> str:
    """The line without colours, safe to show and to search. Colour codes are the only thing that disappears."""
    if "\x1b" in line:
        line = SGR.sub("", line)
    return printable(line.replace("\t", TAB))


def shown(text: str) -> str:
    """:func:`plain` for many lines at once; line breaks stay as they are. Quick on large texts."""
    if "\x1b" in text:
        text = SGR.sub("", text)
    signs = _signs(text)
    return text.translate(signs) if signs else text


def _signs(text: str) -> Mapping[int, str]:
    """What stands for each character of ``text`` that is not shown as itself."""
    if text.replace("\n", "").isprintable():
        return {}
    return {
        ord(char): TAB if char == "\t" else printable(char)
        for char in set(text)
        if not char.isprintable() and char not in "\r\n" and (char == "\t" or printable(char) != char)
    }


def raw_offset(text: str, column: int) -> int:
    """Where in ``text`` the character stands that :func:`shown` has at ``column``; the end of ``text`` beyond it."""
    signs = _signs(SGR.sub("", text) if "\x1b" in text else text)
    at = 0
    for begin, end in _pieces(text):
        if not signs:
            if column < at + end - begin:
                return begin + column - at
            at += end - begin
            continue
        for offset in range(begin, end):
            at += len(signs.get(ord(text[offset]), "."))
            if column < at:
                return offset
    return len(text)


def _pieces(text: str) -> list[tuple[int, int]]:
    """The parts of ``text`` between its colour codes."""
    codes = [match.span() for match in SGR.finditer(text)] if "\x1b" in text else []
    begins = [0, *(end for _, end in codes)]
    ends = [*(begin for begin, _ in codes), len(text)]
    return list(zip(begins, ends, strict=True))


def coloured(line: str) -> Text:
    """The line with its colours (SGR) as styles; all other control characters as visible signs."""
    if "\x1b" not in line:
        text = Text(printable(line.replace("\t", TAB)))
    else:
        pieces: list[str] = []
        at = 0
        for match in SGR.finditer(line):
            pieces += [printable(line[at : match.start()].replace("\t", TAB)), match[0]]
            at = match.end()
        pieces.append(printable(line[at:].replace("\t", TAB)))
        text = Text.from_ansi("".join(pieces))
    text.no_wrap = True
    return text


def safe_cut(text: str, at: int, *, after: int = 0) -> int:
    """``at``, or the beginning of the colour code that it would cut in two; never before ``after``."""
    code = text.rfind("\x1b", max(after, at - _LONGEST_CODE), at)
    return code if code > after and "m" not in text[code:at] else at


def uncoloured(text: str) -> str:
    """A text of several lines without colours, safe to copy and to save. Every line ends as the terminal shows it."""
    return LINE_BREAK.sub("\n", shown(text)) if "\r" in text else shown(text)


def uncoloured_pieces(text: str) -> Iterator[str]:
    """:func:`uncoloured` a piece at a time: for texts that take seconds, on a thread that must let others work."""
    begin = 0
    while begin < len(text):
        end = min(len(text), begin + _PIECE)
        if end < len(text):
            end = safe_cut(text, end, after=begin)
            if text[end - 1] == "\r":
                end += text[end] == "\n"
        yield uncoloured(text[begin:end])
        begin = end
