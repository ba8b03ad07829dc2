"""The time, as the services see it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """UTC wall time, aware."""

    def __call__(self) -> datetime: ...
