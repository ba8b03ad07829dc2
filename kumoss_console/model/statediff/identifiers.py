"""The identifier of an object as it may be shown. Some are made of what is sensitive: nobody marks the copy."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import msgspec

from kumoss_console.model.state.marks import also_ruled, decode_marks
from kumoss_console.model.state.secretrules import hidden_of_type
from kumoss_console.model.state.veil import Veiled, veil
from kumoss_console.model.statediff.recorded import Recorded
from kumoss_console.text import MASK

_DECODER = msgspec.json.Decoder(float_hook=Decimal)
_COPIES = frozenset({"copy", "marked"})


def shown_identifier(item: Recorded | None, *, beside: Recorded | None = None) -> str | None:
    """The identifier of ``item``, masked where it is, holds or disguises a sensitive value of it, or of the object ``beside`` it
    on the other side. CPU work in the size of the objects, where something in them is sensitive."""
    if item is None or item.identifier is None:
        return None
    sides = (side for side in (item, beside) if side is not None)
    return MASK if any(_repeats(item.identifier, side) for side in sides) else item.identifier


def _repeats(identifier: str, side: Recorded) -> bool:
    attributes = _decoded(side.attributes)
    if not isinstance(attributes, dict):
        return False
    marked = also_ruled(decode_marks(side.sensitive), hidden_of_type(side.type, attributes))
    if not marked:
        return False
    hidden = veil({**attributes, _PROBE: identifier}, marked)
    return any(isinstance(text, Veiled) and text.why in _COPIES for text in _found(hidden))


_PROBE = "\x00identifier"
"""No attribute is called so: the identifier is looked at under this name, beside what is sensitive."""


def _found(hidden: object) -> Iterator[object]:
    if isinstance(hidden, dict):
        yield hidden.get(_PROBE)
    elif isinstance(hidden, Veiled):
        yield hidden


def _decoded(raw: bytes) -> object:
    if raw in (b"", b"null"):
        return None
    try:
        return _DECODER.decode(raw)
    except RecursionError:
        return None
