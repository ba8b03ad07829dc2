"""``key --owner``: the way back from a key, among the known projects, then among everything that is at hand."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import project_data, project_text
from kumoss_console.errors import ExitCode, InputError
from kumoss_console.model.twins import as_url
from kumoss_console.text import printable

if TYPE_CHECKING:
    from kumoss_console.model.ownerhash import Match
    from kumoss_console.model.scopes import InferredScope
    from kumoss_console.services.build import Services
    from kumoss_console.services.keys.owner_search import OwnerSearch
    from kumoss_console.services.keys.service import KnownOwner

_TOLD_EVERY = 2.0
"""Seconds between two lines about a search that is under way."""

_MATCHES = (Column("REPOSITORY", "middle"), Column("SCOPE", "middle"), Column("PATH", "end"), Column("PROJECT ID", "middle"))


def look_up(session: Session, asked: str, *, clones: Sequence[Path], scopes: Sequence[str], infer: bool) -> ExitCode:
    """Print whose key it is. Ends with 1 where nobody that is at hand has it.

    ``infer`` reads the state at the key for the scopes that its resources name.
    """
    known = session.services.keys.owner_of(asked)
    if known is not None:
        return session.answer(Answer(data=_data(asked, known, None, ()), blocks=[_known(known)]))
    folders = [_folder(session.world.cwd / folder) for folder in clones]
    search, inferred = session.run(lambda services: _search(session, services, asked, folders, scopes, infer=infer))
    return session.answer(
        Answer(
            data=_data(asked, None, search, inferred),
            blocks=_found(search.matches),
            notes=_notes(session, search, inferred),
            exit_code=ExitCode.OK if search.matches else ExitCode.BAD_NEWS,
        )
    )


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise InputError(
            f"{printable(str(path))} is not a folder", hint="Give a folder below which clones lie.", code="clones.missing"
        )
    return path


async def _search(
    session: Session, services: Services, asked: str, folders: Sequence[Path], scopes: Sequence[str], *, infer: bool
) -> tuple[OwnerSearch, tuple[InferredScope, ...]]:
    from kumoss_console.services.keys.owner_search import OwnerSearch

    inferred = await services.keys.scopes_at(asked) if infer else ()
    state = OwnerSearch()
    told = time.monotonic()
    async for state in services.owner_search.stream(asked, folders, (*scopes, *(one.scope for one in inferred))):
        if time.monotonic() - told >= _TOLD_EVERY:
            told = time.monotonic()
            session.diagnostics.note(_progress(state))
    return state, inferred


def _progress(state: OwnerSearch) -> str:
    if state.stage == "clones":
        return f"{state.clones:,} clones found, {state.repositories:,} repositories"
    return f"{state.tried:,} of {state.total:,} candidates tried"


def _data(asked: str, known: KnownOwner | None, search: OwnerSearch | None, inferred: Sequence[InferredScope]) -> dict[str, Any]:
    matches = [_match_data(match) for match in search.matches] if search else []
    only = matches[0] if len(matches) == 1 else None
    found = None if only is None else {"name": "", "provider": None, **{key: only[key] for key in ("repo", "scope", "path")}}
    return {
        "asked": asked,
        "project_id": known.project_id if known else only and only["project_id"],
        "owner": project_data(known.project) if known else found,
        "matches": matches,
        "search": search
        and {
            "clones": search.clones,
            "repositories": search.repositories,
            "scopes": list(search.scopes),
            "inferred": [asdict(one) for one in inferred],
            "candidates": search.tried,
            "stopped": search.stopped,
            "unreadable": list(search.unreadable),
        },
    }


def _match_data(match: Match) -> dict[str, str]:
    return {
        "project_id": match.project_id,
        "repo": as_url(match.repo),
        "scope": match.scope,
        "path": match.path,
        "source": match.source,
    }


def _known(found: KnownOwner) -> Block:
    project = found.project
    pairs: list[tuple[str, Cell | str]] = [
        ("project", project_text(project)),
        ("repo", project.repo),
        ("scope", project.scope),
        ("path", _path(project.path)),
        ("provider", project.provider.value if project.provider else "-"),
        ("project id", found.project_id),
    ]
    return Fields(pairs)


def _found(matches: Sequence[Match]) -> list[Block]:
    if len(matches) != 1:
        return [Table(_MATCHES, [(as_url(one.repo), one.scope, _path(one.path), one.project_id) for one in matches])]
    (match,) = matches
    pairs: list[tuple[str, Cell | str]] = [
        ("repo", as_url(match.repo)),
        ("scope", match.scope),
        ("path", _path(match.path)),
        ("project id", match.project_id),
        ("found by", match.source),
    ]
    return [Fields(pairs)]


def _path(path: str) -> Cell | str:
    return path or Cell("(the repository's root)", "dim")


def _notes(session: Session, search: OwnerSearch, inferred: Sequence[InferredScope]) -> tuple[str, ...]:
    context = session.services.context
    notes = [f"Scope {one.scope} is named by {one.count:,} resources of the state." for one in inferred]
    if search.unreadable:
        notes.append(f"{len(search.unreadable)} folders could not be read, the first is {search.unreadable[0]}.")
    if not search.matches:
        notes.append(f"None of the {len(context.projects)} known projects of context {context.name} has this key.")
        notes.append(
            f"Tried: {search.tried:,} candidates, {search.repositories:,} repositories ({search.clones:,} clones) times "
            f"{len(search.scopes):,} scopes times their root modules."
        )
        notes.append("--clones DIR and --scope ID add to them; --check takes the scopes that the state itself names.")
    elif search.stopped and len(search.matches) > 1:
        notes.append("More candidates fit: give more digits.")
    return tuple(notes)
