"""The members of a lock as the engines' own JSON decoder (Go's) takes them. Pure.

Names match in any case of their letters, the last of several counts, ``null`` leaves what was there, a value of another type than
text refuses the whole, and a time is RFC 3339 to the letter.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Mapping

NO_LOCK_INFO = "failed to unmarshal JSON data into LockInfo struct"
"""How the engines begin when they cannot read a lock."""
_NAMES = {name.lower(): name for name in ("ID", "Operation", "Info", "Who", "Version", "Created", "Path")}
_LONG_S = "\u017f"
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))", re.ASCII)
_LEAP = 2000
"""Stands for the year 0, which Go has and Python has not."""


class NotRead(Exception):
    """Engines refuse it. ``reason`` is ours, ``said`` what they say; ``id`` is one that is legible all the same."""

    def __init__(self, reason: str, said: str, id: str | None = None) -> None:  # noqa: A002 - the lock's own name for it
        super().__init__(reason)
        self.reason = reason
        self.said = said
        self.id = id


def members(text: str) -> dict[str, str]:
    """Of the JSON object ``text``, which is well-formed, by the names that engines write. Raises :class:`NotRead`."""
    pairs: list[tuple[str, object]] = json.loads(text, object_pairs_hook=list, parse_int=float)
    found: dict[str, str] = {}
    wrong = False
    for name, value in pairs:
        known = _NAMES.get(name.replace(_LONG_S, "s").lower())
        if known is None or value is None:
            continue
        if known == "Created" and not (isinstance(value, str) and is_engine_time(value)):
            raise _no_time(value, found)
        if isinstance(value, str):
            found[known] = value
        else:
            wrong = True
    if wrong:
        raise NotRead("members have wrong types", NO_LOCK_INFO, found.get("ID"))
    return found


def is_engine_time(text: str) -> bool:
    """Whether Go reads ``text`` as the time in a document."""
    parts = _TIME.fullmatch(text)
    if parts is None:
        return False
    year, month, day, hour, minute, second, hours, minutes = (int(part or 0) for part in parts.groups())
    in_the_day = hour < 24 and minute < 60 and second < 60 and hours < 24 and minutes < 60
    return in_the_day and 1 <= month <= 12 and 1 <= day <= monthrange(year or _LEAP, month)[1]


def _no_time(value: object, found: Mapping[str, str]) -> NotRead:
    """A time that is none ends the reading at once; members with other wrong types wait for the end."""
    if isinstance(value, str):
        return NotRead("Created is no RFC 3339 time", f"{NO_LOCK_INFO}: parsing time", found.get("ID"))
    return NotRead("members have wrong types", f"{NO_LOCK_INFO}: Time.UnmarshalJSON: input is not a JSON string", found.get("ID"))
