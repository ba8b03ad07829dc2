"""From when until when a shared access signature holds: by the service's words, else by the signature's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qs

from kumoss_console.text import Secret

_FRAME = re.compile(r"Start \[([^\]]*)\] - Expiry \[([^\]]*)\] - Current \[([^\]]*)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFrame:
    """``None`` is not said: a signature may have no begin, and a stored access policy may have what it does not say itself."""

    begins: datetime | None = None
    ends: datetime | None = None
    now: datetime

    @property
    def outside(self) -> str:
        """``not yet``, ``over``, or empty where now is within, as far as is known."""
        if self.begins is not None and self.now < self.begins:
            return "not yet"
        return "over" if self.ends is not None and self.ends <= self.now else ""


def time_frame(sas: Secret, reason: str, theirs: datetime | None) -> TimeFrame:
    """``reason`` is what the service says of a refusal, ``theirs`` its time of the answer; else this machine's clock counts."""
    own = parse_qs(sas.reveal().removeprefix("?"))
    begins, ends = (_iso(own.get(name, [""])[0]) for name in ("st", "se"))
    now = theirs or datetime.now(UTC)
    if (said := _FRAME.search(reason)) is not None:
        begins, ends, now = _http(said[1]) or begins, _http(said[2]) or ends, _http(said[3]) or now
    return TimeFrame(begins=begins, ends=ends, now=now)


def _iso(text: str) -> datetime | None:
    try:
        return _aware(datetime.fromisoformat(text))
    except ValueError:
        return None


def _http(text: str) -> datetime | None:
    try:
        return _aware(parsedate_to_datetime(text))
    except (ValueError, TypeError, OverflowError):
        return None


def _aware(moment: datetime) -> datetime:
    """The service counts in UTC."""
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
