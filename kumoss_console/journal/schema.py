"""The tables of the journal.

Times are ISO 8601 in UTC, so that they sort as text. Output lives in a table of its own: a list of a thousand jobs must not
read a hundred megabytes for each. ``entry`` grows and is never given twice.
"""

from __future__ import annotations

import sqlite3

VERSION = 1

_TABLES = """
CREATE TABLE jobs (
    entry INTEGER PRIMARY KEY AUTOINCREMENT,
    context TEXT NOT NULL,
    job_id TEXT,
    kind TEXT,
    workspace TEXT NOT NULL,
    fields TEXT NOT NULL,
    service TEXT NOT NULL,
    submitted TEXT NOT NULL,
    created TEXT,
    started TEXT,
    finished TEXT,
    seen TEXT,
    exit_code INTEGER,
    output_bytes INTEGER NOT NULL DEFAULT 0,
    problem TEXT,
    note TEXT NOT NULL
);
CREATE INDEX jobs_by_id ON jobs (job_id);
CREATE INDEX jobs_by_context ON jobs (context, entry);
CREATE TABLE outputs (
    entry INTEGER PRIMARY KEY,
    stdout BLOB NOT NULL,
    stderr BLOB NOT NULL
);
"""


def lay_out(connection: sqlite3.Connection) -> bool:
    """Make the tables in an empty database, in one transaction. False where something else is in it."""
    [others] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if others:
        return False
    connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
    return True


def has_schema(connection: sqlite3.Connection) -> bool:
    """Whether both tables are there; reads the file's first pages, so that common damage shows here."""
    [found] = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('jobs', 'outputs')"
    ).fetchone()
    return bool(found == 2)
