"""What a discovery found, as the data both front ends print. Keys in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kumoss_console.model.importdiff import Holder, Item, Status
from kumoss_console.model.importids.proposal import propose
from kumoss_console.model.importids.worksheet import Row
from kumoss_console.model.state import finding_shape
from kumoss_console.model.suppressions import Suppression
from kumoss_console.services.discovery.imports import Imports
from kumoss_console.services.discovery.service import Discovery
from kumoss_console.services.jobs.shape import as_data


def discovery_shape(found: Discovery, items: Iterable[Item], rows: Mapping[str, Row] | None = None) -> dict[str, Any]:
    """The ``discover`` shape of the command line. ``items`` are those to list; the counts are of all. ``rows`` are the rows of a
    worksheet, by identifier."""
    comparison = found.comparison
    return {
        "workspace": found.request.workspace,
        "scope": found.request.scope,
        "provider": found.request.provider.value,
        "jobs": [as_data(job) for job in found.jobs],
        "counts": counts(found),
        "items": [item_shape(item, found, (rows or {}).get(item.id)) for item in items],
        "findings": [finding_shape(finding) for finding in found.findings],
        "state": {"key": (comparison.here if comparison is not None else "") or None},
        "bucket": {
            "states": found.bucket.states_read + found.bucket.failed,
            "read": found.bucket.states_read,
            "could_not_look": [state.key for state in found.bucket.states if state.status == "could_not_look"],
            "error": found.bucket.error.title if found.bucket.error is not None else None,
        },
    }


def counts(found: Discovery) -> dict[str, int]:
    """Items by status, suppressed ones among them; then how many are suppressed, and how many cannot be compared."""
    comparison = found.comparison
    if comparison is None:
        return {}
    return comparison.counts | {
        "suppressed": len(found.covered),
        "incomparable": sum(item.incomparable for item in comparison.items),
        "total": len(comparison.items),
    }


def item_shape(item: Item, found: Discovery, row: Row | None = None) -> dict[str, Any]:
    """``type`` is the one that a state has, else the guess; ``import`` is there for what could be imported."""
    return {
        "id": item.id,
        "status": item.status.value,
        "kind": item.kind,
        "type": item.type or _guess(item, found),
        "managed_by": [_holder(holder) for holder in item.holders],
        "code": item.code or None,
        "reason": item.reason or None,
        "suppressed": suppression_shape(found.covered.get(item.id)),
        "import": _import(item, found, row),
    }


def _guess(item: Item, found: Discovery) -> str | None:
    return propose(found.request.provider, item.id).type or None if item.status is Status.UNMANAGED else None


def _holder(holder: Holder) -> dict[str, Any]:
    return {
        "key": holder.key or None,
        "owner": holder.owner or None,
        "address": holder.address or None,
        "type": holder.type or None,
        "here": holder.here,
    }


def suppression_shape(one: Suppression | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "pattern": one.pattern,
        "reason": one.reason,
        "author": one.author,
        "expires": one.expires.isoformat() if one.expires is not None else None,
        "place": one.place,
    }


def _import(item: Item, found: Discovery, row: Row | None) -> dict[str, Any] | None:
    if row is not None:
        return row_shape(row)
    if item.status is not Status.UNMANAGED:
        return None
    proposal = propose(found.request.provider, item.id)
    return {
        "address": proposal.address or None,
        "id": proposal.import_id,
        "certain": proposal.certain,
        "note": proposal.note or None,
        "faults": [],
    }


def row_shape(row: Row) -> dict[str, Any]:
    """One row of a worksheet."""
    return {
        "address": row.address or None,
        "id": row.import_id or None,
        "certain": row.certain,
        "note": row.note or None,
        "faults": list(row.faults),
    }


def imports_shape(imports: Imports) -> dict[str, Any]:
    """What became of a submitted worksheet."""
    return {
        "complete": imports.complete,
        "stopped": imports.stopped or None,
        "rows": [
            {
                "address": step.row.address,
                "id": step.row.import_id,
                "outcome": step.outcome.value,
                "job_id": step.job.job_id if step.job is not None else None,
                "detail": step.detail or None,
            }
            for step in imports.steps
        ],
    }
