"""Picking one of the workspaces below the root: rows appear in the dialog as they are found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial

from kumoss_console.model.trace.wording import short
from kumoss_console.services.workspaces.service import WorkspaceRow, WorkspaceSnapshot
from screens.base import ViewScreen
from screens.dialogs.choose import ChooseDialog
from screens.durations import short as short_span
from screens.subject import NOTHING, Subject

LISTING = "workspaces"
"""The worker group of a listing."""


def pick_workspace(screen: ViewScreen, picked: Callable[[WorkspaceRow], None]) -> None:
    """Ask for a workspace; ``picked`` gets the row that was chosen. What stops the listing becomes the screen's banner."""
    screen.start(partial(_listed, screen, picked), group=LISTING)


async def _listed(screen: ViewScreen, picked: Callable[[WorkspaceRow], None]) -> None:
    rows: list[WorkspaceRow] = []
    dialog: ChooseDialog | None = None

    def answered(index: int | None) -> None:
        screen.workers.cancel_group(screen, LISTING)
        if index is not None:
            picked(rows[index])

    async for snapshot in screen.services.workspace_list.stream():
        # Rows are only ever added at the end, so an index stays what it was.
        rows[:] = snapshot.rows
        if snapshot.complete and not rows:
            if dialog is not None and dialog.is_attached:
                dialog.dismiss(None)
            screen.console.flash(f"no workspace below {snapshot.root}")
            return
        options = [choice(row, screen.now()) for row in rows]
        if dialog is None:
            dialog = ChooseDialog(f"Workspaces below {snapshot.root}", options, note=_note(snapshot))
            screen.app.push_screen(dialog, answered)
        elif dialog.is_attached:
            dialog.offer(options, note=_note(snapshot))


def _note(snapshot: WorkspaceSnapshot) -> str:
    return "" if snapshot.complete else f"{len(snapshot.rows)} in {snapshot.folders} folders, looking on…"


def choice(row: WorkspaceRow, now: datetime) -> tuple[str, str]:
    """A workspace in the list to choose from: its name, and what is bound in it."""
    bound = (
        short(row.bound.key or row.bound.type)
        if row.bound is not None
        else {"absent": "nothing bound"}.get(row.status, row.status)
    )
    age = f"{short_span(now - row.at)} ago" if row.at is not None else ""
    differs = "✗ override names another place" if row.differs else ""
    owner = (row.owner.name or row.owner.repo) if row.owner is not None else ""
    return row.name, " · ".join(part for part in (row.model, owner, bound, age, differs) if part)


def owner_of(row: WorkspaceRow) -> Subject:
    """The known project of a workspace; nothing where it is none's."""
    owner = row.owner
    return Subject(owner.repo, owner.scope, owner.path, brought=True) if owner is not None else NOTHING


def gives_way(before: Subject, owner: Subject) -> bool:
    """Whether ``owner``, which a workspace brings, takes the place of ``before``.

    A workspace is judged by its own project, whatever was chosen before it, in this view or another one. Where it is of no known
    project, what was typed stays: only a trace tells whether it is the workspace's.
    """
    return before != owner and (before.brought or not owner.empty)
