"""Engine output without what terminals and log collectors add: control sequences, frames, time stamps."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Two-character escapes come last: ESC [ is not one of them. Strings (OSC, DCS, APC, PM, SOS) are bounded, or an unfinished one
# would swallow the rest of the text.
_CONTROL = re.compile(
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,4}[0-Z\\^-~]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff]"
)
# The bar as engines print it, as ASCII substitutes, and as UTF-8 that was read as Windows-1252 or as Latin-1
# (where two of its three characters were controls, and are gone).
_FRAME = re.compile(r"[ \t]{0,4}(?:[│┃║╷╵╿╽┌└├|¦]|\?(?= )|â(?:”‚|•·|•µ)?)─{0,200}(?: |$)")
_RULER = re.compile(r"[\s─━═+|-]{1,400}$")
_STAMP = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]{0,10}(?:Z|[+-]\d\d:?\d\d)?\]?:? {1,4}(?:std(?:out|err) [FP] )?")
# An excerpt of the configuration, and an attribute in a plan: both quote what somebody wrote, which is no message. The marks of
# a merge conflict are one.
_QUOTED = re.compile(r"[ \t]{2,40}\d{1,6}: (?!<{7}|={7}|>{7})|[ \t]{2,80}(?:[-+~] ){0,2}\"?[\w.-]{1,80}\"? {1,40}(?:=|->) ")


@dataclass(frozen=True, slots=True)
class Line:
    """``text`` is for showing; ``words`` for matching: single blanks, empty for values and excerpts that an engine only quotes.

    ``number`` is 1-based.
    """

    number: int
    text: str
    words: str


def without_controls(text: str) -> str:
    """``text`` with every control sequence taken out; line feeds and tabs stay, CR becomes a line end."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isprintable() else _CONTROL.sub("", text)


def clean_lines(text: str, first: int = 1) -> list[Line]:
    """The lines of ``text``, the first one being number ``first``."""
    lines: list[Line] = []
    quoting = -1
    for number, line in enumerate(without_controls(text).split("\n"), start=first):
        if (fork := line.find("├─")) >= 0:
            quoting = fork
        elif quoting >= 0 and line[quoting : quoting + 1] != "│":
            quoting = -1
        lines.append(Line(number, line.rstrip(), "") if quoting >= 0 else clean_line(line, number))
    return lines


def clean_line(line: str, number: int) -> Line:
    """One line, which holds no control sequence any more."""
    if stamp := _STAMP.match(line):
        line = line[stamp.end() :]
    if frame := _FRAME.match(line):
        line = line[frame.end() :]
    if _QUOTED.match(line):
        return Line(number, line.rstrip(), "")
    return Line(number, line.rstrip(), "" if _RULER.match(line) else " ".join(line.split()))
