"""``override``: the backend override that the core would write, shown or put into a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Block, Text
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.given import GivenPath
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for, finding_text, findings_data
from kumoss_console.errors import ConsoleError, ExitCode
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.services.backend.override import OverridePreview

if TYPE_CHECKING:
    from kumoss_console.services.backend.proof import WorkspaceProof
    from kumoss_console.services.build import Services


@click.command(cls=SharedCommand)
@click.option("--repo", required=True, metavar="URL", help="The repository's https URL.")
@click.option("--scope", required=True, metavar="ID", help="Subscription, project or account id.")
@click.option("--path", default="", metavar="PATH", help="The root module's folder in the repository.")
@click.option("--reveal", is_flag=True, help="Show the keys that are in it instead of a mask.")
@click.option(
    "--workspace",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Hold it against this workspace: does it win, what does it erase, what is on disk.",
)
@click.option("--engine", metavar="terraform|tofu", help="The engine that runs in DIR; a version may follow: tofu@1.8.")
@click.option("--write", "folder", type=GivenPath(), metavar="DIR", help="Write it into this workspace.")
@click.option(
    "--confirm",
    metavar="NAME",
    help="The workspace folder's name, for --write; NAME=PATH where its clone says that it is another project.",
)
@pass_session
def override(
    session: Session,
    repo: str,
    scope: str,
    path: str,
    reveal: bool,
    workspace: Path | None,
    engine: str | None,
    folder: Path | None,
    confirm: str | None,
) -> ExitCode:
    """The backend_override.tf that the core would write for a project, and what is wrong with it.

    stdout is the file itself, with its keys masked unless --reveal; what there is to say about it goes to stderr. --workspace
    adds the proof: whether it reads back as meant, sorts last and wins there, what it erases, and a diff that masks both sides.
    --write puts the real file into a workspace and wants --confirm with that folder's name, or the name typed on a terminal.
    The same proof is made before and after: a file that would decide nothing there is not written.
    """
    if folder is not None:
        session.refuse_read_only("Writing an override")
    preview = session.services.backend.preview(repo, scope, path)
    found = None if workspace is None else _prove(session, preview, session.world.cwd / workspace, engine)
    written = after = None
    if folder is not None:
        target = session.world.cwd / folder
        written = _write(session, preview, target, confirm, engine)
        after = _prove(session, preview, target, engine)
    findings = (*preview.findings, *_of(found), *(one for one in _of(after) if one not in _of(found)))
    data = {
        **preview.as_data(reveal=reveal),
        "findings": findings_data(findings),
        "written": written,
        "proof": shown.as_data() if (shown := found or after) else None,
    }
    return session.answer(
        Answer(
            data=data,
            blocks=[*_blocks(preview, reveal), *(_proof_blocks(found) if found else ())],
            notes=_notes(preview, reveal, written, after),
            exit_code=exit_code_for(findings),
        )
    )


def _prove(session: Session, preview: OverridePreview, folder: Path, engine: str | None) -> WorkspaceProof:
    async def proved(services: Services) -> WorkspaceProof:
        return await services.override_proof.prove(preview, folder, engine=engine)

    return session.run(proved)


def _of(found: WorkspaceProof | None) -> tuple[Finding, ...]:
    return () if found is None else found.findings


def _proof_blocks(found: WorkspaceProof) -> list[Block]:
    from kumoss_console.cli.proof_view import proof_blocks

    return proof_blocks(found)


def _write(session: Session, preview: OverridePreview, folder: Path, confirm: str | None, engine: str | None) -> Path:
    from kumoss_console.services.backend.proof import refuse_in_vain

    session.services.backend.writable(preview, folder)
    before = _prove(session, preview, folder, engine)
    refuse_in_vain(before)
    name = folder.resolve().name or str(folder)
    target = folder / preview.filename
    verb = "replaces" if target.exists() else "creates"
    warned, foreign = _other_key(session, preview, folder)
    consequence = f"This {verb} {target}, keys in clear text: the next init there binds to {preview.object_key}.{foreign}{warned}"
    consequence += "".join(f" {loss.message[:1].upper()}{loss.message[1:]}." for loss in before.proof.losses)
    subject = f"{name}={preview.key.path or '.'}" if foreign else name
    session.confirm(subject=subject, consequence=consequence, given=confirm)
    return session.services.backend.write(preview, folder)


def _other_key(session: Session, preview: OverridePreview, folder: Path) -> tuple[str, str]:
    """Two sentences, empty where there is nothing to say: which key the workspace has so far and what lies there, and why the
    folder is not that of the project at all."""

    async def traced(services: Services) -> tuple[str, str]:
        try:
            found = await services.trace.trace(folder=folder)
        except ConsoleError as error:
            return f" Which key it has so far could not be looked at: {error.title}.", ""
        return held_otherwise(found, preview.object_key), not_this_folders(found, preview.key)

    from kumoss_console.model.trace.rewriting import held_otherwise, not_this_folders

    return session.run(traced)


def _blocks(preview: OverridePreview, reveal: bool) -> list[Block]:
    text = preview.content.reveal() if reveal and preview.content is not None else preview.masked
    return [] if text is None else [Text(text)]


def _notes(preview: OverridePreview, reveal: bool, written: Path | None, after: WorkspaceProof | None) -> tuple[str, ...]:
    notes = [finding_text(finding) for finding in preview.findings if finding.severity is not Severity.INFO or not preview.masked]
    if preview.hides and not reveal:
        notes.append("Keys are masked: --reveal shows them.")
    if written is not None:
        notes.append(f"Written: {written}")
    notes += [finding_text(finding) for finding in _of(after)]
    return tuple(notes)
