"""``key``: the state key of a project, or the project of a state key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Tone
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for, findings_blocks, heading, project_data, project_text
from kumoss_console.errors import ExitCode, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kumoss_console.services.build import Services
    from kumoss_console.services.keys import KeyExplanation, ObjectFact

_STEPS = (Column("FIELD"), Column("STEP", "end"), Column("DROPPED", "end"), Column("GIVES", "middle"))
_TWINS = (Column("TWIN", "end"), Column("KEY", "middle"), Column("OBJECT", "end"))
_TONES: dict[str, Tone] = {"present": "warn", "absent": "dim", "unknown": "warn"}


@click.command(cls=SharedCommand)
@click.option("--repo", metavar="URL", help="The repository's https URL.")
@click.option("--scope", metavar="ID", help="Subscription, project or account id.")
@click.option("--path", default="", metavar="PATH", help="The root module's folder in the repository.")
@click.option("--check", is_flag=True, help="Look the key and its twins up in the store.")
@click.option("--owner", metavar="KEY_OR_DIGEST", help="Whose key is this, among the known projects.")
@pass_session
def key(session: Session, repo: str | None, scope: str | None, path: str, check: bool, owner: str | None) -> ExitCode:
    """The state key of a repository, scope and path: each step with what it dropped, and near-twins that have other keys.

    With --owner the other way round; ends with 1 where no known project has that key.
    """
    if owner is not None:
        if repo is not None or scope is not None or path or check:
            raise InputError("--owner stands alone", hint="Leave out --repo, --scope, --path and --check.", code="usage")
        return _owner(session, owner)
    missing = [option for option, value in (("--repo", repo), ("--scope", scope)) if value is None]
    if repo is None or scope is None:
        raise InputError(f"key needs {' and '.join(missing)}", hint="Or --owner with a key, for the way back.", code="usage")
    return _explain(session, repo, scope, path, check)


def _owner(session: Session, asked: str) -> ExitCode:
    found = session.services.keys.owner_of(asked)
    data = {"asked": asked, "project_id": found and found.project_id, "owner": project_data(found.project if found else None)}
    if found is None:
        count = len(session.services.context.projects)
        note = f"None of the {count} known projects of context {session.services.context.name} has this key."
        return session.answer(Answer(data=data, notes=(note,), exit_code=ExitCode.BAD_NEWS))
    project = found.project
    pairs: list[tuple[str, Cell | str]] = [
        ("project", project_text(project)),
        ("repo", project.repo),
        ("scope", project.scope),
        ("path", project.path or Cell("(the repository's root)", "dim")),
        ("provider", project.provider.value if project.provider else "-"),
        ("project id", found.project_id),
    ]
    return session.answer(Answer(data=data, blocks=[Fields(pairs)]))


def _explain(session: Session, repo: str, scope: str, path: str, check: bool) -> ExitCode:
    explanation = session.services.keys.explain(repo, scope, path)
    facts = session.run(lambda services: _check(services, explanation)) if check else None
    by_key = {fact.object_key: fact for fact in facts or ()}
    code = exit_code_for(explanation.findings)
    here = by_key.get(explanation.object_key)
    if here is not None and here.status == "unknown" and code is ExitCode.OK:
        code = ExitCode.UNREACHABLE
    return session.answer(
        Answer(
            data=explanation.as_data(facts, now=session.world.clock()),
            blocks=_blocks(explanation, by_key),
            exit_code=code,
        )
    )


async def _check(services: Services, explanation: KeyExplanation) -> tuple[ObjectFact, ...]:
    return await services.keys.check(explanation)


def _blocks(explanation: KeyExplanation, facts: Mapping[str, ObjectFact]) -> list[Block]:
    found = explanation.key
    pairs: list[tuple[str, Cell | str]] = [
        ("project id", Cell(found.project_id, "good")),
        ("key", explanation.object_key),
        ("bucket", explanation.bucket or Cell("none: managed state is off", "warn")),
        *([("url", Cell(explanation.url))] if explanation.url else []),
        *([("object", _object(facts[explanation.object_key]))] if explanation.object_key in facts else []),
    ]
    steps = [(step.field, step.rule, ", ".join(step.dropped), step.after) for step in found.steps]
    twins = [
        (twin.why, key, _object(facts[key]) if key in facts else Cell("not looked up", "dim"))
        for twin, key in zip(explanation.twins, explanation.twin_keys, strict=True)
    ]
    blocks: list[Block] = [Fields(pairs)]
    if steps:
        blocks += [heading("How it came about"), Table(_STEPS, steps)]
    blocks += [heading("Hashed, line by line"), Fields(_numbered(found.hashed))]
    if twins:
        blocks += [heading("Near-twins, each with another key"), Table(_TWINS, twins)]
    return [*blocks, *findings_blocks(explanation.findings)]


def _numbered(hashed: str) -> list[tuple[str, Cell | str]]:
    return [(str(number), line or Cell("(empty)", "dim")) for number, line in enumerate(hashed.split("\n"), start=1)]


def _object(fact: ObjectFact) -> Cell:
    parts: list[str] = [fact.status]
    if fact.state is not None and fact.state.serial is not None:
        parts.append(f"serial {fact.state.serial}")
    if fact.size is not None:
        parts.append(f"{fact.size:,} bytes")
    if fact.lock_status == "locked":
        parts.append("locked")
    if fact.detail:
        parts.append(fact.detail)
    return Cell(" · ".join(parts), _TONES[fact.status])
