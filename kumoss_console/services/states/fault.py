"""A bug of this console that one object brought to light: it is that object's, and the others are told all the same."""

from __future__ import annotations

from pathlib import PurePath

from kumoss_console.errors import ConsoleError
from kumoss_console.text import printable


def bug_in_reading(key: str, error: Exception) -> ConsoleError:
    """What is said of ``key``: the kind of error and the line of ours where it came up. Never its message, which may quote a
    value of the document."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" in {PurePath(place.tb_frame.f_code.co_filename).name}, line {place.tb_lineno}" if place is not None else ""
    return ConsoleError(
        f"a bug of this console: {printable(key)} was not read to its end ({type(error).__name__}{where})",
        hint="report it, with this line and what the document is; its content holds secrets",
        code="internal.bug",
    )
