"""``import`` blocks: a worksheet as a reviewable change of the configuration.

An identifier is text of strangers. Between quotes it must stay that text: no end of the string, no template, no other line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from kumoss_console.model.importids.worksheet import Row
from kumoss_console.text import printable

_SIMPLE = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text: str) -> str:
    """``text`` as a quoted string that engines read back as it is.

    A sign that would open a template is written by its number: doubling it is read in two ways where another one stands before.
    """
    out: list[str] = []
    for at, char in enumerate(text):
        if char in "$%" and text[at + 1 : at + 2] == "{":
            out.append(f"\\u{ord(char):04x}")
        elif char in _SIMPLE:
            out.append(_SIMPLE[char])
        elif char.isprintable():
            out.append(char)
        else:
            point = ord(char)
            out.append(f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}")
    return f'"{"".join(out)}"'


def writable(text: str) -> bool:
    """Whether a file can hold it: engines compose what is decomposed, and a lone surrogate is no text."""
    return unicodedata.is_normalized("NFC", text) and not any(unicodedata.category(char) == "Cs" for char in text)


def is_exported(row: Row) -> bool:
    """Whether :func:`export_text` writes a block for it, and not only the reason why there is none."""
    return row.ready and writable(row.import_id)


def import_blocks(rows: Iterable[Row]) -> str:
    """The file, ending in a line feed; empty for no rows. Raises :class:`ValueError` for a row that has faults."""
    return "\n".join(_blocks(rows))


def export_text(rows: Iterable[Row]) -> str:
    """The blocks of the rows that are ready, then a comment for each that is not, with its reason."""
    ready, left = [], []
    for row in rows:
        if is_exported(row):
            ready.append(row)
        else:
            reason = "; ".join(row.faults) or "a file cannot hold its import id as it is"
            left.append(f"# left out: {printable(row.identifier)}: {printable(reason)}\n")
    return "\n".join(filter(None, (import_blocks(ready), "".join(left))))


def _blocks(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if row.faults:
            raise ValueError("a row with faults is not exported")
        said = printable(row.note) or "the type is a guess: look at what it is before this is applied"
        note = "" if row.certain else f"# Not certain: {said}\n"
        yield f"{note}import {{\n  to = {row.address}\n  id = {quoted(row.import_id)}\n}}\n"
