"""``explain``: what an error text means."""

from __future__ import annotations

import codecs
from pathlib import Path

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.diagnosis_view import diagnosis_blocks
from kumoss_console.cli.given import GivenPath, read_given
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.errors import ExitCode
from kumoss_console.model.diagnosis import Diagnosis

# What Windows shells put before redirected text; without one of these it is UTF-8.
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@click.command(cls=SharedCommand)
@click.argument("file", type=GivenPath(), required=False)
@pass_session
def explain(session: Session, file: Path | None) -> ExitCode:
    """What the error text of an engine or a store means, what probably caused it, and what to do.

    Reads FILE, or stdin: output of Terraform or OpenTofu in any dress (coloured, framed, wrapped, -json), a job as JSON, or
    the few words somebody pasted into a chat. Asks no service. Ends with 1 where the text tells of an error, known
    or not.
    """
    from kumoss_console.services.jobs.explain import ExplainService

    if file is None and session.world.interactive:
        session.diagnostics.note("Paste the text, then press Ctrl-D.")
    raw = read_given(session.world, file or Path("-"), hint="Give the path of a text, or pipe it in.")
    explanation = ExplainService(session.world.environ).text(_decoded(raw))
    diagnosis = explanation.diagnosis
    return session.answer(
        Answer(
            data=explanation.as_data(),
            blocks=diagnosis_blocks(diagnosis),
            notes=_notes(diagnosis),
            exit_code=ExitCode.BAD_NEWS if diagnosis.tells_of_an_error else ExitCode.OK,
        )
    )


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
