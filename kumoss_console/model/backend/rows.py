"""The layers of a backend as a table: each value with where it comes from, what is bound, and what it beats or erased. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from kumoss_console.model.backend.bound import Bound, Difference, same
from kumoss_console.model.backend.result import Binding, EffectiveBackend, Origin, Shadow, Value
from kumoss_console.model.hcl.types import Unresolved
from kumoss_console.text import MASK, Secret

PLACE = ("bucket", "container_name", "storage_account_name", "key", "prefix", "path", "region", "endpoints", "endpoint")
"""Arguments that say where a state is, the most telling first."""

Agreement = Literal["same", "differs", "missing", "not_compared", "nothing_bound"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow:
    """One value. ``origin`` is ``None`` for what nobody sets any more: erased with its block, or only bound.

    ``missing``: it is set and not bound; ``not_compared``: only the engine can compute it. ``shadows`` are the nearest first.
    """

    name: str
    value: Value
    origin: Origin | None
    expression: str = ""
    agreement: Agreement
    bound: Value = None
    shadows: tuple[Shadow, ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether the engine is bound to something else."""
        return self.agreement in {"differs", "missing"}


def value_rows(effective: EffectiveBackend, bound: Bound, parted: Sequence[Difference]) -> tuple[ValueRow, ...]:
    """Where the state is first, then what is bound differently, then what beats or lost something, then the rest."""
    binding = effective.bound or effective.kept or effective.written
    rows = [*_set(binding, bound), *_erased(effective)]
    known = {row.name for row in rows}
    rows += [
        ValueRow(name=one.name, value=None, origin=None, agreement="differs", bound=one.bound)
        for one in parted
        if one.name not in known and one.name != "type"
    ]
    return tuple(sorted(rows, key=_rank))


def _rank(row: ValueRow) -> tuple[int, int]:
    if row.name in PLACE:
        return 0, PLACE.index(row.name)
    return (1 if row.wrong else 2 if row.shadows else 3), 0


def _set(binding: Binding | None, bound: Bound) -> Iterator[ValueRow]:
    for item in binding.attributes if binding is not None else ():
        theirs = bound.values.get(item.name)
        yield ValueRow(
            name=item.name,
            value=item.value,
            origin=item.origin,
            expression=item.expression,
            agreement=_agreement(item.value, theirs, bound),
            bound=theirs,
            shadows=item.shadows,
        )


def _agreement(value: Value, theirs: Value, bound: Bound) -> Agreement:
    if bound.status != "bound":
        return "nothing_bound"
    if isinstance(value, Unresolved):
        return "not_compared"
    if same(value, theirs):
        return "same"
    return "missing" if theirs is None else "differs"


def _erased(effective: EffectiveBackend) -> Iterator[ValueRow]:
    names = dict.fromkeys(shadow.name for shadow in effective.erased)
    for name in names:
        lost = tuple(shadow for shadow in effective.erased if shadow.name == name)
        yield ValueRow(name=name, value=None, origin=None, agreement="nothing_bound", shadows=lost)


def worded(value: Value) -> str:
    """A value on one line, secrets masked; what only the engine can compute in brackets."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, Unresolved):
        return f"({value.reason})"
    if isinstance(value, Secret):
        return MASK
    return json.dumps(value, default=_plain, ensure_ascii=False)


def _plain(value: object) -> object:
    if isinstance(value, Secret):
        return MASK
    return float(value) if isinstance(value, Decimal) else str(value)
