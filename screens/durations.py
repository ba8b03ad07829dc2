"""Durations and moments in words an operator reads at a glance."""

from __future__ import annotations

from datetime import datetime, timedelta

DASH = "-"


def short(span: timedelta | None) -> str:
    """One unit: ``40 s``, ``6 m``, ``3 h``, ``12 d``; ``-`` for none. A clock that runs behind gives ``0 s``, never a minus."""
    if span is None:
        return DASH
    seconds = max(0, int(span.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} m"
    if seconds < 48 * 3600:
        return f"{seconds // 3600} h"
    days = seconds // 86400
    return f"{days} d" if days < 730 else f"{days // 365} y"


def long(span: timedelta | None) -> str:
    """Two units where the second one matters: ``2 min 5 s``, ``3 h 12 min``, ``4 d 2 h``; ``-`` for none."""
    if span is None:
        return DASH
    seconds = max(0, int(span.total_seconds()))
    for size, unit, lower_size, lower in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            rest = seconds % size // lower_size
            return f"{seconds // size} {unit}" + (f" {rest} {lower}" if rest else "")
    return f"{seconds} s"


def precise(span: timedelta | None) -> str:
    """For measured spans: ``0.4 s`` below ten seconds, then as :func:`long`."""
    if span is None:
        return DASH
    seconds = max(0.0, span.total_seconds())
    return f"{seconds:.1f} s" if seconds < 10 else long(span)


def moment(at: datetime | None) -> str:
    """A moment in UTC to the second; ``-`` for none."""
    return at.strftime("%Y-%m-%d %H:%M:%S UTC") if at is not None else DASH


def latency(seconds: float | None) -> str:
    """``12 ms``, or seconds from one second on; empty for none."""
    if seconds is None:
        return ""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
