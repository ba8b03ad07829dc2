"""A key and a section as data: the one definition behind loading, errors and documentation.

``docs/configuration.md`` holds the tables made of these, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kumoss_console.config.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One key. ``default`` is for the documentation; ``null_hint`` is what to write instead of nothing at all."""

    name: str
    rule: Rule
    doc: str
    default: str = ""
    null_hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The keys of one mapping.

    ``ignored`` are keys the core reads there and the console has no use for; ``elsewhere`` says where a key belongs that is
    easily put here.
    """

    path: str
    fields: tuple[Field, ...]
    ignored: frozenset[str] = frozenset()
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def known(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)
