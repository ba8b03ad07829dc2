"""``state show``: one state of the bucket, or a document at hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Cell
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.encode import iso
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for, project_text
from kumoss_console.cli.state_view import document_blocks
from kumoss_console.errors import ExitCode, InputError
from kumoss_console.text import printable

if TYPE_CHECKING:
    from kumoss_console.services.bucket import StateDetail
    from kumoss_console.services.build import Services

_DIGEST = re.compile(r"[0-9a-f]{64}")


@click.command(cls=SharedCommand)
@click.argument("key", required=False)
@click.option("--file", metavar="FILE", help="A document at hand instead; - is stdin.")
@pass_session
def show(session: Session, key: str | None, file: str | None) -> ExitCode:
    """One state of the bucket: serial, lineage, engine, resources, outputs and its lock. Sensitive outputs are masked.

    KEY is an object key, or a project id alone. With --file a state, a lock or another document is read from disk, and no
    service is asked. Ends with 1 where something is wrong with it.
    """
    if (key is None) == (file is None):
        raise InputError("state show wants a KEY or --file FILE, one of them", hint="state list shows the keys.", code="usage")
    return _show_file(session, file) if file is not None else _show_key(session, key or "")


def _show_file(session: Session, file: str) -> ExitCode:
    from kumoss_console.model.state import parse_state, state_shape

    raw = session.world.stdin.read() if file == "-" else _read(session.world.cwd / file)
    now = session.world.clock()
    document = parse_state(raw, name=Path(file).name)
    return session.answer(
        Answer(
            data={**state_shape(document, now), "file": file},
            blocks=document_blocks(document, document.findings, about=[("file", file)], lock=None, now=now),
            exit_code=exit_code_for(document.findings),
        )
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{printable(str(path))} cannot be read: {said}",
            hint="Give the path of a state, a lock or another document; - reads stdin.",
            code="input.unreadable_file",
        ) from None


def _show_key(session: Session, asked: str) -> ExitCode:
    from kumoss_console.services.bucketshape import detail_shape, lock_findings

    filename = session.services.context.storage.terraform_state_filename
    key = f"{asked}/{filename}" if _DIGEST.fullmatch(asked) else asked
    detail = session.run(lambda services: _detail(services, key))
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
