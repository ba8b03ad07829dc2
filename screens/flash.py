"""The flash line's messages: one is shown until a key is pressed, all of them stay in the log."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from kumoss_console.model.finding import Severity

KEPT = 500
SIGNS = {Severity.ERROR: "✗", Severity.WARNING: "!", Severity.INFO: "·"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flash:
    """One message. ``text`` may hold external text: it is printed through ``printable``."""

    at: datetime
    text: str
    severity: Severity = Severity.INFO


class FlashLog:
    """The last :data:`KEPT` messages, newest first."""

    def __init__(self) -> None:
        self._kept: deque[Flash] = deque(maxlen=KEPT)

    def add(self, flash: Flash) -> None:
        self._kept.appendleft(flash)

    def __iter__(self) -> Iterator[Flash]:
        return iter(tuple(self._kept))

    def __len__(self) -> int:
        return len(self._kept)
