"""A plan is made on what was the newest version then. Carried out later, it must not go on from another one unseen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kumoss_console.errors import Refused
from kumoss_console.model.moment import iso
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.services.versions.restore.value import Restore
from kumoss_console.text import printable

_MOST = 3
"""Versions in between that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What was the newest when the plan was made; ``None`` for what is not to be compared."""

    serial: int | None = None
    version: str | None = None


def must_be_on_top(found: Sequence[ObjectVersion], expected: Expected, key: str) -> None:
    """Raise :class:`~kumoss_console.errors.Refused` where another version than the expected one is on top of ``found``, newest
    first and not empty. It says what came in between."""
    if expected.version is None or found[0].version_id == expected.version:
        return
    raise _changed(key, f"expected on top was version {printable(expected.version)}; {_since(found, expected.version)}")


def must_have_serial(found: Sequence[ObjectVersion], expected: Expected, serial: int | None, key: str) -> None:
    """Raise it where ``serial``, of the state that the plan goes on from, is another one. A store without versions calls every
    object ``null``: there the serial is what tells."""
    if expected.serial is None or serial == expected.serial:
        return
    told = _told(found[0])
    raise _changed(key, f"expected was serial {expected.serial}; the plan would go on from serial {serial} now, on top is {told}")


def must_be_free(restore: Restore) -> None:
    """Raise it where a lock is held: whoever holds it may write at any time, and the commands must not begin."""
    if restore.locked:
        raise Refused(
            f"A lock is held on {printable(restore.key)}: nothing was prepared",
            detail="whoever holds it may write the state at any time; what was planned would not hold",
            hint="state locks tells who holds it; wait for it to end, and make the plan anew",
            code="restore.locked",
        )


def _changed(key: str, detail: str) -> Refused:
    return Refused(
        f"{printable(key)} was written since the plan was made: nothing was prepared",
        detail=detail,
        hint="look what came in between (state versions, state diff), and make the plan anew: state restore-plan KEY VERSION",
        code="restore.changed",
    )


def _since(found: Sequence[ObjectVersion], version: str) -> str:
    newer = []
    for one in found:
        if one.version_id == version:
            break
        newer.append(one)
    else:
        return f"it is not among the versions any more, and on top is {_told(found[0])}"
    named = ", ".join(map(_told, newer[:_MOST])) + (f" and {len(newer) - _MOST} more" if len(newer) > _MOST else "")
    return f"since then came {named}"


def _told(version: ObjectVersion) -> str:
    what = "a deletion" if version.kind == "delete_marker" else f"version {printable(version.version_id)}"
    return f"{what} of {iso(version.modified)}" if version.modified is not None else what
