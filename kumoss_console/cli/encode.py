"""JSON as the command line prints it: UTC times with ``Z``, secrets masked, and nothing that a terminal would obey."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from uuid import UUID

from kumoss_console.model.moment import iso
from kumoss_console.text import MASK, Secret, printable

_FOREIGN = re.compile(r"[^\x20-\x7e]")


def to_json(value: object) -> str:
    """One line. What ``printable`` would replace is written as ``\\uXXXX``: the value stays exact, the terminal safe."""
    return _FOREIGN.sub(_escaped, json.dumps(value, ensure_ascii=False, default=_plain))


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    if printable(char) == char:
        return char
    # json.dumps has the rule for pairs of surrogates above the basic plane.
    return json.dumps(char)[1:-1]


def _plain(value: object) -> object:
    """What :mod:`json` does not know. Raises :class:`TypeError` for anything that nobody has thought about."""
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, Secret):
        return MASK
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID | PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(f"no JSON form for {type(value).__name__}")
