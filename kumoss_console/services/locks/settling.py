"""Removals whose end was not known, settled by looking again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from kumoss_console.errors import ConsoleError
from kumoss_console.model.lock import LockMechanism, Removal
from kumoss_console.model.moment import iso
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.locks import LockSighting

_NEWEST = 200
UNDER_WAY = timedelta(minutes=1)
"""How long a removal without an answer may still come to its end at a store that hangs: until then a lock that is there is no
proof that it was kept."""
Look = LockSighting | ConsoleError | None


async def settle(
    given: Callable[[], JobJournal], context: str, key: str, looks: Mapping[LockMechanism, Look], *, store: str, now: datetime
) -> None:
    """Write down how removals of locks on the state ``key`` ended, where ``looks`` (what each keeper has there now) tell it.

    What cannot be told stays not known; a journal that cannot be used leaves everything as it is.
    """
    try:
        journal = given()
        for removal in await journal.removals(context, _NEWEST, store=store):
            if removal.outcome == "begun" and (removal.key, removal.store) == (key, store) and removal.mechanism in looks:
                look = looks[removal.mechanism]
                if not isinstance(look, ConsoleError):
                    await _end(journal, removal, look, now)
    except ConsoleError:
        return  # the lock is what was asked for


async def _end(journal: JobJournal, removal: Removal, look: LockSighting | None, now: datetime) -> None:
    seen = f"{removal.note}; seen again at {iso(now)}" if removal.note else f"seen again at {iso(now)}"
    if look is None or (look.proof, look.raw) != (removal.proof, removal.document):
        await journal.removed(removal.entry, "removed", f"{seen}: the lock is {'gone' if look is None else 'another one'}")
    elif now - removal.at >= UNDER_WAY:
        await journal.removed(removal.entry, "kept", f"{seen}: the lock is still there")
