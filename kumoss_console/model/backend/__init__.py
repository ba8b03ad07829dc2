"""Layers of a workspace into one effective backend: every value with its origin, and what is wrong with it.

``effective_backend(snapshot, engine)`` is the whole of it. The snapshot comes from :mod:`kumoss_console.workspace`.
"""

from __future__ import annotations

from kumoss_console.model.backend.bound import Bound, Difference, differences, read_bound
from kumoss_console.model.backend.effective import effective_backend
from kumoss_console.model.backend.engine import Engine, parse_engine
from kumoss_console.model.backend.options import option_files
from kumoss_console.model.backend.result import BackendAttribute, Binding, EffectiveBackend, Origin, Shadow, Via
from kumoss_console.model.backend.snapshot import Entry, Snapshot

__all__ = [
    "BackendAttribute",
    "Binding",
    "Bound",
    "Difference",
    "EffectiveBackend",
    "Engine",
    "Entry",
    "Origin",
    "Shadow",
    "Snapshot",
    "Via",
    "differences",
    "effective_backend",
    "option_files",
    "parse_engine",
    "read_bound",
]
