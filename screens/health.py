"""The sidecar's health in the few words that fit into line 1."""

from __future__ import annotations

from kumoss_console.errors import AccessDenied, Unreachable
from kumoss_console.services.asking.probe import Probe
from screens.durations import latency

UNKNOWN = "…"
"""Not asked yet."""


def health_words(probe: Probe, *, token_refused: bool = False) -> str:
    """``ok 12 ms``, or which way it is not. A sidecar may be well and have nothing to do with us."""
    if probe.status == "ok":
        return f"ok {latency(probe.seconds)}".strip() + (", token refused" if token_refused else "")
    if probe.status == "unknown":
        return "? not known"
    if isinstance(probe.error, Unreachable):
        return "✗ no answer"
    return "✗ refuses us" if isinstance(probe.error, AccessDenied) else "✗ wrong answer"
