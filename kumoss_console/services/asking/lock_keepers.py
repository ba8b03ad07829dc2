"""What a keeper of locks can do beyond looking at one."""

from __future__ import annotations

from typing import TypeGuard

from kumoss_console.ports import LockFinder, LockKeeper, LockTable


def is_finder(keeper: LockKeeper) -> TypeGuard[LockFinder]:
    """Whether no listing of keys shows its locks, and it finds them itself: leases, rows of a table."""
    return keeper.mechanism != "object"


def is_table(keeper: LockKeeper) -> TypeGuard[LockTable]:
    """Whether it has the MD5 of each state, too."""
    return keeper.mechanism == "table"
