"""Applies that the journal has of other workspaces which are bound to the very key that is traced: a state was written there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kumoss_console.errors import ConsoleError, Refused
from kumoss_console.model.duration import in_words
from kumoss_console.model.trace import Applied, Evidence, Holder
from kumoss_console.ports.journal import JobJournal
from kumoss_console.services.backend.lastinit import NEWEST
from kumoss_console.services.trace.holders import SECONDS, holders
from kumoss_console.services.trace.jobs import WRITING, last_apply
from kumoss_console.services.workspaces.service import WorkspaceListService

_MOST_FOLDERS = 20
"""Folders of applies in the journal that are looked into, newest first."""


async def applied_elsewhere(
    journal: Callable[[], JobJournal], listing: WorkspaceListService, evidence: Evidence, top: str | None, key: str
) -> tuple[Applied, ...]:
    """One sign, of the first such workspace; none where the journal cannot be read. An apply counts that came after its init."""
    try:
        opened = journal()
        jobs = await opened.jobs(evidence.context, NEWEST)
        folders = dict.fromkeys(job.workspace for job in jobs if job.kind in WRITING and job.workspace.startswith("/"))
        if not folders:
            return ()
        bound = {one.folder: one for one in await holders(listing, evidence, top, {key}) if one.bound}
        bound |= {one.folder: one for one in await _of_jobs(listing, [*folders][:_MOST_FOLDERS], key)}
        for one in bound.values():
            if one.folder == evidence.workspace:
                continue
            sign = await last_apply(opened, jobs, Path(one.folder))
            if sign is not None and sign.at is not None and (one.at is None or one.at <= sign.at):
                whose = f"of workspace {one.name}, which is bound to the same key,"
                words = sign.words.replace("of this workspace", whose, 1)
                return (replace(sign, words=f"{words} {in_words(evidence.now - sign.at)} ago", at=None),)
    except Refused:
        return ()
    return ()


async def _of_jobs(listing: WorkspaceListService, folders: list[str], key: str) -> tuple[Holder, ...]:
    """The same of folders that only the journal knows."""
    found: list[Holder] = []
    try:
        async with asyncio.timeout(SECONDS):
            for folder in folders:
                found += [
                    Holder(name=row.name, folder=folder, key=key, bound=True, at=row.at)
                    for row in await listing.inside(Path(folder))
                    if str(row.folder) == folder and row.bound is not None and row.bound.key == key
                ]
    except (TimeoutError, ConsoleError):
        return tuple(found)
    return tuple(found)
