"""Which findings are shown, and in which order. Pure but for giving way: a large bucket has some hundred thousand of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from kumoss_console.model.finding import Severity
from kumoss_console.model.scan import ScanFinding
from screens.scan.view import cells, identity, owner, what
from screens.widgets.cells import Cell
from screens.widgets.columns import Sorting
from screens.widgets.slices import Pace, chunks, sorted_slowly

_KEYS: dict[str, Callable[[ScanFinding], str]] = {
    "what": what,
    "owner": lambda one: owner(one.owner),
    "key": lambda one: one.key,
}


async def matching(findings: Sequence[ScanFinding], text: str, *, only_errors: bool, pace: Pace) -> Sequence[ScanFinding]:
    """Those with ``text`` in their kind, key, owner or message, whatever the case of its letters."""
    wanted = text.casefold()
    if not wanted and not only_errors:
        return findings
    kept: list[ScanFinding] = []
    async for some in chunks(findings, pace):
        graver = [one for one in some if one.severity is Severity.ERROR] if only_errors else some
        kept += [one for one in graver if _has(one, wanted)] if wanted else graver
    return kept


def _has(one: ScanFinding, wanted: str) -> bool:
    return any(wanted in part.casefold() for part in (what(one), one.key, owner(one.owner), one.message))


async def ordered(findings: Sequence[ScanFinding], sorting: Sorting, pace: Pace) -> Sequence[ScanFinding]:
    """By the column; within it the gravest first."""
    if sorting.key == "severity":
        return findings if not sorting.descending else findings[::-1]
    if not sorting.descending:
        return await sorted_slowly(findings, _KEYS[sorting.key], pace)
    # Backwards twice: equal ones keep their order.
    return (await sorted_slowly(findings[::-1], _KEYS[sorting.key], pace))[::-1]


class FoundRows:
    """A row source over findings. One is looked for by its key: to name all of them first would take longer than a key may."""

    def __init__(self, findings: Sequence[ScanFinding]) -> None:
        self.findings = findings

    def __len__(self) -> int:
        return len(self.findings)

    def row_id(self, index: int) -> Hashable:
        return identity(self.findings[index])

    def cells(self, index: int) -> Sequence[Cell]:
        return cells(self.findings[index])

    def position(self, row_id: Hashable) -> int | None:
        if not isinstance(row_id, tuple):
            return None
        _, key, _ = row_id
        places = (place for place, one in enumerate(self.findings) if one.key == key and identity(one) == row_id)
        return next(places, None)
