"""Which rows of the bucket are shown, and in which order. Pure, and linear but for one sort: 100,000 rows are a small matter.

Keys and owners are compared as they are; nothing is formatted for a row that is not in view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

from kumoss_console.model.context import KnownProject
from kumoss_console.services.bucket import BucketSnapshot, StateRow
from screens.widgets.cells import Cell
from screens.widgets.columns import Sorting

BY_OWNER = Sorting("owner")
SCOPE_SHOWN = 12
LISTED_EACH_TIME = 5_000
"""Objects that are listed again with each refresh interval (five requests); a larger bucket waits longer in proportion."""
_NEVER = datetime.min.replace(tzinfo=UTC)


def newer(shown: BucketSnapshot | None, arrived: BucketSnapshot) -> BucketSnapshot:
    """What to show: a listing under way never takes away rows that an earlier one found."""
    if shown is None or arrived.complete:
        return arrived
    return shown if shown.complete or arrived.objects < shown.objects else arrived


def due(shown: BucketSnapshot | None, now: datetime, interval: float) -> bool:
    """Whether the bucket should be listed again by itself. ``interval`` is the context's, in seconds."""
    if shown is None or not shown.complete:
        return True
    patience = interval * max(1.0, shown.objects / LISTED_EACH_TIME)
    # A timer's own beat must not miss its time by a hair.
    return (now - shown.at).total_seconds() >= patience - 1.0


def is_wrong(row: StateRow) -> bool:
    """Locked, of unknown owner, or at a key that the core does not make: what ``!`` keeps."""
    return row.locked or row.orphan or row.kind != "state"


def owner_name(owner: KnownProject) -> str:
    """The name the operator gave, else the repository; then scope and path, which tell twins apart."""
    scope = owner.scope if len(owner.scope) <= SCOPE_SHOWN else f"{owner.scope[: SCOPE_SHOWN - 4]}…"
    return " · ".join(part for part in (owner.name or owner.repo.removeprefix("https://"), scope, owner.path) if part)


def short_key(row_key: str, project_id: str | None) -> str:
    """A key with its digest cut in the middle: ``10d05c01…3bd1/terraform.tfstate``. Any other key as it is."""
    if project_id is None or not row_key.startswith(project_id):
        return row_key
    return f"{project_id[:8]}…{project_id[-4:]}{row_key[len(project_id) :]}"


def matching(rows: Sequence[StateRow], query: str, *, only_wrong: bool) -> Sequence[StateRow]:
    """Rows in whose key or owner every word of the query occurs, in any case; in the order given."""
    kept = [row for row in rows if is_wrong(row)] if only_wrong else rows
    words = query.casefold().split()
    # Many rows, few owners: each owner is read once.
    owners = {id(row.owner): row.owner for row in kept if row.owner is not None} if words else {}
    texts = {one: f"{owner.name} {owner.repo} {owner.scope} {owner.path}".casefold() for one, owner in owners.items()}
    for word in words:
        owned = {one for one, text in texts.items() if word in text}
        kept = [row for row in kept if word in row.key.casefold() or id(row.owner) in owned]
    return kept


def ordered(rows: Sequence[StateRow], sorting: Sorting) -> list[StateRow]:
    """Sorted by a column; equal ones in key order, whatever the direction."""
    by_key = sorted(rows, key=attrgetter("key"))
    if sorting.key == "key":
        return by_key[::-1] if sorting.descending else by_key
    return sorted(by_key, key=_sort_key(by_key, sorting), reverse=sorting.descending)


def _sort_key(rows: Sequence[StateRow], sorting: Sorting) -> Callable[[StateRow], Any]:
    match sorting.key:
        case "size":
            return attrgetter("size")
        case "modified":
            # Newest first, as in every list of this console.
            return lambda row: -(row.modified or _NEVER).timestamp()
        case "lock":
            # Locked ones first, the longest held before the others.
            return lambda row: (not row.locked, (row.locked_at or _NEVER).timestamp())
        case _:
            ranks = _owner_ranks(rows)
            return lambda row: len(ranks) if row.owner is None else ranks[id(row.owner)]


def _owner_ranks(rows: Sequence[StateRow]) -> dict[int, int]:
    """Each owner's place in the alphabet, so that a row is compared by a number."""
    owners = {id(row.owner): row.owner for row in rows if row.owner is not None}
    names = sorted(owners, key=lambda one: (owner_name(owners[one]).casefold(), owners[one].scope, owners[one].path))
    return {one: rank for rank, one in enumerate(names)}


class StateRows:
    """A row source over listed rows: named by key, found by looking, because building an index costs more than one search."""

    def __init__(self, rows: Sequence[StateRow], draw: Callable[[StateRow], Sequence[Cell]]) -> None:
        self.rows = rows
        self._draw = draw

    def __len__(self) -> int:
        return len(self.rows)

    def row_id(self, index: int) -> str:
        return self.rows[index].key

    def cells(self, index: int) -> Sequence[Cell]:
        return self._draw(self.rows[index])

    def position(self, row_id: object) -> int | None:
        return next((index for index, row in enumerate(self.rows) if row.key == row_id), None)
