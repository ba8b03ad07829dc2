"""``key``: the state key of a project, or the project of a state key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.key_view import explanation_blocks, what_if_blocks
from kumoss_console.cli.output import Answer
from kumoss_console.cli.owner_lookup import look_up
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for
from kumoss_console.errors import ConsoleError, ExitCode, InputError

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from kumoss_console.services.keys.service import KeyExplanation, ObjectFact


@dataclass(frozen=True, slots=True)
class _Change:
    """What ``--what-if-…`` gave; ``None`` leaves a field as it is."""

    repo: str | None
    scope: str | None
    path: str | None

    @property
    def given(self) -> bool:
        return not (self.repo is None and self.scope is None and self.path is None)


@click.command(cls=SharedCommand)
@click.option("--repo", metavar="URL", help="The repository's https URL.")
@click.option("--scope", "scopes", multiple=True, metavar="ID", help="Subscription, project or account; --owner takes several.")
@click.option("--path", default="", metavar="PATH", help="The root module's folder in the repository.")
@click.option("--check", is_flag=True, help="Look into the store; with --owner, for the scopes that the state names.")
@click.option("--what-if-repo", metavar="URL", help="Beside it, the key with this repository instead.")
@click.option("--what-if-scope", metavar="ID", help="Beside it, the key with this scope instead.")
@click.option("--what-if-path", metavar="PATH", help="Beside it, the key with this path instead.")
@click.option("--owner", metavar="KEY_OR_DIGEST", help="Whose key is this, among known projects and local clones.")
@click.option(
    "--clones",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="For --owner: try the clones below this folder, times every known scope.",
)
@pass_session
def key(
    session: Session,
    repo: str | None,
    scopes: tuple[str, ...],
    path: str,
    check: bool,
    what_if_repo: str | None,
    what_if_scope: str | None,
    what_if_path: str | None,
    owner: str | None,
    clones: tuple[Path, ...],
) -> ExitCode:
    """The state key of a repository, scope and path: each step with what it dropped, and near-twins that have other keys.

    --what-if-repo, --what-if-scope and --what-if-path change one input beside it: a renamed repository, another scope, a module
    that moved. With --check the answer says what exists at the old key and at the new one.

    With --owner the other way round: the known projects, then the clones below --clones (and those that console.clones names)
    times every scope that is known or given. Ends with 1 where none of them has that key.
    """
    change = _Change(what_if_repo, what_if_scope, what_if_path)
    if owner is not None:
        if repo is not None or path or change.given:
            raise InputError("--owner needs no project", hint="Leave out --repo, --path and --what-if-….", code="usage")
        return look_up(session, owner, clones=clones, scopes=scopes, infer=check)
    if clones or len(scopes) > 1:
        raise InputError("--clones and several --scope belong to --owner", hint="Give --owner KEY, or one --scope.", code="usage")
    scope = next(iter(scopes), None)
    missing = [option for option, value in (("--repo", repo), ("--scope", scope)) if value is None]
    if repo is None or scope is None:
        raise InputError(f"key needs {' and '.join(missing)}", hint="Or --owner with a key, for the way back.", code="usage")
    return _explain(session, session.services.keys.explain(repo, scope, path), change, (repo, scope, path), check=check)


def _explain(
    session: Session, explanation: KeyExplanation, change: _Change, typed: tuple[str, str, str], *, check: bool
) -> ExitCode:
    keys = session.services.keys
    changed = tuple(old if new is None else new for old, new in zip(typed, (change.repo, change.scope, change.path), strict=True))
    what_if = keys.what_if(explanation, *changed) if change.given else None
    more = (what_if.after.object_key,) if what_if else ()
    facts: tuple[ObjectFact, ...] = ()
    error: ConsoleError | None = None
    if check:
        try:
            facts = session.run(lambda services: _check(services, explanation, more))
        except ConsoleError as failed:
            error, facts = failed, _unknown(explanation, more, failed)
    by_key = {fact.object_key: fact for fact in facts}
    now = session.world.clock()
    verdict = (what_if.verdict(by_key),) if what_if else ()
    code = exit_code_for((*explanation.findings, *verdict))
    here = by_key.get(explanation.object_key)
    if here is not None and here.status == "unknown" and code is ExitCode.OK:
        code = ExitCode.UNREACHABLE
    data = explanation.as_data(facts if check else None, now=now)
    answer = Answer(
        data={**data, "what_if": what_if.as_data(by_key, now=now)} if what_if else data,
        blocks=[*explanation_blocks(explanation, by_key), *(what_if_blocks(what_if, by_key) if what_if else ())],
        exit_code=code,
    )
    return session.answer(answer) if error is None else session.broken_off(answer, error)


def _unknown(explanation: KeyExplanation, more: tuple[str, ...], error: ConsoleError) -> tuple[ObjectFact, ...]:
    """The key needs no store: what lies there is unknown, and why is said."""
    from kumoss_console.services.asking.objectfact import ObjectFact

    keys = dict.fromkeys((explanation.object_key, *explanation.twin_keys, *more))
    return tuple(ObjectFact(object_key=key, status="unknown", detail=error.title) for key in keys)


async def _check(services: Services, explanation: KeyExplanation, more: tuple[str, ...]) -> tuple[ObjectFact, ...]:
    return await services.keys.check(explanation, *more)
