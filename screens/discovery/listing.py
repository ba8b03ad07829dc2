"""Which items a discovery lists, and in which order. Pure, and linear but for one sort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kumoss_console.model.importdiff import Item
from kumoss_console.model.importdiff.choosing import Choice
from kumoss_console.services.discovery.service import Discovery
from kumoss_console.services.discovery.words import type_text, why_text
from screens.discovery.view import HEAPS, STATUS_OF
from screens.widgets.columns import Sorting


@dataclass(frozen=True, slots=True)
class Shown:
    """What the operator wants to see: a heap, words, only what is wrong, what is suppressed as well, and in which order."""

    heap: str
    text: str
    wrong: bool
    suppressed: bool
    sorting: Sorting


def listed(found: Discovery | None, shown: Shown) -> Sequence[Item]:
    """The items of a heap that pass the filter; nothing where nothing was compared."""
    if found is None or found.comparison is None:
        return ()
    status = STATUS_OF.get(shown.heap)
    choice = Choice(
        text=shown.text,
        statuses=frozenset({status}) if status is not None else frozenset(),
        wrong=shown.wrong or shown.heap == HEAPS[0],
        suppressed=shown.suppressed,
    )
    kept = _sorted(choice.of(found.comparison.items, found.covered), found, shown.sorting.key)
    return kept[::-1] if shown.sorting.descending else kept


def _sorted(items: list[Item], found: Discovery, key: str) -> list[Item]:
    """By a column; the order of the comparison stays among equal ones."""
    match key:
        case "id":
            return sorted(items, key=lambda item: item.id)
        case "type":
            return sorted(items, key=lambda item: type_text(found, item))
        case "why":
            return sorted(items, key=lambda item: why_text(found, item))
        case _:
            return items
