"""What is to be said of a restore before it is carried out."""

from __future__ import annotations

from collections.abc import Iterator

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.services.versions.restore.base import Base
from kumoss_console.services.versions.restore.digest import TableDigest
from kumoss_console.text import printable

ANEW = "pushed onto nothing, the objects begin a history of their own: Terraform 1.11 gives them a new lineage and serial 1"
"""What becomes of serial and lineage where nothing is there to go on from; seen on 1.11.4."""


def about_the_key(key: str, locked: bool | None, *, deleted: bool) -> Iterator[Finding]:
    """What stands in the way of a push to ``key``; ``locked`` is ``None`` where nobody could look, ``deleted`` says that the key
    holds nothing now."""
    if locked:
        yield Finding(
            code="restore.locked",
            severity=Severity.ERROR,
            subject=key,
            message="a lock is held on it: a push would be refused, or race with whoever holds it",
            remedy="state locks tells who holds it; wait for it to end",
        )
    elif locked is None:
        yield Finding(
            code="restore.lock_unknown",
            severity=Severity.WARNING,
            subject=key,
            message="it is not known whether a lock is held on it: the store could not be asked",
            remedy="look with state locks before anything is pushed",
        )
    if deleted:
        yield Finding(
            code="restore.deleted",
            severity=Severity.INFO,
            subject=key,
            message="the key holds nothing now: the newest version with content is taken for the active one",
            remedy=ANEW,
        )


def about_damage(key: str, base: Base, *, deleted: bool) -> Iterator[Finding]:
    """What it means that the active version cannot be read. Engines take an empty object for no state, and nothing else;
    ``deleted`` says that the key holds nothing now, so nothing is in the way."""
    damaged = base.damaged
    if damaged is None:
        return
    if deleted:
        yield Finding(
            code="restore.newest_damaged",
            severity=Severity.WARNING,
            subject=key,
            message=f"the newest version before the deletion is no state that an engine reads ({printable(damaged.reason)}): "
            f"what it managed is not known, serial and lineage go on from version {printable(base.version.version_id)}",
            remedy="look what was applied since that version; the object is deleted, so nothing is to be removed before the push",
        )
        return
    first_remove = (
        "a push reads first what is there, and fails on this: the commands prepare the old state, remove the damaged object with "
        f"the store's own tool, then push; {ANEW}"
    )
    yield Finding(
        code="restore.active_damaged",
        severity=Severity.WARNING if damaged.size == 0 else Severity.ERROR,
        subject=key,
        message=f"the active version is no state that an engine reads ({printable(damaged.reason)}): what it managed is not "
        f"known, serial and lineage go on from version {base.version.version_id}",
        remedy=f"look what was applied since that version; {ANEW}" if damaged.size == 0 else first_remove,
    )


def about_digest(key: str, digest: TableDigest | None) -> Iterator[Finding]:
    """What it means that the lock table has the MD5 of another state than an engine would find, or could not be asked for it."""
    if digest is None:
        return
    if digest.error is not None:
        yield Finding(
            code="restore.digest_unknown",
            severity=Severity.WARNING,
            subject=key,
            message=f"it is not known whether the lock table has the MD5 of another state: {digest.error.title}",
            remedy=f"where state pull fails on a checksum, remove the row {printable(digest.row)} of the table, then go on",
        )
    else:
        found = "that state is not there" if digest.active is None else f"the state has {digest.active}"
        yield Finding(
            code="restore.digest",
            severity=Severity.WARNING,
            subject=key,
            message=f"the lock table has the MD5 {printable(digest.told)}, and when the push comes {found}: engines refuse to "
            "read and to push as long as they differ",
            remedy="the commands remove that row before the push, which writes a new one",
        )
