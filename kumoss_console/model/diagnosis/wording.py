"""The texts of a rule with what was found put into them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"\{([a-z_]{1,40})(?:\|([^{}]{0,200}))?\}")


def worded(text: str, attributes: Mapping[str, str]) -> str:
    """``text`` with ``{name}`` and ``{name|otherwise}`` replaced; any other brace stays as it is."""
    return _PLACE.sub(lambda place: attributes.get(place[1]) or place[2] or "", text)


def demanded(text: str) -> frozenset[str]:
    """Names that ``text`` cannot do without: those that say nothing else to put in their place."""
    return frozenset(place[1] for place in _PLACE.finditer(text) if place[2] is None)
