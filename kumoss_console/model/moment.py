"""Moments as data: UTC, ISO 8601, with ``Z``."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(moment: datetime) -> str:
    """``2026-01-02T03:04:05Z``; fractions only where there are any. ``moment`` is aware."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def iso_or_none(moment: datetime | None) -> str | None:
    """As :func:`iso`; what is not known stays ``None``."""
    return None if moment is None else iso(moment)
