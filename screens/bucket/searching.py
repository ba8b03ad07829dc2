"""Whose is a key that no known project has: asked of local clones and of every scope there is, the state's own included."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kumoss_console.model.finding import Severity
from kumoss_console.model.scopes import scopes_in
from kumoss_console.model.twins import as_url
from kumoss_console.services.ownersearch import OwnerSearch
from screens.base import ViewScreen
from screens.subject import Subject

TOLD_EVERY = 2.0
"""Seconds between two words about a search that is under way."""


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
