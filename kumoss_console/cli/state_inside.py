"""What lies in a state as the command line shows it: one object or output, what a search finds, the whole document."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Text
from kumoss_console.cli.shapes import heading
from kumoss_console.errors import ConsoleError
from kumoss_console.model.state import OutputRow, StateDocument
from kumoss_console.model.state.inside import ENCODER, Held, Inside, decode
from kumoss_console.model.state.leaves import member, members, path_text
from kumoss_console.model.state.marks import Path
from kumoss_console.model.state.raw import document_pieces, escaped, plain
from kumoss_console.model.state.search import described, search
from kumoss_console.model.state.veil import at
from kumoss_console.services.states.detail import OpenedState
from kumoss_console.text import printable

_FOUND = (Column("FOUND", "middle"), Column("IN"), Column("VALUE", "end"))
_OUTPUT = "output."


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """One object of a resource, or one output, under the name it was asked for."""

    name: str
    held: Held


def choose(opened: OpenedState, asked: str) -> tuple[Chosen, ...]:
    """The objects at an address, a resource's all of them, or the output of ``output.NAME``.

    Raises :class:`ConsoleError` for an address that the state does not have, with the nearest one it has.
    """
    document, inside = opened.document, opened.inside
    if asked.startswith(_OUTPUT) and (held := inside.output(asked.removeprefix(_OUTPUT))) is not None:
        return (Chosen(name=asked, held=held),)
    found = [
        Chosen(name=row.address + (f" (deposed {row.deposed})" if row.deposed else ""), held=held)
        for resource in document.resources
        for place, row in enumerate(resource.instances)
        if asked in (resource.address, row.address) and (held := inside.object(resource.address, place)) is not None
    ]
    if found:
        return tuple(found)
    known = [row.address for resource in document.resources for row in resource.instances]
    known += [f"{_OUTPUT}{output.name}" for output in document.outputs]
    near = difflib.get_close_matches(asked, known[:20_000], n=1, cutoff=0.7)
    hint = f"Did you mean {printable(near[0])}?" if near else "state show without --address lists what there is."
    raise ConsoleError(f"The state has nothing at {printable(asked)}", hint=hint, code="state.no_such_address")


def chosen_blocks(chosen: tuple[Chosen, ...], *, reveal: bool) -> list[Block]:
    """The attributes of each, one a line; with ``reveal`` as they are written."""
    blocks: list[Block] = []
    for one in chosen:
        value = one.held.unveiled() if reveal else one.held.values()
        rows = members(value)
        pairs: list[tuple[str, Cell | str]] = [
            (printable(path_text(row.path)), Cell(_uncut(value, row.path, row.text, row.cut), "warn" if row.why else "plain"))
            for row in rows
        ]
        if not rows:
            pairs = [("value", member(value, ()).text)]
        blocks += [heading(one.name), Fields(pairs)]
    return blocks


def _uncut(value: Any, path: Path, text: str, cut: int) -> str:
    return ENCODER.encode(plain(at(value, path))).decode() if cut else text


def chosen_shape(chosen: tuple[Chosen, ...], *, reveal: bool) -> list[dict[str, Any]]:
    return [{"address": one.name, "values": as_json(one.held.unveiled() if reveal else one.held.values())} for one in chosen]


def as_json(value: Any) -> Any:
    """Decoded values as plain JSON data, without our own kinds of text; numbers exact."""
    return plain(value)


def found_in(opened: OpenedState, needle: str) -> list[dict[str, Any]]:
    """What holds ``needle``: each thing once, for the first reason there is. Masked values are not looked at."""
    document = opened.document
    rows = {row.address: row for row in document.resources}
    return [
        {
            "where": hit.where,
            "found": described(hit, rows),
            "subject": hit.subject,
            "path": path_text(hit.path) or None,
            "in": hit.by,
            "value": _value(opened.inside, document, hit.where, hit.subject, hit.place, hit.path),
        }
        for hit in search(document, opened.inside, needle)
        if hit is not None
    ]


def _value(inside: Inside, document: StateDocument, where: str, subject: str, place: int, path: Path) -> str | None:
    held = inside.object(subject, place) if where == "object" else inside.output(subject) if where == "output" else None
    return member(at(held.values(), path), path).text if held is not None and path else None


def found_blocks(found: list[dict[str, Any]]) -> list[Block]:
    return [Table(_FOUND, [(item["found"], item["in"], item["value"] or "") for item in found])] if found else []


def found_note(found: list[dict[str, Any]], needle: str) -> str:
    return f"{len(found):,} found for {printable(needle)}; masked values are not searched"


def raw_text(opened: OpenedState, *, reveal: bool) -> str:
    """The whole document, masked as JSON; with ``reveal`` as it is written."""
    if reveal:
        return escaped(opened.inside.text.decode(errors="replace"))
    return "".join(document_pieces(opened.inside.text, opened.document))


def raw_blocks(text: str) -> list[Block]:
    return [Text(text)]


def raw_shape(text: str) -> Any:
    """The document as data; as one text where it is no JSON."""
    try:
        return decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text


def revealed_outputs(opened: OpenedState) -> tuple[OutputRow, ...]:
    """The outputs with the values they have."""
    return tuple(_revealed(opened.inside, opened.document))


def _revealed(inside: Inside, document: StateDocument) -> Iterator[OutputRow]:
    for row in document.outputs:
        held = inside.output(row.name)
        yield row if held is None else replace(row, value=ENCODER.encode(held.unveiled()).decode())
