"""Whose is a key that no known project has: asked of local clones and of every scope there is, the state's own included."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Severity
from kumoss_console.model.scopes import scopes_in
from kumoss_console.model.storedkey import project_id_of
from kumoss_console.model.twins import as_url
from kumoss_console.services.bucket.service import StateRow
from kumoss_console.services.keys.owner_search import OwnerSearch
from screens.base import ViewScreen
from screens.bucket.detail import Opened
from screens.subject import Subject

WHY_GROUP = "bucket.why"
TOLD_EVERY = 2.0
"""Seconds between two words about a search that is under way."""


def _whose(opened: Opened | None, row: StateRow | None) -> tuple[KnownProject | None, str | None]:
    """The owner, and the id that begins the key, of what is open, else of the row under the cursor."""
    if opened is not None:
        return opened.owner, project_id_of(opened.key)
    return (row.owner, row.project_id) if row is not None else (None, None)


def has_owner(opened: Opened | None, row: StateRow | None) -> bool:
    """Whether there is an owner to show, or to search."""
    return _whose(opened, row) != (None, None)


async def why(screen: ViewScreen, opened: Opened | None, row: StateRow | None) -> None:
    """Open the Key view with the owner of what is open, else of the row; an owner that nobody named is searched first."""
    owner, project_id = _whose(opened, row)
    if owner is not None:
        screen.console.subject = Subject(owner.repo, owner.scope, owner.path)
        await screen.console.open_view("key")
    elif project_id is not None:
        state = opened.detail.state if opened is not None and opened.detail is not None else None
        identifiers = (state.ids or state.recovered_ids) if state is not None else ()
        screen.start(partial(search_owner, screen, project_id, identifiers), group=WHY_GROUP)


async def search_owner(screen: ViewScreen, project_id: str, identifiers: Sequence[str]) -> None:
    """Search, telling how far it is, and open the Key view with what was found. ``identifiers`` are the state's resources'."""
    scopes = [found.scope for found in scopes_in(identifiers)]
    done = OwnerSearch()
    loop = asyncio.get_running_loop()
    told = loop.time()
    async for done in screen.services.owner_search.stream(project_id, (), scopes):
        # Each line is kept in the log: what comes ten times a second must not fill it.
        if loop.time() - told >= TOLD_EVERY:
            told = loop.time()
            screen.console.flash(progress(done))
    if not done.matches:
        screen.console.flash(nobody(done), Severity.WARNING)
        return
    match = done.matches[0]
    screen.console.subject = Subject(as_url(match.repo), match.scope, match.path)
    await screen.console.open_view("key")
    screen.console.flash(f"found by {match.source}")


def progress(search: OwnerSearch) -> str:
    """One line about a search that is under way."""
    if search.stage == "clones":
        return f"searching the owner: {search.clones:,} clones, {search.repositories:,} repositories so far"
    return f"searching the owner: {search.tried:,} of {search.total:,} candidates tried"


def nobody(search: OwnerSearch) -> str:
    """What was tried in vain, and what would add to it."""
    return (
        f"none of {search.tried:,} candidates has this key ({search.repositories:,} repositories, "
        f"{len(search.scopes):,} scopes): console.clones and console.scopes add to them"
    )
