"""The MD5 of a state in a lock table. Engines that find another state under the key, or none, refuse to read, and so to push."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from kumoss_console.errors import ConsoleError
from kumoss_console.ports.locks import LockKeeper, is_table
from kumoss_console.ports.offloop import OffLoop

_ROW_OF_A_DIGEST = "-md5"
"""What the s3 backend appends to the name of a lock's row for the row with the state's MD5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDigest:
    """A row that is in the way. ``active`` is the MD5 of what an engine will find, ``None`` where that is nothing; ``error`` says
    why the table could not be asked, ``told`` is empty then."""

    row: str
    told: str = ""
    active: str | None = None
    error: ConsoleError | None = None


async def digest_in_the_way(
    keepers: Sequence[LockKeeper], bucket: str, key: str, content: bytes | None, off_loop: OffLoop
) -> TableDigest | None:
    """The row of ``key`` where it does not fit ``content``, which an engine will find there: ``None`` for nothing. ``None`` where
    no table keeps its locks, or has no such row."""
    table = next((keeper for keeper in keepers if is_table(keeper)), None)
    if table is None:
        return None
    row = f"{bucket}/{key}{_ROW_OF_A_DIGEST}"
    try:
        told = await table.digest(key)
    except ConsoleError as error:
        return TableDigest(row=row, error=error)
    if not told:
        return None
    active = None
    if content:
        active = await off_loop(lambda: hashlib.md5(content, usedforsecurity=False).hexdigest())
    return None if active == told.lower() else TableDigest(row=row, told=told, active=active)
