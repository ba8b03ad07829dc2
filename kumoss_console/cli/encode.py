"""JSON as the command line prints it: UTC times with ``Z``, secrets masked, and nothing that a terminal would obey."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from uuid import UUID, uuid4

from kumoss_console.model.moment import iso
from kumoss_console.text import MASK, Secret, printable

_FOREIGN = re.compile(r"[^\x20-\x7e]")
# json writes floats alone: an exact number travels as a text that no document can hold, and loses its quotes behind.
_EXACT = uuid4().hex
_NUMBER = re.compile(rf'"{_EXACT}([0-9.eE+-]+)"')


def to_json(value: object) -> str:
    """One line. What ``printable`` would replace is written as ``\\uXXXX``: the value stays exact, the terminal safe. A
    :class:`~decimal.Decimal` keeps every digit."""
    text = json.dumps(value, ensure_ascii=False, default=_plain)
    return _FOREIGN.sub(_escaped, _NUMBER.sub(r"\1", text) if _EXACT in text else text)


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
    if isinstance(value, Decimal):
        return _EXACT + str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID | PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(f"no JSON form for {type(value).__name__}")
