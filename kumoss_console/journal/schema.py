"""The tables of the journal.

Times are ISO 8601 in UTC, so that they sort as text. Output lives in a table of its own: a list of a thousand jobs must not
read a hundred megabytes for each. ``entry`` grows and is never given twice. ``rev`` grows with every write to any row, whoever
writes, so that each console reads what is new and nothing else.
"""

from __future__ import annotations

import sqlite3

VERSION = 4

_JOBS = """
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

# The times of ``looks`` are seconds since the epoch: when somebody last looked, and until when a look may be under way.
_SHARING = """
ALTER TABLE jobs ADD COLUMN rev INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_by_rev ON jobs (rev);
CREATE TABLE revision (value INTEGER NOT NULL, deletions INTEGER NOT NULL);
INSERT INTO revision VALUES (0, 0);
CREATE TABLE looks (
    entry INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    busy REAL NOT NULL
);
CREATE TRIGGER jobs_inserted AFTER INSERT ON jobs BEGIN
    UPDATE revision SET value = value + 1;
    UPDATE jobs SET rev = (SELECT value FROM revision) WHERE entry = NEW.entry;
END;
CREATE TRIGGER jobs_updated AFTER UPDATE ON jobs WHEN NEW.rev IS OLD.rev BEGIN
    UPDATE revision SET value = value + 1;
    UPDATE jobs SET rev = (SELECT value FROM revision) WHERE entry = NEW.entry;
END;
CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs BEGIN
    UPDATE revision SET deletions = deletions + 1;
    DELETE FROM outputs WHERE entry = OLD.entry;
    DELETE FROM looks WHERE entry = OLD.entry;
END;
"""

# Since when the service has been asked in vain: about anything where ``job_id`` is empty, else about that job.
_SILENCES = """
CREATE TABLE silences (
    context TEXT NOT NULL,
    job_id TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (context, job_id)
);
"""

# Locks that were removed with this console: ``document`` is what the lock said, whole. Keys and ids are blobs, as the store has
# them. ``despite`` is a JSON list of job ids.
_REMOVED_LOCKS = """
CREATE TABLE removed_locks (
    entry INTEGER PRIMARY KEY AUTOINCREMENT,
    context TEXT NOT NULL,
    store TEXT NOT NULL,
    key BLOB NOT NULL,
    mechanism TEXT NOT NULL,
    place TEXT NOT NULL,
    lock_id BLOB NOT NULL,
    document BLOB NOT NULL,
    proof TEXT,
    by TEXT NOT NULL,
    at TEXT NOT NULL,
    despite TEXT NOT NULL,
    outcome TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE INDEX removed_locks_by_context ON removed_locks (context, entry);
"""

_STEPS = {
    0: _JOBS + _SHARING + _SILENCES + _REMOVED_LOCKS,
    1: _SHARING + _SILENCES + _REMOVED_LOCKS,
    2: _SILENCES + _REMOVED_LOCKS,
    3: _REMOVED_LOCKS,
}
"""What leads from a version to the present one."""


def lay_out(connection: sqlite3.Connection, version: int) -> bool:
    """Bring a journal of an older ``version``, 0 for an empty database, to the present one in one transaction.

    False where something else is in the file.
    """
    if version == 0:
        [others] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if others:
            return False
    elif not is_journal(connection, version):
        return False
    connection.executescript(f"BEGIN IMMEDIATE; {_STEPS[version]} PRAGMA user_version = {VERSION}; COMMIT;")
    return True


def is_journal(connection: sqlite3.Connection, version: int) -> bool:
    """Whether what claims to be of that ``version``, 1 at least, has its tables."""
    return has_schema(connection) if version == VERSION else _has(connection, "jobs", "outputs")


def has_schema(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there; reads the file's first pages, so that common damage shows here."""
    return _has(connection, "jobs", "outputs", "looks", "revision", "silences", "removed_locks")


def _has(connection: sqlite3.Connection, *tables: str) -> bool:
    marks = ", ".join("?" for _ in tables)
    sql = f"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ({marks})"  # noqa: S608 - marks alone
    [found] = connection.execute(sql, tables).fetchone()
    return bool(found == len(tables))
