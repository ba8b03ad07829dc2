"""Which object of the one state is which object of the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kumoss_console.model.statediff.recorded import Recorded, RecordedState

Pair = tuple[Recorded, Recorded]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """Every object of both states, once. ``stayed`` are at the same address; ``moved`` are found at another one by type and
    identifier; ``replaced`` have another identifier at the same address, and are not found anywhere else."""

    stayed: tuple[Pair, ...]
    moved: tuple[Pair, ...]
    replaced: tuple[Pair, ...]
    gone: tuple[Recorded, ...]
    new: tuple[Recorded, ...]


def matched(before: RecordedState, after: RecordedState) -> Matched:
    """What an object is tells more than where it lies: where indexes were shifted, each address has another object."""
    gone = {place: item for place, item in before.objects.items() if _elsewhere(item, after)}
    new = {place: item for place, item in after.objects.items() if _elsewhere(item, before)}
    stayed = tuple((item, after.objects[place]) for place, item in before.objects.items() if place not in gone)
    here, there = _named(gone.values()), _named(new.values())
    moved = tuple((item, there[name]) for name, item in here.items() if name in there)
    for one, other in moved:
        del gone[one.place], new[other.place]
    replaced = tuple((item, new[place]) for place, item in gone.items() if place in new)
    for one, _ in replaced:
        del gone[one.place], new[one.place]
    return Matched(stayed=stayed, moved=moved, replaced=replaced, gone=tuple(gone.values()), new=tuple(new.values()))


def _elsewhere(item: Recorded, there: RecordedState) -> bool:
    """Whether ``there`` has nothing at the place of ``item``, or surely another object."""
    other = there.objects.get(item.place)
    if other is None:
        return True
    known = item.identifier is not None and other.identifier is not None
    return known and item.identifier != other.identifier and item.mode == "managed"


def _named(items: Iterable[Recorded]) -> dict[tuple[str, str], Recorded]:
    """Those that type and identifier name, and no other of ``items``. A deposed object is told by its place alone."""
    found: dict[tuple[str, str], Recorded] = {}
    several: set[tuple[str, str]] = set()
    for item in items:
        if item.mode == "managed" and item.identifier and not item.deposed:
            name = (item.type, item.identifier)
            if name in found:
                several.add(name)
            found[name] = item
    return {name: item for name, item in found.items() if name not in several}
