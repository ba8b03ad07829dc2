"""What differs beside the values: members of an object, of an output and of a state that an engine acts upon, too.

No value is told that may hold a secret: of what providers keep for themselves only that it differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from kumoss_console.model.plan.alike import alike
from kumoss_console.model.state import StateDocument, repair
from kumoss_console.model.state.document import CheckRow

Members = Mapping[str, bytes]
"""Members by name, as JSON. What says nothing is left out."""

_NOTHING = frozenset({b"", b"null", b"false", b"0", b"[]", b"{}", b'""', b'"bnVsbA=="'})
"""What engines write, or leave out, for one and the same thing; the last one is ``null`` as providers keep it."""
_MOST = 5
"""Names of one note; how many more there are is said."""
_LONGEST = 60
_SHOWN = {"schema_version": ("schema version", "0"), "create_before_destroy": ("create_before_destroy", "false")}
"""Members whose values are told, with what stands for an absent one: none of them can hold a value of the state."""
_NAMES = {
    "private": "what the provider keeps for itself differs",
    "sensitive_attributes": "other attributes are marked sensitive",
    "identity_schema_version": "schema version of the identity differs",
}


def members(raw: Mapping[str, msgspec.Raw], *, but: frozenset[str]) -> dict[str, bytes]:
    """Those of ``raw`` that say something, without the ones in ``but``."""
    found = {name: bytes(value) for name, value in raw.items() if name not in but}
    return {name: value for name, value in found.items() if value not in _NOTHING}


def about_members(one: Members, other: Members) -> Iterator[str]:
    """A note for each member that differs, in the order of their names."""
    if one == other:
        return
    for name in sorted({*one, *other}):
        before, after = one.get(name, b""), other.get(name, b"")
        if before != after and not alike(_decoded(before), _decoded(after)):
            yield from _note(name, before, after)


def about_state(one: StateDocument, other: StateDocument, before: Members, after: Members) -> Iterator[str]:
    """The same for two states as a whole: the engine, the results of checks, and what later engines write beside them."""
    if one.engine_version != other.engine_version:
        yield f"written by engine {one.engine_version or 'of no version'} → {other.engine_version or 'of no version'}"
    told = {"check_results"}
    if before.get("check_results") != after.get("check_results"):
        yield from _about_checks(one.checks, other.checks, before, after)
    rest = [{name: value for name, value in side.items() if name not in told} for side in (before, after)]
    yield from about_members(rest[0], rest[1])


def _about_checks(one: tuple[CheckRow, ...], other: tuple[CheckRow, ...], before: Members, after: Members) -> Iterator[str]:
    old, new = ({row.address: row for row in side} for side in (one, other))
    names = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    told = [_check(name, old.get(name), new.get(name)) for name in names]
    if told:
        yield f"check results: {_some(told)}"
    elif not alike(_decoded(before.get("check_results", b"")), _decoded(after.get("check_results", b""))):
        yield "check results differ"


def _check(name: str, one: CheckRow | None, other: CheckRow | None) -> str:
    before, after = ("absent" if row is None else row.status or "unknown" for row in (one, other))
    return f"{name} {before} → {after}" if before != after else f"{name} {after} as before, for other reasons"


def _note(name: str, before: bytes, after: bytes) -> Iterator[str]:
    if name == "dependencies":
        old, new = (_addresses(side) for side in (before, after))
        changed = [f"+ {one}" for one in sorted(new - old)] + [f"- {one}" for one in sorted(old - new)]
        if changed:
            yield f"dependencies: {_some(changed)}"
    elif name in _SHOWN and max(len(before), len(after)) <= _LONGEST:
        shown, absent = _SHOWN[name]
        yield f"{shown} {before.decode() or absent} → {after.decode() or absent}"
    else:
        yield _NAMES.get(name, f"{name} differs")


def _addresses(raw: bytes) -> set[str]:
    found = _decoded(raw)
    return {str(one) for one in found} if isinstance(found, list) else set()


def _some(texts: list[str]) -> str:
    more = f" and {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return ", ".join(texts[:_MOST]) + more


def _decoded(raw: bytes) -> Any:
    return repair.decode(raw)[0] if raw else None
