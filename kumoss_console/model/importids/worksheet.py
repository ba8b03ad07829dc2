"""From discovered things to imports: each with its address and its import id side by side, judged before anything is sent."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kumoss_console.model.importdiff.result import Comparison, Item, Status
from kumoss_console.model.importids.address import fault, type_of
from kumoss_console.model.importids.proposal import NOT_KNOWN, propose

_LONGEST = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One import to be. ``identifier`` is the discovered one. ``certain`` is whether type and import id follow from it, or were
    written by the operator; else ``note`` says what to look at. ``faults`` are why it cannot be imported so."""

    identifier: str
    address: str
    import_id: str
    certain: bool
    note: str = ""
    faults: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        return not self.faults


@dataclass(frozen=True, slots=True)
class Written:
    """What the operator wrote for one thing; ``None`` where that is nothing."""

    address: str | None = None
    import_id: str | None = None


def worksheet(items: Iterable[Item], comparison: Comparison, written: Mapping[str, Written] | None = None) -> tuple[Row, ...]:
    """A row for each item, judged. Proposed addresses are made different from each other and from those of the state; what was
    ``written`` for an identifier stands as it is."""
    given = written or {}
    chosen = tuple(items)
    taken = set(comparison.addresses or ())
    taken.update(one.address for one in given.values() if one.address)
    names = _Names(taken)
    rows = [_row(item, comparison, given.get(item.id, Written()), names) for item in chosen]
    return judged(rows, chosen, comparison)


def _row(item: Item, comparison: Comparison, written: Written, names: _Names) -> Row:
    proposal = propose(comparison.provider, item.id)
    address = proposal.address if written.address is None else written.address
    if written.address is None and address:
        address = names.free(address)
    import_id = (proposal.import_id or "") if written.import_id is None else written.import_id
    if item.status is Status.AMBIGUOUS:
        return Row(identifier=item.id, address=address, import_id=import_id, certain=False, note=f"ambiguous: {item.reason}")
    sure = proposal.certain or (written.import_id is not None and written.address is not None)
    return Row(identifier=item.id, address=address, import_id=import_id, certain=sure, note="" if sure else proposal.note)


class _Names:
    """Addresses that are taken, and how far the numbers behind each name have come: a thousand things may have one name."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._last: dict[str, int] = {}

    def free(self, address: str) -> str:
        """The address, or it with the next number behind; taken from now on."""
        found, number = address, self._last.get(address, 1)
        while found in self._taken:
            number += 1
            found = f"{address}_{number}"
        self._last[address] = number
        self._taken.add(found)
        return found


def judged(rows: Sequence[Row], items: Sequence[Item], comparison: Comparison) -> tuple[Row, ...]:
    """The rows with what stands against each of them. ``items`` are those of the rows, in their order."""
    addresses = Counter(row.address for row in rows if row.address)
    ids = Counter((type_of(row.address), row.import_id) for row in rows if row.import_id)
    return tuple(
        replace(row, faults=tuple(_faults(row, item, comparison, addresses, ids))) for row, item in zip(rows, items, strict=True)
    )


def _faults(
    row: Row, item: Item, comparison: Comparison, addresses: Counter[str], ids: Counter[tuple[str, str]]
) -> Iterable[str]:
    if said := fault(row.address):
        yield said
    elif addresses[row.address] > 1:
        yield f"{addresses[row.address]} rows have this address"
    if comparison.addresses is not None and row.address in comparison.addresses:
        yield "the state has this address already"
    if not row.import_id:
        yield NOT_KNOWN if item.importable else "it has no import id yet"
    elif len(row.import_id) > _LONGEST:
        yield f"an import id has at most {_LONGEST:,} characters"
    elif "\0" in row.import_id or not _is_text(row.import_id):
        yield "the import id holds characters that no engine can be given"
    elif ids[type_of(row.address), row.import_id] > 1:
        yield f"{ids[type_of(row.address), row.import_id]} rows have this import id"
    if not item.importable:
        yield _managed(item)
    elif others := comparison.index.holders_of(row.import_id):
        holder = others[0]
        if not holder.type or not type_of(row.address) or holder.type == type_of(row.address):
            yield f"its import id is managed already: {holder.address or 'identifier only'} of {holder.key or 'this state'}"


def _managed(item: Item) -> str:
    if item.status is Status.MISSING:
        return "it is not in the cloud"
    if item.incomparable:
        return "the state has it, and the listing of the cloud does not show it"
    holder = item.holders[0]
    return f"it is managed already: {holder.address or 'identifier only'} of {holder.key or 'this state'}"


def _is_text(text: str) -> bool:
    return not any(unicodedata.category(char) == "Cs" for char in text)
