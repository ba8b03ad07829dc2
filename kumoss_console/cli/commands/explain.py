"""``explain``: what an error text means."""

from __future__ import annotations

import codecs
from pathlib import Path

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.diagnosis_view import diagnosis_blocks
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for
from kumoss_console.errors import ExitCode, InputError
from kumoss_console.model.diagnosis import Diagnosis
from kumoss_console.text import printable

# What Windows shells put before redirected text; without one of these it is UTF-8.
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@click.command(cls=SharedCommand)
@click.argument("file", required=False)
@pass_session
def explain(session: Session, file: str | None) -> ExitCode:
    """What the error text of an engine or a store means, what probably caused it, and what to do.

    Reads FILE, or stdin: output of Terraform or OpenTofu in any dress (coloured, framed, wrapped, -json), a job as JSON, or
    the few words somebody pasted into a chat. Asks no service. Ends with 1 where the text tells of an error.
    """
    from kumoss_console.services.explain import ExplainService

    if file is None and session.world.interactive:
        session.diagnostics.note("Paste the text, then press Ctrl-D.")
    raw = session.world.stdin.read() if file in {None, "-"} else _read(session.world.cwd / str(file))
    explanation = ExplainService(session.world.environ).text(_decoded(raw))
    diagnosis = explanation.diagnosis
    return session.answer(
        Answer(
            data=explanation.as_data(),
            blocks=diagnosis_blocks(diagnosis),
            notes=_notes(diagnosis),
            exit_code=exit_code_for(diagnosis.findings),
        )
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{printable(str(path))} cannot be read: {said}",
            hint="Give the path of a text, or pipe it in.",
            code="input.unreadable_file",
        ) from None


def _decoded(raw: bytes) -> str:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding, "replace")
    return raw.decode("utf-8", "replace")


def _notes(diagnosis: Diagnosis) -> tuple[str, ...]:
    if not diagnosis.text_lines:
        return ("There was no text to explain.",)
    if diagnosis.unknown:
        return (
            "Unknown does not mean harmless: read the text itself. A rule of your own teaches the console (docs/diagnosis.md).",
        )
    return ()
