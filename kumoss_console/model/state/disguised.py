"""Copies of a hidden value that are not written as it is: in other case, as base64 of either alphabet, in hex, cut off."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator
from functools import cached_property

_SHORTEST = 8
"""Characters a hidden text must have before its disguises are looked for: shorter ones are in other words by chance."""
_LONGEST_CUT = 400
"""Longer ones are documents (a kubeconfig), and their beginnings are no secrets."""
_URL_SAFE = str.maketrans("+/", "-_")
_GROUP = 3
"""Bytes that base64 writes as one group: the same text is written in three ways, by where it begins."""


class Disguised:
    """Finds ``secrets`` in other texts of the same object. Linear in the number of secrets for each text."""

    def __init__(self, secrets: Collection[str]) -> None:
        self._long = [secret for secret in secrets if len(secret) >= _SHORTEST]
        self._least = min((_least(secret) for secret in self._long), default=0)
        self._whole = tuple(secret.casefold() for secret in self._long if len(secret) <= _LONGEST_CUT)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """What is looked for, folded: the texts themselves and what base64 and hex make of them. Nearly every object has marks,
        and few of its texts are long enough to hold what is marked: made when it is asked for."""
        return tuple({form for secret in self._long for form in _forms(secret)})

    def has(self, text: str) -> bool:
        """Whether ``text`` holds one of them in disguise, or is the better half of one."""
        if not self._long or len(text) < _SHORTEST:
            return False
        folded = text.casefold()
        if any(len(folded) * 2 >= len(secret) and secret.startswith(folded) for secret in self._whole):
            return True
        return len(folded) >= self._least and any(form in folded for form in self.forms)


def _least(secret: str) -> int:
    """Characters that the shortest of its forms has at least: base64 leaves out two groups, and writes four for three."""
    return min(len(secret), max(2, (len(secret) - 4) // _GROUP) * 4)


def _forms(secret: str) -> Iterator[str]:
    yield secret.casefold()
    raw = secret.encode("utf-8", "surrogatepass")
    if len(secret) <= _LONGEST_CUT:
        yield raw.hex()
    for before in range(_GROUP):
        # The groups that a neighbour of the text has a share in are left out at both ends.
        begin = (_GROUP - before) % _GROUP
        inner = raw[begin : len(raw) - (len(raw) - begin) % _GROUP]
        if len(inner) >= 2 * _GROUP:
            packed = base64.b64encode(inner).decode().casefold()
            yield packed
            if "+" in packed or "/" in packed:
                yield packed.translate(_URL_SAFE)
