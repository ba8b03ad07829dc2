"""Which rows of the bucket are shown, and in which order. Pure but for giving way: a million rows are done in slices.

Keys and owners are compared as they are; nothing is formatted for a row that is not in view.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

from kumoss_console.model.context import KnownProject
from kumoss_console.services.bucket.listing import STATES
from kumoss_console.services.bucket.service import BucketSnapshot, StateRow
from screens.bucket.heads import NOTHING, Known
from screens.widgets.cells import Cell
from screens.widgets.columns import Sorting
from screens.widgets.slices import Pace, chunks, sorted_slowly

BY_OWNER = Sorting("owner")
_SUBSCRIPTION = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
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


def is_wrong(row: StateRow, known: Known) -> bool:
    """What ``!`` keeps: locked, of unknown owner, no state that an engine put there by the core's order, or read as broken."""
    return row.locked or row.orphan or row.kind not in STATES or known.is_wrong(row)


def owner_name(owner: KnownProject) -> str:
    """The name the operator gave, else the repository; then scope and path, which tell twins apart.

    A subscription's id tells itself apart by its first digits; a project's name does by its end: ``acme-dns-prod``.
    """
    scope = f"{owner.scope[:8]}…" if _SUBSCRIPTION.fullmatch(owner.scope) else owner.scope
    return " · ".join(part for part in (owner.name or owner.repo.removeprefix("https://"), scope, owner.path) if part)


def short_key(key: str, project_id: str | None) -> str:
    """A key with its digest cut in the middle: ``10d05c01…3bd1/terraform.tfstate``. Any other key as it is."""
    if project_id is None or project_id not in key:
        return key
    return key.replace(project_id, f"{project_id[:8]}…{project_id[-4:]}", 1)


def row_key(row: StateRow) -> str:
    """What the list shows of a key: of the core's own only both ends of the digest, for the file has the same name everywhere."""
    if row.kind == "state" and row.project_id is not None:
        return f"{row.project_id[:8]}…{row.project_id[-8:]}"
    return short_key(row.key, row.project_id)


async def matching(
    rows: Sequence[StateRow], query: str, *, pace: Pace, only_wrong: bool = False, known: Known = NOTHING
) -> Sequence[StateRow]:
    """Rows in whose key or owner every word of the query occurs, in any case; in the order given. ``only_wrong`` keeps those
    that :func:`is_wrong` tells by what is ``known``."""
    words = query.casefold().split()
    if not words and not only_wrong:
        return rows
    kept: list[StateRow] = []
    # Many rows, few owners: each owner is read once for each word.
    owned: list[dict[int, bool]] = [{} for _ in words]
    async for some in chunks(rows, pace):
        chosen = [row for row in some if is_wrong(row, known)] if only_wrong else some
        for word, owners in zip(words, owned, strict=True):
            chosen = [row for row in chosen if word in row.key.casefold() or _owner_has(row.owner, word, owners)]
        kept += chosen
    return kept


def _owner_has(owner: KnownProject | None, word: str, known: dict[int, bool]) -> bool:
    if owner is None:
        return False
    if (found := known.get(id(owner))) is None:
        text = f"{owner.name} {owner.repo} {owner.scope} {owner.path}".casefold()
        found = known[id(owner)] = word in text
    return found


async def by_key(rows: Sequence[StateRow], pace: Pace) -> list[StateRow]:
    """All rows by their place, whatever order they arrived in."""
    return await sorted_slowly(rows, attrgetter("place"), pace)


async def ordered(rows: Sequence[StateRow], sorting: Sorting, known: Known, pace: Pace) -> Sequence[StateRow]:
    """Rows :func:`by_key`, sorted by a column; equal ones stay in key order, whatever the direction.

    What a column does not know of a row comes last, in both directions.
    """
    if sorting.key == "key":
        return rows[::-1] if sorting.descending else rows
    value = await _value(rows, sorting.key, known, pace)
    lacking: list[StateRow] = []
    having: list[StateRow] = []
    async for some in chunks(rows, pace):
        for row in some:
            (lacking if value(row) is None else having).append(row)
    if not sorting.descending:
        return await sorted_slowly(having, value, pace) + lacking
    # Backwards twice: equal ones keep their order.
    having.reverse()
    having = await sorted_slowly(having, value, pace)
    having.reverse()
    return having + lacking


async def _value(rows: Sequence[StateRow], key: str, known: Known, pace: Pace) -> Callable[[StateRow], Any]:
    """What rows are compared by in that column; ``None`` where a row has nothing there."""
    match key:
        case "serial":
            return lambda row: known.serial(row)
        case "resources":
            return lambda row: known.managed(row)
        case "modified":
            # Newest first, as in every list of this console.
            return lambda row: -row.modified.timestamp() if row.modified is not None else None
        case "lock":
            # The longest held before the others, and what is not locked behind them.
            return lambda row: (row.locked_at or _NEVER).timestamp() if row.locked else None
        case _:
            owners = {id(row.owner): row.owner async for some in chunks(rows, pace) for row in some if row.owner is not None}
            ranks: Mapping[int, int] = _owner_ranks(owners)
            return lambda row: ranks[id(row.owner)] if row.owner is not None else None


def _owner_ranks(owners: Mapping[int, KnownProject]) -> dict[int, int]:
    """Each owner's place in the alphabet, so that a row is compared by a number."""
    names = sorted(owners, key=lambda one: (owner_name(owners[one]).casefold(), owners[one].scope, owners[one].path))
    return {one: rank for rank, one in enumerate(names)}


class StateRows:
    """A row source over listed rows, named by key. ``near`` is where the row under the cursor is to be looked for first: among
    a million rows a look at each takes longer than a key may."""

    def __init__(self, rows: Sequence[StateRow], draw: Callable[[StateRow], Sequence[Cell]], *, near: int = 0) -> None:
        self.rows = rows
        self._draw = draw
        self._near = near

    def __len__(self) -> int:
        return len(self.rows)

    def row_id(self, index: int) -> str:
        return self.rows[index].key

    def cells(self, index: int) -> Sequence[Cell]:
        return self._draw(self.rows[index])

    def position(self, row_id: object) -> int | None:
        if self._near < len(self.rows) and self.rows[self._near].key == row_id:
            return self._near
        return next((index for index, row in enumerate(self.rows) if row.key == row_id), None)
