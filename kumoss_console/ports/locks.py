"""Who keeps the locks of states, and a lock as it was seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeGuard

if TYPE_CHECKING:
    from kumoss_console.model.lock import LockDocument, LockMechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class LockSighting:
    """A lock as it was seen at one moment. ``key`` is that of the state, hostile until printed.

    ``proof`` is what the keeper needs to tell this lock from another one later, opaque (an ETag, a lease with its blob's ETag, a
    row's text); ``None`` where nothing can tell. ``where`` is where it lies, in words and printable. ``raw`` is the document as
    it was found: the lock object's bytes, the decoded metadata, the row's text; empty where there is none.
    """

    key: str
    mechanism: LockMechanism
    document: LockDocument
    proof: str | None
    modified: datetime | None
    where: str
    raw: bytes = b""


class LockKeeper(Protocol):
    """Looks at the lock of one state, and removes one that was looked at. Raises a
    :class:`~kumoss_console.errors.ServiceError` where the store or the table cannot be asked."""

    @property
    def mechanism(self) -> LockMechanism: ...

    async def look(self, key: str) -> LockSighting | None:
        """The lock on the state ``key``; ``None`` where one was looked for and none is held."""
        ...

    async def remove(self, sighting: LockSighting) -> str | None:
        """Remove that lock and no other one.

        :class:`~kumoss_console.errors.Refused` with the code ``lock.changed`` where another lock is there by now, and with
        ``lock.gone`` where none is. ``None``, or in a sentence what could not be made sure of: a store that knows no conditions
        leaves a moment between the last look and the removal.
        """
        ...


class LockFinder(LockKeeper, Protocol):
    """A keeper of locks that no listing of keys shows: leases, and rows of a table."""

    async def held(self) -> tuple[LockSighting, ...]:
        """Every lock on a state of this bucket or container, in key order."""
        ...


class LockTable(LockFinder, Protocol):
    """A DynamoDB table, which keeps the MD5 of each state beside the locks: an engine refuses a state that is another one."""

    async def digest(self, key: str) -> str | None:
        """The MD5 of the state ``key`` that the table has, in hexadecimal; ``None`` where it has none."""
        ...


def is_finder(keeper: LockKeeper) -> TypeGuard[LockFinder]:
    """Whether no listing of keys shows its locks, and it finds them itself: leases, rows of a table."""
    return keeper.mechanism != "object"


def is_table(keeper: LockKeeper) -> TypeGuard[LockTable]:
    """Whether it has the MD5 of each state, too."""
    return keeper.mechanism == "table"
