"""Spans of time in words."""

from __future__ import annotations

from datetime import timedelta


def in_words(span: timedelta) -> str:
    """``3 h 12 min``: the two units that matter. A negative span (clocks disagree) reads ``0 s``."""
    seconds = max(0, int(span.total_seconds()))
    for size, unit, lower_size, lower in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            rest = seconds % size // lower_size
            return f"{seconds // size} {unit}" + (f" {rest} {lower}" if rest else "")
    return f"{seconds} s"
