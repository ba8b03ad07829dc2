"""Whether a state is locked, asked of everybody who may keep its lock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from kumoss_console.errors import ConsoleError
from kumoss_console.model.lock import LockDocument
from kumoss_console.ports.locks import LockKeeper, LockSighting

LockStatus = Literal["unlocked", "locked", "unknown"]
LockAnswer = tuple[LockStatus, LockDocument | None, ConsoleError | None]


async def lock_on(keepers: Iterable[LockKeeper], key: str) -> LockAnswer:
    """As :func:`seen_on`, with what the lock says."""
    status, seen, failed = await seen_on(keepers, key)
    return status, seen.document if seen is not None else None, failed


async def seen_on(keepers: Iterable[LockKeeper], key: str) -> tuple[LockStatus, LockSighting | None, ConsoleError | None]:
    """A lock that one keeper has is one, whatever another says; unlocked is what all of them say.

    The error says why it is ``unknown``; it is also what one that could not be asked said. Nobody to ask is ``unknown``.
    """
    failed: ConsoleError | None = None
    asked = False
    for keeper in keepers:
        asked = True
        try:
            seen = await keeper.look(key)
        except ConsoleError as error:
            failed = failed or error
            continue
        if seen is not None:
            return "locked", seen, None
    return ("unlocked" if asked and failed is None else "unknown"), None, failed
