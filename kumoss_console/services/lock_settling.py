"""Removals whose end was not known, settled by looking again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.model.lock import LockMechanism, Removal
from kumoss_console.model.moment import iso
from kumoss_console.ports import JobJournal, LockSighting

_NEWEST = 200
Look = LockSighting | ConsoleError | None


async def settle(
    given: Callable[[], JobJournal], context: str, key: str, looks: Mapping[LockMechanism, Look], *, store: str, now: datetime
) -> None:
    """Write down how removals of locks on the state ``key`` ended, where ``looks`` (what each keeper has there now) tell it.

    What cannot be told stays not known; a journal that cannot be used leaves everything as it is.
    """
    try:
        journal = given()
        for removal in await journal.removals(context, _NEWEST):
            if removal.outcome == "begun" and (removal.key, removal.store) == (key, store) and removal.mechanism in looks:
                look = looks[removal.mechanism]
                if not isinstance(look, ConsoleError):
                    await _end(journal, removal, look, iso(now))
    except ConsoleError:
        return  # the lock is what was asked for


async def _end(journal: JobJournal, removal: Removal, look: LockSighting | None, at: str) -> None:
    said = f"{removal.note}; " if removal.note else ""
    if look is not None and (look.proof, look.raw) == (removal.proof, removal.document):
        await journal.removed(removal.entry, "kept", f"{said}seen again at {at}: the lock is still there")
    else:
        what = "gone" if look is None else "another one"
        await journal.removed(removal.entry, "removed", f"{said}seen again at {at}: the lock is {what}")
