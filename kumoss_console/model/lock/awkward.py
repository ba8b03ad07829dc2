"""What is odd about a held lock, by name, with what to do about it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from kumoss_console.model.duration import in_words
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.lock.document import Lock, LockDocument, is_plain, plain, state_path
from kumoss_console.model.lock.taken import CLOCKS_DIFFER, Taken
from kumoss_console.text import printable


def awkward(
    key: str, document: LockDocument, *, bucket: str, taken: Taken, now: datetime, stateless: bool = False
) -> tuple[Finding, ...]:
    """``bucket`` is the bucket, or container, of the state ``key``. ``stateless``: no state lies beside the lock."""
    own = tuple(replace(finding, subject=key) for finding in document.findings)
    if (lock := document.lock) is not None:
        own = (*own, *_of_its_time(key, taken, now), *_of_its_path(key, lock, bucket))
    return (*own, *((_stateless(key),) if stateless else ()))


def digest_differs(key: str, table: str, state: str) -> Finding:
    """The table has another MD5 than the state: engines refuse the state until both are the same."""
    return Finding(
        code="lock.digest",
        severity=Severity.ERROR,
        subject=key,
        message=f"the lock table says that the state has the MD5 {table}, and it has {state}: engines refuse to read it",
        remedy=(
            f"find out which state is right (state versions); if this one is, set Digest of the row ending in -md5 to {state}"
        ),
    )


def digest_without_state(key: str) -> Finding:
    return Finding(
        code="lock.digest",
        severity=Severity.WARNING,
        subject=key,
        message="the lock table has the MD5 of a state that is not there: engines neither read nor write the key",
        remedy=(
            "remove the row with the suffix -md5: before it is gone no state can be pushed, either. "
            "state restore-plan tells the way back, with this step in it"
        ),
    )


def released(key: str, at: datetime | None, older: int) -> Finding:
    """The lock object was deleted in a bucket that keeps versions."""
    when = f" on {at:%Y-%m-%d at %H:%M:%S} UTC" if at is not None else ""
    kept = f"; {older} older lock documents lie under it" if older > 1 else "; the lock document lies under it" if older else ""
    return Finding(
        code="lock.delete_marker",
        severity=Severity.INFO,
        subject=key,
        message=f"no lock is held: a delete marker lies over the lock object, which was released{when}{kept}",
        remedy="leave the marker where it is: without it the old lock would be back",
    )


def left_without_a_lease(key: str, lock: Lock | None) -> Finding:
    """The metadata of a lock lies on a blob that nobody holds a lease on; ``lock`` is ``None`` where it cannot be read."""
    whose = f" of {printable(lock.holder)}" if lock is not None and lock.holder else ""
    named = f" ({printable(lock.id)})" if lock is not None and lock.id else ""
    return Finding(
        code="lock.metadata_left",
        severity=Severity.INFO,
        subject=key,
        message=f"no lock is held: there is no lease, and the metadata of a lock{whose}{named} was left on the blob",
        remedy="engines take no notice of it: the next one that locks writes its own over it",
    )


def _of_its_time(key: str, taken: Taken, now: datetime) -> Iterator[Finding]:
    if taken.said is None:
        yield Finding(
            code="lock.age_unknown",
            severity=Severity.INFO,
            subject=key,
            message="the lock does not say when it was taken",
            remedy="go by when the store wrote it" if taken.written is not None else "",
        )
    elif taken.said - now > CLOCKS_DIFFER:
        beside = f"; the store wrote it {in_words(now - taken.written)} ago" if taken.written is not None else ""
        yield Finding(
            code="lock.clock_ahead",
            severity=Severity.WARNING,
            subject=key,
            message=f"the holder's clock is ahead: it took the lock {in_words(taken.said - now)} from now{beside}",
            remedy="set the clocks (NTP) of the holder and of this machine; do not go by the age of this lock",
        )
    elif (behind := taken.behind) is not None:
        yield Finding(
            code="lock.clock_behind",
            severity=Severity.WARNING,
            subject=key,
            message=(
                f"the holder's clock is behind, or the lock was copied here: it says that it was taken {in_words(behind)} before "
                "the store wrote it, which is what its age is counted from"
            ),
            remedy="set the clock (NTP) of the holder; do not go by the time in this lock",
        )


def _of_its_path(key: str, lock: Lock, bucket: str) -> Iterator[Finding]:
    if not lock.path:
        yield Finding(
            code="lock.no_path",
            severity=Severity.INFO,
            subject=key,
            message="the lock does not say which state it is of, as those of engines do: no engine's command is given for it",
            remedy="where it has to go, remove it here (state unlock)",
        )
    elif not is_plain(key) and lock.path == state_path(bucket, plain(key)):
        yield Finding(
            code="lock.other_spelling",
            severity=Severity.WARNING,
            subject=key,
            message=f"the store takes this key for {plain(key)}, whose lock this is",
            remedy=f"ask for {plain(key)}",
        )
    elif lock.path != state_path(bucket, key):
        yield Finding(
            code="lock.other_path",
            severity=Severity.WARNING,
            subject=key,
            message=(
                f"the lock says that it is one of {lock.path}: it was copied here, or the state was moved with its lock; no "
                "engine's command is given, since by this id it may remove the lock that is there"
            ),
            remedy="see who holds the lock at that path before removing this one",
        )
    elif lock.id.startswith("-"):
        yield Finding(
            code="lock.flag_id",
            severity=Severity.INFO,
            subject=key,
            message="the lock's id begins with a dash: no engine's command is given, since an engine would take it for a flag",
        )


def _stateless(key: str) -> Finding:
    return Finding(
        code="lock.stateless",
        severity=Severity.WARNING,
        subject=key,
        message="there is no state beside the lock: a first apply is under way, or one left its lock behind",
        remedy="see whether a run is under way; if none is, remove the lock",
    )
