"""What the bucket service gives, as the data both front ends print. Keys in a fixed order, times UTC with ``Z``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.moment import iso_or_none
from kumoss_console.model.state import finding_shape, lock_shape, state_shape
from kumoss_console.services.bucket.listing import StateRow
from kumoss_console.services.bucket.service import HeldLock, StateDetail


def detail_shape(detail: StateDetail, now: datetime) -> dict[str, Any]:
    """The ``state`` shape of the command line, then where it lies and how it is locked. ``now`` gives the lock its age."""
    shape = state_shape(detail.state, now, lock=detail.lock)
    shape["findings"] += [finding_shape(finding) for finding in lock_findings(detail)]
    return shape | {
        "key": detail.info.key,
        "modified": iso_or_none(detail.info.modified),
        "etag": detail.info.etag,
        "owner": owner_shape(detail.owner),
        "lock_status": detail.lock_status,
    }


def lock_findings(detail: StateDetail) -> tuple[Finding, ...]:
    """What is odd about the lock of a state, beyond what the state itself says."""
    if detail.lock_error is not None:
        return (_not_looked(detail.info.key, detail.lock_error),)
    if detail.lock_document is None or detail.state.lock is not None:
        return ()
    return detail.lock_document.findings


def row_shape(row: StateRow) -> dict[str, Any]:
    """One row of the listing."""
    return {
        "key": row.key,
        "kind": row.kind,
        "base": row.base or row.key,
        "workspace": row.workspace,
        "project_id": row.project_id,
        "owner": owner_shape(row.owner),
        "size": row.size,
        "modified": iso_or_none(row.modified),
        "locked": row.locked,
        "locked_at": iso_or_none(row.locked_at),
    }


def held_lock_shape(held: HeldLock, now: datetime) -> dict[str, Any]:
    """One held lock."""
    return {
        "key": held.key,
        "owner": owner_shape(held.owner),
        "lock": None if held.lock is None else lock_shape(held.lock, now),
        "since": iso_or_none(held.since),
        "reason": (held.document.reason or None) if held.document else (held.error.title if held.error else None),
    }


def owner_shape(owner: KnownProject | None) -> dict[str, Any] | None:
    if owner is None:
        return None
    return {"name": owner.name, "repo": owner.repo, "scope": owner.scope, "path": owner.path}


def _not_looked(key: str, error: ConsoleError) -> Finding:
    return Finding(
        code="lock.unknown",
        severity=Severity.WARNING,
        subject=key,
        message=f"whether a lock is held is not known: {error.title}",
        remedy=error.hint,
    )
