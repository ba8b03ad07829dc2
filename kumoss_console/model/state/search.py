"""Searching a state: addresses, identifiers, names of attributes, and values that are not hidden.

What is hidden is never looked at, so that no question about a masked value is answered, not even with *not found*. Bytes that
cannot hold what is looked for are passed over undecoded: most of a state, most of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kumoss_console.model.state.document import CheckRow, InstanceRow, ResourceRow, StateDocument
from kumoss_console.model.state.inside import Held, Inside
from kumoss_console.model.state.leaves import leaves, path_text, step_text
from kumoss_console.model.state.marks import Path
from kumoss_console.model.state.providers import providers_of

Where = Literal["resource", "object", "output", "provider", "check", "identifier"]
_SPLIT = re.compile(r'[.\[\]"]+')
# What an encoder may write as an escape: such a needle cannot be looked for in undecoded bytes.
_ESCAPED = re.compile(r"[\\<>&\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something that holds the needle, once, for the first reason there is.

    ``subject`` is the address of the resource, the output's name, the provider as written, the check's address or the
    identifier; ``place`` the object's place among the resource's. ``path`` leads to the attribute that was found, or is empty
    where the subject itself was; ``by`` says what was found in words.
    """

    where: Where
    subject: str
    place: int = 0
    path: Path = ()
    by: str = ""


def narrows(before: str, needle: str) -> bool:
    """Whether all that holds ``needle`` holds ``before`` as well, so that its hits are all that have to be looked at again."""
    # A path is written with quotes and escapes of its own, which a part of it may have cut.
    return before.casefold() in needle.casefold() and '"' not in needle and "\\" not in needle


def search(document: StateDocument, inside: Inside, needle: str, *, among: Sequence[Hit] | None = None) -> Iterator[Hit | None]:
    """Every hit in the order of the document; ``None`` now and then, where nothing was found for a while.

    ``needle`` is found in any case. ``among`` are the hits of a search that this one narrows. The first step may prepare
    ``inside``: CPU work, as is all of this for large states.
    """
    folded = needle.casefold()
    if not folded:
        return
    look = _Look(folded)
    outputs = [output.name for output in document.outputs]
    if among is None:
        for number, resource in enumerate(document.resources):
            if not number % 256:
                yield None
            yield from _resource(resource, inside, look)
    else:
        rows = {row.address: row for row in document.resources}
        for number, hit in enumerate(among):
            if not number % 256:
                yield None
            if hit.where in ("object", "resource"):
                yield from _resource(rows[hit.subject], inside, look, hit.place)
        outputs = [hit.subject for hit in among if hit.where == "output"]
    for name in outputs:
        held = inside.output(name)
        if look.holds(name):
            yield Hit(where="output", subject=name, by="name")
        elif held is not None and (found := look.inside(held)) is not None:
            yield Hit(where="output", subject=name, path=found[0], by=found[1])
    yield from _rest(document, look)


def _resource(resource: ResourceRow, inside: Inside, look: _Look, only: int | None = None) -> Iterator[Hit]:
    if not resource.instances and look.holds(resource.address):
        yield Hit(where="resource", subject=resource.address, by="address")
    places = range(len(resource.instances)) if only is None else (only,) if resource.instances else ()
    for place in places:
        row = resource.instances[place]
        by = _by(row, look)
        if by:
            yield Hit(where="object", subject=resource.address, place=place, by=by)
        elif (held := inside.object(resource.address, place)) is not None and (found := look.inside(held)) is not None:
            yield Hit(where="object", subject=resource.address, place=place, path=found[0], by=found[1])


def _by(row: InstanceRow, look: _Look) -> str:
    if look.holds(row.address):
        return "address"
    if look.holds(row.identifier or ""):
        return "identifier"
    return "deposed key" if look.holds(row.deposed) else ""


def _rest(document: StateDocument, look: _Look) -> Iterator[Hit]:
    for provider in providers_of(document.resources):
        if look.holds(provider.written):
            yield Hit(where="provider", subject=provider.written, by="address")
    for check in document.checks:
        if any(map(look.holds, _texts(check))):
            yield Hit(where="check", subject=check.address, by="check")
    for identifier in document.recovered_ids:
        if look.holds(identifier):
            yield Hit(where="identifier", subject=identifier, by="identifier")


def _texts(check: CheckRow) -> Iterator[str]:
    yield check.address
    for one in check.objects:
        yield one.address
        yield from one.messages


class _Look:
    def __init__(self, folded: str) -> None:
        self.needle = folded
        parts = [part for part in _SPLIT.split(folded) if part]
        self._bytes = [part.encode() for part in parts if part.isascii() and not _ESCAPED.search(part)]
        self._path_like = "." in folded or "[" in folded

    def holds(self, text: str) -> bool:
        return self.needle in text.casefold()

    def may_hold(self, raw: bytes) -> bool:
        """Whether undecoded bytes can hold the needle. Escapes and other scripts may hide it: then they can."""
        low = raw.lower()
        return all(part in low for part in self._bytes) or not low.isascii() or b"\\u" in low or b"\\/" in low

    def inside(self, held: Held) -> tuple[Path, str] | None:
        """Where in the shown values of an object or output the needle is first, and whether it is a name or a value."""
        if not self.may_hold(bytes(held.json)):
            return None
        for path, text in leaves(held.values()):
            if path and self.holds(step_text(path[-1])):
                return path, "attribute"
            if text and self.holds(text):
                return path, "value"
            if self._path_like and path and self.holds(path_text(path)):
                return path, "attribute"
        return None


def described(hit: Hit, resources: Mapping[str, ResourceRow]) -> str:
    """What was found, as one writes it: an object's address, ``output.NAME``, and the attribute behind.

    ``resources`` are those of the document, by address.
    """
    match hit.where:
        case "object":
            row = resources[hit.subject].instances[hit.place]
            name = row.address + (f" (deposed {row.deposed})" if row.deposed else "")
        case "output":
            name = f"output.{hit.subject}"
        case _:
            name = hit.subject
    separator = "" if not hit.path or isinstance(hit.path[0], int) else "."
    return f"{name}{separator}{path_text(hit.path)}"
