"""The lines in which the core logs where it keeps a state: ``Terraform state: <provider> bucket=<b> key=<key>``.

The core writes one after each override it has written: one per init, none on apply, none where managed state is off. The line
knows nothing of IAC_BACKEND_CONFIG and names no account or endpoint; that there is no line locates no state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

# Terminals and log collectors leave colour behind.
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Bounded everywhere: a log may have lines of any length, and bytes of any kind.
_LINE = re.compile(
    r"Terraform state: (?P<provider>[a-z0-9_]{1,32}) bucket=(?P<bucket>[^\r\n]{0,255}?)"
    r" key=(?P<key>[0-9a-f]{64}/[A-Za-z0-9._-]{1,128})"
)
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))? ?(Z|[+-]\d\d:?\d\d)?")
_BEGINNING = 160
"""Characters before the words in which a time is looked for: container, level and logger stand there too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedState:
    """One line of the core's log. ``line`` is 1-based; ``at`` is what the line begins with, UTC where it names no zone."""

    provider: str
    bucket: str
    key: str
    at: datetime | None
    line: int

    @property
    def project_id(self) -> str:
        return self.key.partition("/")[0]


def logged_states(text: str) -> tuple[LoggedState, ...]:
    """Every such line, in the order of the log. Never raises for what the text is."""
    if "\x1b[" in text:
        text = _COLOUR.sub("", text)
    found = []
    line, counted = 1, 0
    for match in _LINE.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        begin = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _BEGINNING)
        found.append(
            LoggedState(
                provider=match["provider"],
                bucket=match["bucket"],
                key=match["key"],
                at=_moment(text[begin : match.start()]),
                line=line,
            )
        )
    return tuple(found)


def last_for(lines: Iterable[LoggedState], keys: Iterable[str]) -> LoggedState | None:
    """The newest line for one of ``keys``, which are the likeliest first; ``None`` where the log has none of them."""
    newest = {line.key: line for line in lines}
    return next((newest[key] for key in keys if key in newest), None)


def _moment(beginning: str) -> datetime | None:
    match = _TIME.search(beginning)
    if match is None:
        return None
    date, time, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(f"{date}T{time}.{(fraction or '0')[:6].ljust(6, '0')}{zone or '+00:00'}")
    except ValueError:
        return None
    return moment.astimezone(UTC)
