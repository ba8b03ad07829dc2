"""The members of a state as engines read them: named in any case, repeated, or ``null``.

What is there again is read over what was there: of a value the last one counts, where it is not ``null``; outputs are taken
together; a list is the last one, its objects read over those at the same place before. ``null`` in a list of objects is one
without members. All is put as engines write it, so that everything else looks for one name only. Source: the JSON package that
engines are built with, whose match folds ASCII and the two letters of other scripts that fold to it; tried with Terraform 1.11.4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from kumoss_console.model.state import repair
from kumoss_console.model.state.repeats import pairs

_OF_LETTERS = str.maketrans({"\u017f": "s", "\u212a": "k"})
"""The long s and the Kelvin sign."""
_TEXT, _NUMBER, _BOOLEAN, _RAW = b'"', b"-0123456789", b"tf", b""
"""What a value of that type begins with. Of what is raw to an engine the last one counts, whatever it is."""
_NULL = b"null"


class _Many(NamedTuple):
    """``opening`` of a list or of a map, and the members of each of its objects; ``None`` where they are no objects."""

    opening: bytes
    of: dict[str, Any] | None


_OF_AN_OUTPUT: dict[str, Any] = {"value": _RAW, "type": _RAW, "sensitive": _BOOLEAN}
_OF_AN_INSTANCE: dict[str, Any] = {
    **dict.fromkeys(("index_key", "attributes", "sensitive_attributes", "private", "dependencies"), _RAW),
    **dict.fromkeys(("identity_schema_version", "identity", "depends_on", "skip_destroy"), _RAW),
    **dict.fromkeys(("status", "deposed", "provider"), _TEXT),
    "attributes_flat": _Many(b"{", None),
    "schema_version": _NUMBER,
    "create_before_destroy": _BOOLEAN,
}
_OF_A_RESOURCE: dict[str, Any] = {
    **dict.fromkeys(("module", "mode", "type", "name", "each", "provider"), _TEXT),
    "instances": _Many(b"[", _OF_AN_INSTANCE),
}
_TOP: dict[str, Any] = {
    **dict.fromkeys(("version", "check_results", "modules", "backend", "meta", "encrypted_data", "encryption_version"), _RAW),
    **dict.fromkeys(("terraform_version", "lineage"), _TEXT),
    "serial": _NUMBER,
    "outputs": _Many(b"{", _OF_AN_OUTPUT),
    "resources": _Many(b"[", _OF_A_RESOURCE),
}


class Matched(NamedTuple):
    """The document as engines read it; names as they were found in another case; those that are there more than once."""

    text: bytes
    odd: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


def folded(name: str) -> str:
    """The name that an engine takes ``name`` for."""
    return name.translate(_OF_LETTERS).lower()


def as_engines_match(text: bytes) -> Matched:
    """The document with its members as engines read them. Attributes, and the names of outputs, are told apart by case and stay.
    What is no JSON object, or nests too deep to be rewritten, stays as it is. CPU work in the size of the document.
    """
    try:
        if repair.decode(text, dict[str, Raw])[1]:
            return Matched(text)
    except msgspec.DecodeError:
        return Matched(text)
    fold = _Fold()
    made = fold.members(text, _TOP, {})
    return Matched(msgspec.json.encode(made), tuple(fold.odd), tuple(fold.repeated)) if fold.changed else Matched(text)


class _Fold:
    """``changed`` is whether anything was not as engines write it."""

    def __init__(self) -> None:
        self.odd: dict[str, None] = {}
        self.repeated: dict[str, None] = {}
        self.changed = False

    def members(self, text: bytes, known: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
        """The members of the object in ``text``, read over those that were there."""
        made = dict(before)
        seen: set[str] = set()
        for name, raw in pairs(text):
            meant = name if name in known else folded(name)
            if meant not in known:
                made[name] = raw
                continue
            if meant != name:
                self.odd[name] = None
                self.changed = True
            if meant in seen:
                self.repeated[meant] = None
                self.changed = True
            seen.add(meant)
            made[meant] = self._over(made.get(meant), raw, known[meant])
        return made

    def _over(self, before: Any, raw: Raw, type_: Any) -> Any:
        value = bytes(raw)
        if type_ == _RAW:
            return raw
        if isinstance(type_, _Many):
            if isinstance(before, Raw) and bytes(before) != _NULL:
                return before  # of the wrong type: engines refuse the whole, whatever follows
            return self._many(before or (), value, type_) if value[:1] == type_.opening else raw
        if before is not None and bytes(before) != _NULL and (value == _NULL or bytes(before)[:1] not in type_):
            return before
        return raw

    def _many(self, before: Any, value: bytes, type_: _Many) -> Any:
        if type_.opening == b"[":
            found: list[Raw] = repair.decode(value, list[Raw])[0]
            earlier = before if isinstance(before, list) else []
            return [self._one(earlier[n] if n < len(earlier) else {}, one, type_.of) for n, one in enumerate(found)]
        made = dict(before) if isinstance(before, dict) else {}
        for name, one in pairs(value):
            made[name] = one if bytes(one) == _NULL else self._one({}, one, type_.of)
        return made

    def _one(self, before: Any, raw: Raw, known: dict[str, Any] | None) -> Any:
        value = bytes(raw)
        if known is not None and value == _NULL:
            self.changed = True
            return before
        if known is None or value[:1] != b"{":
            return raw
        return self.members(value, known, before if isinstance(before, dict) else {})
