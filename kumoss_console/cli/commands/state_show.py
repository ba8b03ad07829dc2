"""``state show``: one state of the bucket, or a document at hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Cell
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.given import GivenPath, read_given
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for, project_text
from kumoss_console.cli.state_view import document_blocks
from kumoss_console.errors import ConsoleError, ExitCode, InputError, NotFound
from kumoss_console.model.moment import iso
from kumoss_console.model.objectkey import typed_key

if TYPE_CHECKING:
    from kumoss_console.services.bucket import StateDetail
    from kumoss_console.services.build import Services

_DIGEST = re.compile(r"[0-9a-f]{64}")


@click.command(cls=SharedCommand)
@click.argument("key", required=False)
@click.option("--file", type=GivenPath(), metavar="FILE", help="A document at hand instead; - is stdin.")
@pass_session
def show(session: Session, key: str | None, file: Path | None) -> ExitCode:
    """One state of the bucket: serial, lineage, engine, resources, outputs and its lock. Sensitive outputs are masked.

    KEY is an object key, or a project id alone. With --file a state, a lock or another document of at most 512 MiB is read
    from disk, and no service is asked. Ends with 1 where something is wrong with it, and where the store has no such object.
    """
    if (key is None) == (file is None):
        raise InputError("state show wants a KEY or --file FILE, one of them", hint="state list shows the keys.", code="usage")
    return _show_file(session, file) if file is not None else _show_key(session, key or "")


def _show_file(session: Session, file: Path) -> ExitCode:
    from kumoss_console.model.state import parse_state, state_shape

    raw = read_given(session.world, file, hint="Give the path of a state, a lock or another document; - reads stdin.")
    now = session.world.clock()
    document = parse_state(raw, name=file.name)
    return session.answer(
        Answer(
            data={**state_shape(document, now), "file": str(file)},
            blocks=document_blocks(document, document.findings, about=[("file", str(file))], lock=None, now=now),
            exit_code=exit_code_for(document.findings),
        )
    )


def _show_key(session: Session, asked: str) -> ExitCode:
    from kumoss_console.services.bucketshape import detail_shape, lock_findings

    filename = session.services.context.storage.terraform_state_filename
    key = typed_key(f"{asked}/{filename}" if _DIGEST.fullmatch(asked) else asked)
    try:
        detail = session.run(lambda services: _detail(services, key))
    except NotFound as error:
        # The store was asked and has answered: bad news, not a store that could not be reached.
        raise ConsoleError(error.title, detail=error.detail, hint=error.hint, code=error.code) from None
    now = session.world.clock()
    findings = (*detail.state.findings, *lock_findings(detail))
    about: list[tuple[str, Cell | str]] = [
        ("key", detail.info.key),
        ("owner", project_text(detail.owner) if detail.owner else Cell("unknown", "dim")),
        ("size", f"{detail.info.size:,} bytes"),
        ("modified", iso(detail.info.modified) if detail.info.modified else "-"),
        ("lock", Cell(detail.lock_status, "warn" if detail.lock_status == "locked" else "plain")),
    ]
    return session.answer(
        Answer(
            data=detail_shape(detail, now),
            blocks=document_blocks(detail.state, findings, about=about, lock=detail.lock, now=now),
            exit_code=exit_code_for(findings),
        )
    )


async def _detail(services: Services, key: str) -> StateDetail:
    return await services.bucket.detail(key)
