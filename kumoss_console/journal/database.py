"""The journal's file: opened when first needed, private, shared by several consoles, and set aside where it is damaged."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import Refused, Unusable
from kumoss_console.journal.aside import set_aside, set_asides
from kumoss_console.journal.salvage import salvage
from kumoss_console.journal.schema import VERSION, has_schema, lay_out
from kumoss_console.model.journal import SetAside
from kumoss_console.text import printable

T = TypeVar("T")

BUSY_SECONDS = 5.0
"""How long one console waits for another's write. Ours take milliseconds."""

CLOSE_SECONDS = 0.2

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class Database:
    """One connection, used by one thread at a time and never by the event loop's. Raises :class:`Refused` only."""

    def __init__(self, path: Path, *, patience: float = BUSY_SECONDS) -> None:
        """``patience`` is how many seconds another's write is waited for."""
        self._path = path
        self._patience = patience
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened_file: tuple[int, int] | None = None
        self._closed = False
        self._suspect = False
        self.notices: tuple[str, ...] = ()

    @property
    def busy(self) -> bool:
        return self._lock.locked()

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """``work`` in one transaction, off the loop. It may run twice: a file found damaged is replaced by an empty one."""
        return await run_blocking(self._run, work, "BEGIN IMMEDIATE")

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """As :meth:`write`, beside the writes of other consoles."""
        return await run_blocking(self._run, work, "BEGIN")

    async def tidy(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """``work`` outside any transaction; left out where another console is at work."""

        def tidied(connection: sqlite3.Connection) -> None:
            try:
                work(connection)
            except sqlite3.OperationalError:
                return  # busy: the next time will do

        await run_blocking(self._run_plain, tidied)

    async def aside(self) -> tuple[SetAside, ...]:
        """The damaged files that lie beside this one, after a look whether this one is damaged."""
        return await self.read(lambda _: set_asides(self._path))

    def _run_plain(self, work: Callable[[sqlite3.Connection], None]) -> None:
        with self._lock:
            try:
                work(self._connected())
            except (sqlite3.DatabaseError, OSError) as error:
                raise self._unavailable(error) from None
            finally:
                if self._closed:
                    self._disconnect()

    def close(self) -> None:
        """At once. A call that is under way (it may wait for another console) is not waited for; it closes the file itself."""
        self._closed = True
        if self._lock.acquire(timeout=CLOSE_SECONDS):
            try:
                self._disconnect()
            finally:
                self._lock.release()

    def _run(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        with self._lock:
            try:
                return self._twice(work, begin)
            finally:
                if self._closed:
                    self._disconnect()

    def _twice(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        try:
            return self._transaction(work, begin)
        except sqlite3.DatabaseError as error:
            if not _is(error, _DAMAGE):
                raise self._unavailable(error) from None
            self._suspect = True
            self._disconnect()
        except OSError as error:
            raise self._unavailable(error) from None
        try:
            return self._transaction(work, begin)
        except (sqlite3.DatabaseError, OSError) as error:
            raise self._unavailable(error) from None

    def _transaction(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        connection = self._connected()
        connection.execute(begin)
        # Leaving the block commits; an exception rolls back.
        with connection:
            return work(connection)

    def _connected(self) -> sqlite3.Connection:
        if self._closed:
            raise Refused("the job journal is closed", hint="open the console again", code="journal.closed")
        if self._connection is not None and _identity(self._path) != self._opened_file:
            # Another console set the file aside, or somebody removed it: what we wrote there nobody would find.
            self._disconnect()
        if self._connection is None:
            make_private(self._path)
            # One console at a time opens: two must not both set aside what the first of them has already replaced.
            with _opening(self._path):
                self._connection = self._opened()
            self._opened_file = _identity(self._path)
        return self._connection

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._verified()
        except sqlite3.DatabaseError as error:
            if not _is(error, _DAMAGE):
                raise
            aside = set_aside(self._path, datetime.now(UTC))
            said = f"The job journal was damaged ({printable(str(error))}). It is kept as {aside}; a new one was begun"
        make_private(self._path)
        connection = self._verified()
        connection.execute("BEGIN IMMEDIATE")
        with connection:
            jobs = salvage(aside, connection)
        said += f", with the {jobs} jobs that could still be read." if jobs else "."
        self.notices = (*self.notices, said)
        return connection

    def _verified(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=self._patience, isolation_level=None, check_same_thread=False)
        try:
            # Only an empty file takes this: retention can then give space back without copying the whole file.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            # WAL: readers of one console do not wait for the writer of another. FULL: an id we were given survives a power cut.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            self._check(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> None:
        if self._suspect:
            [said] = connection.execute("PRAGMA quick_check(1)").fetchone()
            if said != "ok":
                damage = sqlite3.DatabaseError(said)
                damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
                raise damage
            self._suspect = False
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise Unusable(
                "the job journal was written by a newer version of this console",
                detail=f"{self._path} has version {version}, this console knows {VERSION}",
                hint="update this console; or give it a state folder of its own with XDG_STATE_HOME",
                code="journal.newer",
            )
        if version < VERSION and not lay_out(connection, version):
            raise self._foreign()
        if not has_schema(connection):
            raise self._foreign()

    def _foreign(self) -> Unusable:
        return Unusable(
            f"{self._path} is a database, but not a job journal",
            hint="move it away: the console begins a new one",
            code="journal.foreign",
        )

    def _unavailable(self, error: sqlite3.Error | OSError) -> Unusable:
        if _is(error, _BUSY):
            return Unusable(
                "the job journal is busy: another console, or another program, is at work in it",
                detail=f"{self._path}: {printable(str(error))}, for {self._patience:g} s",
                hint="try again; if it stays so, see which program has the file open",
                code="journal.busy",
            )
        return Unusable(
            "the job journal cannot be used",
            detail=f"{self._path}: {printable(str(error))}",
            hint="make its folder writable and free some space; XDG_STATE_HOME names another folder",
            code="journal.unavailable",
        )

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _is(error: sqlite3.Error | OSError, codes: frozenset[int]) -> bool:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in codes


def make_private(path: Path) -> None:
    """The file exists, for its owner only. SQLite gives the files beside it the same mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        # Created here, not by SQLite, so that it is never readable by others, not even for a moment.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        # By name: closing a descriptor of a database in use would drop the locks that SQLite holds in this process.
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
