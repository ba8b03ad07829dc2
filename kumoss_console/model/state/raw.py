"""A whole document as JSON to read, veiled, a piece at a time: nothing larger than one object is held twice.

Masking needs to know what a value is. Bytes that are no JSON are therefore not shown at all: a state cut off in the middle has
its secrets in clear, and nothing says where they are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from kumoss_console.model.state import repair
from kumoss_console.model.state.copies import NO_COPIES, Copies
from kumoss_console.model.state.document import StateDocument
from kumoss_console.model.state.inside import ENCODER, copies_of, decode, veiled_object, veiled_output
from kumoss_console.model.state.veil import veil
from kumoss_console.text import printable

_STEP = "  "
T = TypeVar("T")


def pretty(value: Any) -> str:
    """Veiled data as indented JSON."""
    return escaped(msgspec.json.format(ENCODER.encode(plain(value)), indent=len(_STEP)).decode())


def escaped(text: str) -> str:
    """JSON in which whatever a terminal would obey is written as JSON itself escapes it: the same document still."""
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(char if char.isascii() and char != "\x7f" else _escaped_char(char) for char in text)


@lru_cache(maxsize=4096)
def _escaped_char(char: str) -> str:
    if printable(char) == char:
        return char
    return "".join(f"\\u{unit:04x}" for unit in struct.unpack(">" + "H" * (1 + (ord(char) > 0xFFFF)), _utf16(char)))


def _utf16(char: str) -> bytes:
    return char.encode("utf-16-be", "surrogatepass")


def plain(value: Any) -> Any:
    """Without our own kinds of text, which the encoder does not know."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def document_pieces(text: bytes, document: StateDocument) -> Iterator[str]:
    """The document as indented JSON. ``text`` is what :func:`~kumoss_console.model.state.parse.legible` gives."""
    try:
        top, _ = repair.decode(text, dict[str, Raw])
    except msgspec.DecodeError:
        yield _no_object(text, document)
        return
    shared = copies_of(_outputs_of(top))
    yield "{"
    for number, (name, raw) in enumerate(top.items()):
        yield f"{',' if number else ''}\n{_STEP}{_json(name)}: "
        yield from _member(name, raw, shared)
    yield "\n}\n"


def _outputs_of(top: Mapping[str, Raw]) -> Mapping[str, Raw]:
    """The document's outputs, undecoded: its own, or those of the root module before format 4. None where they are no object."""
    found: dict[str, Raw] = {}
    for module in _read(top, "modules", list[dict[str, Raw]]) or ():
        if "path" in module and decode(bytes(module["path"])) == ["root"]:
            found |= _read(module, "outputs", dict[str, Raw]) or {}
    return {**found, **(_read(top, "outputs", dict[str, Raw]) or {})}


def _read(members: Mapping[str, Raw], name: str, type_: type[T]) -> T | None:
    try:
        return repair.decode(bytes(members[name]), type_)[0] if name in members else None
    except msgspec.DecodeError:
        return None


def _member(name: str, raw: Raw, shared: Copies) -> Iterator[str]:
    if name in {"resources", "outputs", "modules"}:
        try:
            if name == "outputs":
                yield from _outputs(raw, shared)
            elif name == "resources":
                yield from _list(raw, _resource, shared)
            else:
                yield from _list(raw, _module, shared)
        except msgspec.DecodeError:
            # Of another type than the format's: names alone can tell what is secret, and marks are not where they belong.
            yield '"(not shown: of another shape than a state has, so what is sensitive in it is not known)"'
        return
    yield _indented(pretty(veil(decode(bytes(raw)), name=name, shared=shared)), 1)


def _outputs(raw: Raw, shared: Copies) -> Iterator[str]:
    outputs = repair.decode(bytes(raw), dict[str, Raw] | None)[0] or {}
    yield "{"
    for number, (name, output) in enumerate(outputs.items()):
        shown = _indented(pretty(veiled_output(name, decode(bytes(output)), shared=shared)), 2)
        yield f"{',' if number else ''}\n{_STEP * 2}{_json(name)}: {shown}"
    yield f"\n{_STEP}}}" if outputs else "}"


def _list(raw: Raw, make: Any, shared: Copies) -> Iterator[str]:
    items = repair.decode(bytes(raw), list[dict[str, Raw]] | None)[0] or []
    yield "["
    for number, item in enumerate(items):
        yield f"{',' if number else ''}\n{_STEP * 2}{_indented(pretty(make(item, shared)), 2)}"
    yield f"\n{_STEP}]" if items else "]"


def _resource(members: dict[str, Raw], shared: Copies) -> dict[str, Any]:
    """A resource of format 4, each of its instances with its own marks."""
    shown: dict[str, Any] = {}
    told = decode(bytes(members["type"])) if "type" in members else None
    type_ = told if isinstance(told, str) else ""
    for name, raw in members.items():
        data = bytes(raw)
        value, here = decode(data), shared if shared.may_be_in(data) else NO_COPIES
        if name == "instances" and isinstance(value, list):
            shown[name] = [veiled_object(item, type_, shared=here) for item in value]
        else:
            shown[name] = veil(value, name=name, shared=here)
    return shown


def _module(members: dict[str, Raw], shared: Copies) -> dict[str, Any]:
    """A module of the formats before 4."""
    shown: dict[str, Any] = {}
    for name, raw in members.items():
        value = decode(bytes(raw))
        if name == "outputs" and isinstance(value, dict):
            shown[name] = {output: veiled_output(output, item, shared=shared) for output, item in value.items()}
        else:
            shown[name] = veil(value, name=name, shared=shared)
    return shown


def _no_object(text: bytes, document: StateDocument) -> str:
    """What can be shown of bytes that are no JSON object."""
    try:
        value = decode(text)
    except msgspec.DecodeError:
        what = document.reason or "not JSON"
        return f"{len(text):,} bytes are not shown: {what}. What in them is sensitive cannot be told, so nothing can be masked.\n"
    return f"{pretty(veil(value))}\n"


def _indented(text: str, levels: int) -> str:
    # A text inside JSON never holds a line feed itself.
    return text.replace("\n", "\n" + _STEP * levels)


def _json(name: str) -> str:
    return escaped(msgspec.json.encode(name).decode())
