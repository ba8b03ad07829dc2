"""Which object of the one state is which object of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kumoss_console.model.plan.alike import alike
from kumoss_console.model.state import repair
from kumoss_console.model.statediff.identity import Names, names, names_one, others
from kumoss_console.model.statediff.recorded import Recorded, RecordedState

Pair = tuple[Recorded, Recorded]
_Named = tuple[Recorded, Names]


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
    moved = tuple(_moved(gone.values(), new.values()))
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
    if item.mode != "managed" or item.identifier == other.identifier:
        return False
    return others(names(item), names(other))


def _moved(gone: Iterable[Recorded], new: Iterable[Recorded]) -> Iterator[Pair]:
    """Pairs that are one object: by an ARN or id that no other of either side has, and that can name only one object. Of one that
    may name several (``none``, a name within a namespace) only what is recorded in the same words is known to be the same."""
    here, there = ([(item, names(item)) for item in side if item.mode == "managed" and not item.deposed] for side in (gone, new))
    found: set[tuple[str, str]] = set()
    for of_them in (_arn, _id):
        news = _single(there, of_them)
        for name, (one, its) in _single(here, of_them).items():
            other, theirs = news.get(name, (None, its))
            if other is None or one.place in found or others(its, theirs):
                continue
            if names_one(*name) or _same(one, other):
                found.add(one.place)
                yield one, other


def _single(items: Iterable[_Named], of_them: Callable[[Names], str]) -> dict[tuple[str, str], _Named]:
    """Those that type and name tell from all others of ``items``. A deposed object is told by its place alone."""
    found: dict[tuple[str, str], _Named] = {}
    several: set[tuple[str, str]] = set()
    for item, its in items:
        if name := of_them(its):
            if (its.type, name) in found:
                several.add((its.type, name))
            found[its.type, name] = item, its
    return {name: item for name, item in found.items() if name not in several}


def _arn(its: Names) -> str:
    return its.arn


def _id(its: Names) -> str:
    return its.id


def _same(one: Recorded, other: Recorded) -> bool:
    """Whether all attributes are equal as values."""
    if one.attributes == other.attributes:
        return True
    return alike(*(repair.decode(side.attributes)[0] for side in (one, other)))
