"""Engine output as the terminal may see it: colours stay, everything else that a terminal would obey is shown, not done."""

from __future__ import annotations

import re

from rich.text import Text

from kumoss_console.text import printable

TAB = "    "
_SGR = re.compile(r"\x1b\[[0-9;:]*m")
LONGEST_DRAWN = 20_000
"""Characters of one line that are drawn. The line itself is kept whole; the cut is said."""


def plain(line: str) -> str:
    """The line without colours, safe to show and to search. Colour codes are the only thing that disappears."""
    if "\x1b" in line:
        line = _SGR.sub("", line)
    return printable(line.replace("\t", TAB))


def coloured(line: str) -> Text:
    """The line with its colours (SGR) as styles; all other control characters as visible signs."""
    cut = len(line) - LONGEST_DRAWN
    if cut > 0:
        line = line[:LONGEST_DRAWN]
    if "\x1b" not in line:
        text = Text(printable(line.replace("\t", TAB)))
    else:
        pieces: list[str] = []
        at = 0
        for match in _SGR.finditer(line):
            pieces += [printable(line[at : match.start()].replace("\t", TAB)), match[0]]
            at = match.end()
        pieces.append(printable(line[at:].replace("\t", TAB)))
        text = Text.from_ansi("".join(pieces))
    text.no_wrap = True
    if cut > 0:
        text.append(f" … {cut:,} more characters in this line", "bold")
    return text


def uncoloured(text: str) -> str:
    """A text of several lines without colours, safe to copy and to save."""
    return "\n".join(map(plain, text.replace("\r\n", "\n").split("\n")))
