"""``state show``: one state of the bucket, or a document at hand."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumoss_console.cli.blocks import Block, Cell
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.given import GivenPath, read_given
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for, project_text
from kumoss_console.cli.state_view import document_blocks
from kumoss_console.cli.statekeys import exact_key, missing_is_news
from kumoss_console.errors import ExitCode, InputError
from kumoss_console.model.moment import iso

if TYPE_CHECKING:
    from datetime import datetime

    from kumoss_console.services.bucket.service import StateDetail
    from kumoss_console.services.build import Services
    from kumoss_console.services.states.detail import OpenedState


@click.command(cls=SharedCommand)
@click.argument("key", required=False)
@click.option("--file", type=GivenPath(), metavar="FILE", help="A document at hand instead; - is stdin.")
@click.option("--address", metavar="ADDRESS", help="The attributes at an address alone, or output.NAME.")
@click.option("--search", metavar="TEXT", help="Where TEXT is: addresses, identifiers, attributes and values; never masked ones.")
@click.option("--raw", is_flag=True, help="The document itself as JSON, masked.")
@click.option("--reveal", is_flag=True, help="Print what is masked: sensitive values, on purpose.")
@pass_session
def show(
    session: Session, key: str | None, file: Path | None, address: str | None, search: str | None, raw: bool, reveal: bool
) -> ExitCode:
    """One state of the bucket: serial, lineage, engine, resources, outputs, providers, check results and its lock.

    What is sensitive, repeats something sensitive or reads like a secret is masked. KEY is an object key, or a project id alone.
    With --file a state, a lock or another document of at most 512 MiB is read from disk, and no service is asked. Ends with 1
    where something is wrong with it, and where the store has no such object.
    """
    if (key is None) == (file is None):
        raise InputError("state show wants a KEY or --file FILE, one of them", hint="state list shows the keys.", code="usage")
    if sum((address is not None, search is not None, raw)) > 1:
        raise InputError("--address, --search and --raw are three different questions", hint="Ask one of them.", code="usage")
    if search is not None and (reveal or not search):
        why = "nothing that is masked is ever searched" if reveal else "there is nothing to search for"
        raise InputError(f"--search cannot do this: {why}", hint="--address ADDRESS --reveal shows a value.", code="usage")
    if address is not None and not address.strip():
        raise InputError(
            "--address names nothing", hint="state show KEY lists the addresses; output.NAME is one, too.", code="usage"
        )
    opened = _of_file(session, file) if file is not None else _of_key(session, key or "")
    return session.answer(_answer(session, opened, address=address, search=search, raw=raw, reveal=reveal))


def _of_file(session: Session, file: Path) -> OpenedState:
    from kumoss_console.services.states.detail import opened_file

    raw = read_given(session.world, file, hint="Give the path of a state, a lock or another document; - reads stdin.")
    return opened_file(str(file), raw, session.world.clock())


def _of_key(session: Session, asked: str) -> OpenedState:
    key = exact_key(session, asked)
    return missing_is_news(lambda: session.run(lambda services: _opened(services, key)))


async def _opened(services: Services, key: str) -> OpenedState:
    return await services.state_detail.open(key)


def _answer(session: Session, opened: OpenedState, *, address: str | None, search: str | None, raw: bool, reveal: bool) -> Answer:
    """The whole state, or the part of it that was asked for: ``data`` always has the state, and beside it that part."""
    from kumoss_console.cli import state_inside as inside

    now = session.world.clock()
    if reveal and address is None:
        opened = replace(opened, document=replace(opened.document, outputs=inside.revealed_outputs(opened)))
    data = _data(opened, now)
    notes: tuple[str, ...] = ()
    if address is not None:
        chosen = inside.choose(opened, address)
        data["selected"] = inside.chosen_shape(chosen, reveal=reveal)
        blocks: list[Block] = inside.chosen_blocks(chosen, reveal=reveal)
    elif search is not None:
        found = inside.found_in(opened, search)
        data["search"] = {"text": search, "found": found}
        blocks, notes = inside.found_blocks(found), (inside.found_note(found, search),)
    elif raw:
        text = inside.raw_text(opened, reveal=reveal)
        data["document"] = inside.raw_shape(text) if session.output.json else None
        blocks = inside.raw_blocks(text)
    else:
        blocks = _blocks(opened, now)
    return Answer(data=data, blocks=blocks, notes=notes, exit_code=exit_code_for(opened.findings))


def _data(opened: OpenedState, now: datetime) -> dict[str, Any]:
    from kumoss_console.model.state import state_shape
    from kumoss_console.services.bucket.shape import detail_shape

    if opened.detail is None:
        return {**state_shape(opened.document, now), "file": opened.file}
    data = detail_shape(opened.detail, now)
    return data | {"outputs": [asdict(output) for output in opened.document.outputs]}


def _blocks(opened: OpenedState, now: datetime) -> list[Block]:
    if opened.detail is None:
        about: list[tuple[str, Cell | str]] = [("file", opened.file)]
        return document_blocks(opened.document, opened.findings, about=about, lock=None, now=now)
    return document_blocks(opened.document, opened.findings, about=_about(opened.detail), lock=opened.detail.lock, now=now)


def _about(detail: StateDetail) -> list[tuple[str, Cell | str]]:
    return [
        ("key", detail.info.key),
        ("owner", project_text(detail.owner) if detail.owner else Cell("unknown", "dim")),
        ("size", f"{detail.info.size:,} bytes"),
        ("modified", iso(detail.info.modified) if detail.info.modified else "-"),
        ("lock", Cell(detail.lock_status, "warn" if detail.lock_status == "locked" else "plain")),
    ]
