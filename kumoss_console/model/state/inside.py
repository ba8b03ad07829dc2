"""The values of a state, closed until somebody looks.

:class:`~kumoss_console.model.state.document.StateDocument` has no attribute on purpose. Whoever wants one opens the object it
belongs to, and gets it veiled. Numbers keep every digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

import msgspec
from msgspec import Raw, Struct

from kumoss_console.model.state import repair
from kumoss_console.model.state.address import resource_address
from kumoss_console.model.state.copies import NO_COPIES, Copies, copies_of_outputs
from kumoss_console.model.state.marks import NOTHING_MARKED, Path
from kumoss_console.model.state.numbers import ENCODER
from kumoss_console.model.state.parse import legible
from kumoss_console.model.state.secretnames import reads_like_a_secret
from kumoss_console.model.state.v3 import module_address, read_key
from kumoss_console.model.state.veil import Veiled, at, is_hidden_name, own_marks, veil
from kumoss_console.text import Secret

__all__ = ["ENCODER", "Held", "Inside", "copies_of", "decode", "veiled_object", "veiled_output"]


class _Resource(Struct):
    module: str | None = None
    mode: str | None = None
    type: str | None = None
    name: str | None = None
    instances: list[Raw] | None = None


class _Module(Struct):
    path: list[str] | None = None
    outputs: dict[str, Raw] | None = None
    resources: dict[str, dict[str, Raw]] | None = None


class _Body(Struct):
    outputs: dict[str, Raw] | None = None
    resources: list[_Resource] | None = None
    modules: list[_Module] | None = None


class Held:
    """One object or one output of a state. Not a dataclass on purpose: its ``repr`` must not show what crash reports print."""

    __slots__ = ("_raw", "_shared", "_type", "raw_name")

    def __init__(self, raw: Raw, type_: str = "", *, output: str = "", shared: Copies = NO_COPIES) -> None:
        """``output`` is the name of an output; empty for an object of a resource, whose type is ``type_``. ``shared`` are
        the texts of the document's sensitive outputs."""
        self._raw = raw
        self._shared = shared
        self._type = type_
        self.raw_name = output

    @property
    def json(self) -> memoryview:
        """As written, undecoded: to look for what cannot be in it. Never shown."""
        return memoryview(self._raw)

    def whole(self) -> Any:
        """All of it, veiled."""
        raw = bytes(self._raw)
        decoded, shared = decode(raw), self._shared if self._shared.may_be_in(raw) else NO_COPIES
        if self.raw_name:
            return veiled_output(self.raw_name, decoded, shared=shared)
        return veiled_object(decoded, self._type, shared=shared)

    def values(self) -> Any:
        """The attributes, or the output's value, veiled; ``None`` where there are none."""
        whole = self.whole()
        return whole.get(_place(whole, output=bool(self.raw_name))) if isinstance(whole, dict) else whole

    def unveiled(self) -> Any:
        """What :meth:`values` veils, as it is written: for somebody who asked for it."""
        decoded = decode(bytes(self._raw))
        return decoded.get(_place(decoded, output=bool(self.raw_name))) if isinstance(decoded, dict) else decoded

    def reveal(self, path: Path) -> Secret | None:
        """The value at a path of :meth:`values` as it is written: a text itself, anything else as JSON. ``None`` where the path
        leads nowhere, which is so below a name that is hidden itself."""
        found = at(self.unveiled(), path)
        if found is None or any(map(is_hidden_name, path)):
            return None
        return Secret(found if isinstance(found, str) else ENCODER.encode(found).decode())

    def __repr__(self) -> str:
        return f"Held({len(self.json)} bytes)"

    def __reduce__(self) -> str:
        raise TypeError("the values of a state do not travel")


def _place(decoded: Mapping[str, Any], *, output: bool) -> str:
    if output:
        return "value"
    flat = decoded.get("attributes") is None and decoded.get("attributes_flat") is not None
    return "attributes_flat" if flat else "attributes"


def veiled_object(decoded: Any, type_: str = "", *, shared: Copies = NO_COPIES) -> Any:
    """An instance of format 4, or an object of format 3, veiled as a whole: copies of its marked values as well. ``type_`` is
    that of its resource."""
    return veil(decoded, own_marks(decoded, type_) if isinstance(decoded, dict) else NOTHING_MARKED, shared=shared)


def veiled_output(name: str, decoded: Any, *, shared: Copies = NO_COPIES) -> Any:
    """An output as it is written, its value hidden where it is sensitive or named like a secret."""
    if not isinstance(decoded, dict) or "value" not in decoded:
        return veil(decoded, name=name, shared=shared)
    shown = veiled_object(decoded, shared=shared)
    if not isinstance(shown["value"], Veiled) and reads_like_a_secret(name):
        shown["value"] = veil(decoded["value"], name=name, shared=shared)
    return shown


def copies_of(outputs: Mapping[str, Raw]) -> Copies:
    """What repeats a value of those outputs of a document that are sensitive."""
    decoded = [decode(bytes(raw)) for raw in outputs.values()]
    marked = [(one, own_marks(one)) for one in decoded if isinstance(one, dict)]
    return copies_of_outputs(one["value"] for one, marks in marked if marks.at("value").whole)


class Inside:
    """What lies in a state, by resource address and place among its instances, as
    :class:`~kumoss_console.model.state.document.ResourceRow` has them. ``raw`` is the document as it lies there.

    Prepared at the first question, which is CPU work for large documents: :meth:`prepare` off the event loop.
    """

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._objects: dict[str, list[Held]] | None = None
        self._outputs: dict[str, Held] = {}

    @cached_property
    def text(self) -> bytes:
        """The document as JSON, repaired where that was needed; as it is where it is no JSON."""
        return legible(self._raw)

    @property
    def ready(self) -> bool:
        return self._objects is not None

    def prepare(self) -> None:
        if self._objects is None:
            self._objects = self._read()

    def object(self, address: str, place: int) -> Held | None:
        """The object at a place among those of a resource; ``None`` where the document cannot be read that far."""
        self.prepare()
        held = (self._objects or {}).get(address, [])
        return held[place] if place < len(held) else None

    def output(self, name: str) -> Held | None:
        self.prepare()
        return self._outputs.get(name)

    def _read(self) -> dict[str, list[Held]]:
        try:
            body, _ = repair.decode(self.text, _Body)
        except msgspec.DecodeError:
            return {}
        outputs: dict[str, Raw] = {}
        for module in body.modules or ():
            if module.path == ["root"]:
                outputs |= module.outputs or {}
        outputs |= body.outputs or {}
        shared = copies_of(outputs)
        found: dict[str, list[Held]] = {}
        for address, type_, raw in _objects(body):
            found.setdefault(address, []).append(Held(raw, type_, shared=shared))
        self._outputs = {name: Held(raw, output=name, shared=shared) for name, raw in outputs.items()}
        return found

    def __repr__(self) -> str:
        return f"Inside({len(self._raw)} bytes)"

    def __reduce__(self) -> str:
        raise TypeError("the values of a state do not travel")


def _objects(body: _Body) -> Iterator[tuple[str, str, Raw]]:
    """Address of the resource, its type, and an object of it as written."""
    for resource in body.resources or ():
        if resource.mode in ("managed", "data"):
            address = resource_address(resource.module or "", resource.mode, resource.type or "", resource.name or "")
            yield from ((address, resource.type or "", raw) for raw in resource.instances or ())
    for module in body.modules or ():
        for key, old in (module.resources or {}).items():
            type_ = _type(old)
            where = read_key(module_address(module.path), key, type_).address
            yield from ((where, type_, raw) for raw in _old_objects(old))


def _type(resource: Mapping[str, Raw]) -> str:
    found = decode(bytes(resource["type"])) if "type" in resource else None
    return found if isinstance(found, str) else ""


def _old_objects(resource: Mapping[str, Raw]) -> Iterator[Raw]:
    primary = resource.get("primary")
    if primary is not None and bytes(primary) != b"null":
        yield primary
    deposed = resource.get("deposed")
    if deposed is not None and bytes(deposed) != b"null":
        with suppress(msgspec.DecodeError):  # of another type than the format's: engines refuse the state
            yield from repair.decode(bytes(deposed), list[Raw])[0]


def decode(raw: bytes) -> Any:
    """JSON with every digit of its numbers; what nests deeper than 200 is left out."""
    return repair.decode(raw)[0]
