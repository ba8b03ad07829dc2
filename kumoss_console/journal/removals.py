"""The locks that were removed with this console, each with the whole of what it said."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import cast

import msgspec

from kumoss_console.journal.rows import time_text
from kumoss_console.model.lock import LockMechanism, Removal, RemovalOutcome

_COLUMNS = "context, store, key, mechanism, place, lock_id, document, proof, by, at, despite, outcome, note"
_MARKS = ", ".join("?" for _ in _COLUMNS.split(","))


def begin(connection: sqlite3.Connection, removal: Removal) -> int:
    """Before anything is removed, so that a console that is killed leaves a trace of what it was at."""
    sql = f"INSERT INTO removed_locks ({_COLUMNS}) VALUES ({_MARKS})"  # noqa: S608 - our own names
    values = (
        removal.context,
        removal.store,
        _stored(removal.key),
        removal.mechanism,
        removal.where,
        _stored(removal.lock_id),
        removal.document,
        removal.proof,
        removal.by,
        time_text(removal.at),
        msgspec.json.encode(removal.despite).decode(),
        removal.outcome,
        removal.note,
    )
    return connection.execute(sql, values).lastrowid or 0


def end(connection: sqlite3.Connection, entry: int, outcome: RemovalOutcome, note: str) -> None:
    connection.execute("UPDATE removed_locks SET outcome = ?, note = ? WHERE entry = ?", (outcome, note, entry))


def newest(connection: sqlite3.Connection, context: str, store: str, limit: int) -> tuple[Removal, ...]:
    """Those of the context, and those of any other one whose store's label begins with ``store``, where that is not empty."""
    mine = "context = ?1 OR (?2 <> '' AND substr(store, 1, length(?2)) = ?2)"
    sql = f"SELECT entry, {_COLUMNS} FROM removed_locks WHERE {mine} ORDER BY entry DESC LIMIT ?3"  # noqa: S608 - our own names
    return tuple(map(_removal, connection.execute(sql, (context, store, limit)).fetchall()))


def copy(source: sqlite3.Connection, into: sqlite3.Connection) -> None:
    """What can be read of them out of a damaged journal."""
    try:
        rows = source.execute(f"SELECT entry, {_COLUMNS} FROM removed_locks").fetchall()  # noqa: S608 - our own names
    except sqlite3.DatabaseError:
        return
    into.executemany(f"INSERT OR IGNORE INTO removed_locks (entry, {_COLUMNS}) VALUES (?, {_MARKS})", map(tuple, rows))  # noqa: S608


def _removal(row: tuple[object, ...]) -> Removal:
    entry, context, store, key, mechanism, place, lock_id, document, proof, by, at, despite, outcome, note = row
    return Removal(
        entry=cast("int", entry),
        context=str(context),
        store=str(store),
        key=_read(key),
        mechanism=cast("LockMechanism", mechanism),
        where=str(place),
        lock_id=_read(lock_id),
        document=cast("bytes", document),
        proof=cast("str | None", proof),
        by=str(by),
        at=datetime.fromisoformat(str(at)),
        despite=msgspec.json.decode(str(despite), type=tuple[str, ...]),
        outcome=cast("RemovalOutcome", outcome),
        note=str(note),
    )


def _stored(text: str) -> bytes:
    # A blob: keys and ids are external, and SQLite's text takes no lone surrogate and ends at a NUL.
    return text.encode("utf-8", "surrogatepass")


def _read(value: object) -> str:
    return cast("bytes", value).decode("utf-8", "surrogatepass")
