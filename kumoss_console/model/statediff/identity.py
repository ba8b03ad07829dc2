"""Whether objects of two states are one and the same, by what they are and not by where they lie.

A provider that learns to write ``arn`` writes it beside the ``id`` that was there before: ARNs are compared where both sides
have one, and ids else. What Azure calls its objects is the same in any case of the letters.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.uniqueness import names_one_object
from kumoss_console.model.state.wire import IdentifiersV4
from kumoss_console.model.statediff.recorded import Recorded, RecordedState

_AZURE = "/subscriptions/"
_GIVEN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{16,20}")
"""UUIDs, and the long random numbers of ``null_resource``: nobody gives one twice."""
_A_WORD = re.compile(r"[A-Za-z]+|[^A-Za-z0-9]*")
"""``none``, ``-``, ``static``: what providers write where there is nothing to name, and names that any project may give."""


class Names(NamedTuple):
    """What an object is called by its provider, empty for what it is not; as they are compared, not as they are shown."""

    type: str
    arn: str
    id: str


def names(item: Recorded) -> Names:
    """Those of ``item``, sensitive ones included. CPU work in its size."""
    if item.attributes in (b"", b"null"):
        return Names(item.type, "", "")
    found: IdentifiersV4
    try:
        found, _ = repair.decode(item.attributes, IdentifiersV4)
    except msgspec.DecodeError:
        return Names(item.type, "", "")
    return Names(item.type, _spelt(found.arn), _spelt(found.id))


def others(one: Names, other: Names) -> bool:
    """Whether they surely are two objects. Without a name in common nobody knows."""
    if one.arn and other.arn:
        return one.arn != other.arn
    return bool(one.id and other.id) and one.id != other.id


def names_one(type_: str, name: str) -> bool:
    """Whether ``name`` can be that of one object of ``type_`` alone, by its form."""
    return names_one_object(type_, name) or _GIVEN.fullmatch(name) is not None


def says_nothing(name: str) -> bool:
    """Whether ``name`` is a word, or less."""
    return _A_WORD.fullmatch(name) is not None


class Census:
    """Which managed objects of a state, deposed ones included, may be the one that is asked for."""

    def __init__(self, state: RecordedState) -> None:
        """CPU work in the size of the state."""
        self._arns: Counter[Names] = Counter()
        self._ids: Counter[Names] = Counter()
        self._ids_alone: Counter[Names] = Counter()
        self._places: dict[Names, str] = {}
        for item in state.objects.values():
            if item.mode != "managed":
                continue
            known = names(item)
            by_arn, by_id = known._replace(id=""), known._replace(arn="")
            self._arns[by_arn] += 1
            self._ids[by_id] += 1
            if not known.arn:
                self._ids_alone[known] += 1
            if not item.deposed:
                self._places[by_arn] = self._places[by_id] = item.address

    def like(self, sought: Names) -> int:
        """How many have its ARN, or its id where one of the two has no ARN."""
        by_id = sought._replace(arn="")
        if not sought.arn:
            return self._ids[by_id] if sought.id else 0
        return self._arns[sought._replace(id="")] + (self._ids_alone[by_id] if sought.id else 0)

    def place_of(self, sought: Names) -> str:
        """The address of the one that surely is it and not deposed, else empty."""
        if self.like(sought) != 1 or says_nothing(sought.arn or sought.id):
            return ""
        by_arn, by_id = sought._replace(id=""), sought._replace(arn="")
        return self._places.get(by_arn if sought.arn and by_arn in self._arns else by_id, "")


def _spelt(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return value.lower().rstrip("/") if value[: len(_AZURE)].lower() == _AZURE else value
