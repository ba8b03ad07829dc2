"""What the holder of a state lock wrote, and how far it can be read.

An object that cannot be read still locks: the engines look whether it exists, not what it says.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from kumoss_console.model.finding import Finding

LOCK_SUFFIX = ".tflock"
"""What the s3 backend appends to the key of the state."""

LockMechanism = Literal["object", "lease", "table"]
"""How a lock is kept: a lock object beside the state, a lease on the state's blob, a row in a DynamoDB table."""

UNASKED = "lock.lease_unasked"
"""The code of the finding that nobody could tell whether a lock in a blob's metadata is of the lease that is held."""

_ZERO_YEAR = 1
_RFC3339 = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?\s?(?:([Zz])|([+-]\d\d):?(\d\d))(?: \S+)?(?: m=\S+)?\Z")
_WORKSPACE = re.compile(r"(?:^|/)env:/([^/]+)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """What the holder wrote. Every text is as written, hostile until printed; empty where nothing was written.

    ``created`` is the holder's own spelling, to the nanosecond; :attr:`since` is the moment it means.
    """

    id: str
    holder: str
    operation: str
    engine_version: str
    created: str | None
    path: str
    info: str

    @property
    def since(self) -> datetime | None:
        """When the lock was taken, rounded up to the microsecond; ``None`` where unknown or Go's zero time."""
        return None if self.created is None else moment(self.created)

    @property
    def user_and_host(self) -> tuple[str, str]:
        """The holder split at its last ``@``: ``ACME\\jo@nested@WS-17`` is ``ACME\\jo@nested`` on ``WS-17``."""
        user, at, host = self.holder.rpartition("@")
        return (user, host) if at else (self.holder, "")

    @property
    def workspace(self) -> str | None:
        """The engine's workspace that the path names, ``None`` for the default one."""
        found = _WORKSPACE.search(self.path)
        return found[1] if found else None

    def age(self, now: datetime) -> timedelta | None:
        """Time since the lock was taken. Negative where the holder's clock is ahead of ours."""
        since = self.since
        return None if since is None else now - since

    def age_seconds(self, now: datetime) -> int | None:
        """:meth:`age` in whole seconds, rounded down."""
        age = self.age(now)
        return None if age is None else math.floor(age.total_seconds())


@dataclass(frozen=True, slots=True, kw_only=True)
class LockDocument:
    """A lock document, read as far as it can be. ``lock`` is ``None`` where it cannot, and the state is locked all the same.

    ``id_hint`` is a lock id still legible in a damaged document; ``digest`` the state's MD5 of a DynamoDB table; ``lease`` the
    duration of an Azure blob lease.
    """

    lock: Lock | None
    reason: str = ""
    engine_error: str | None = None
    id_hint: str | None = None
    digest: str | None = None
    lease: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def readable(self) -> bool:
        return self.lock is not None

    @property
    def ends_by_itself(self) -> bool:
        """Whether the lease has an end, or is being broken: it is a minute old at most, or somebody renews it."""
        return self.lease in {"fixed", "breaking"}

    @property
    def unasked(self) -> bool:
        """Whether nobody could tell that the lock is of the lease that is held."""
        return any(finding.code == UNASKED for finding in self.findings)


def moment(text: str) -> datetime | None:
    """RFC 3339 with any fraction, or Go's own ``2026-11-30 14:00:00.1 +0000 UTC``; ``None`` for anything else and for year 1.

    Rounded up to the microsecond, so that an age in whole seconds is never one too many.
    """
    found = _RFC3339.match(text.strip())
    if found is None:
        return None
    date, time, fraction, _, hours, minutes = found.groups()
    offset = "+00:00" if hours is None else f"{hours}:{minutes}"
    try:
        whole = datetime.fromisoformat(f"{date}T{time}{offset}")
        if whole.year <= _ZERO_YEAR:
            return None
        digits = (fraction or "").ljust(6, "0")
        micro = int(digits[:6]) + (1 if digits[6:].strip("0") else 0)
        return (whole + timedelta(microseconds=micro)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_plain(key: str) -> bool:
    """Whether no store can take ``key`` for another one: some drop a slash in front and those behind another slash."""
    return "" not in key.split("/")


def plain(key: str) -> str:
    """``key`` as such a store has it."""
    return "/".join(part for part in key.split("/") if part)


def state_path(bucket: str, key: str) -> str:
    """What an engine writes as the ``Path`` of the lock on the state ``key`` of ``bucket``, on Azure of a container."""
    return f"{bucket}/{key}"
