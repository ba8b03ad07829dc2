"""The identifier of an object as it may be shown. Some are made of what is sensitive: nobody marks the copy."""

from __future__ import annotations

from kumoss_console.model.state import repair
from kumoss_console.model.state.marks import also_ruled, decode_marks
from kumoss_console.model.state.secretrules import hidden_of_type
from kumoss_console.model.state.veil import repeats_a_secret
from kumoss_console.model.statediff.recorded import Recorded
from kumoss_console.text import MASK


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
    return repeats_a_secret(attributes, marked, identifier)


def _decoded(raw: bytes) -> object:
    return None if raw in (b"", b"null") else repair.decode(raw)[0]
