"""A state document at hand, and the object of the bucket that is the same state: one manager, never two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.importdiff.held import StateIds


def own_of(given: StateIds, read: Sequence[StateIds], key: str) -> StateIds | None:
    """The object of the bucket that is the workspace's own state: the one at ``key`` where that is named; else the one with the
    document's lineage, of several the newest; else, where a lineage is not known, one with exactly its identifiers."""
    if key:
        return next((state for state in read if state.key == key), None)
    if given.lineage:
        alike = [state for state in read if state.lineage == given.lineage]
        if alike:
            return max(alike, key=lambda state: (set(state.contract_ids) == set(given.contract_ids), state.serial or 0))
    ids = frozenset(given.contract_ids)
    unsure = (state for state in read if not (state.lineage and given.lineage))
    return next((state for state in unsure if ids and frozenset(state.contract_ids) == ids), None)


def newer(given: StateIds, own: StateIds) -> tuple[StateIds, list[Finding]]:
    """Of a document and its object in the bucket the one to compare, under the object's key, and what to say of that. Where the
    operator named a key with another lineage, the bucket's counts: that is what the engine uses."""
    if given.lineage and own.lineage and given.lineage != own.lineage:
        message = f"is another state than the one at {own.key}, for their lineages differ: the one in the bucket is compared"
        return own, [_said("discover.other_lineage", Severity.WARNING, given.key, message)]
    if given.serial is None or own.serial is None or given.serial == own.serial:
        return _under(given, own), []
    if given.serial < own.serial:
        message = (
            f"has serial {given.serial:,} and is older than the state at {own.key} with serial {own.serial:,}: "
            "the one in the bucket is compared"
        )
        return own, [_said("discover.document_older", Severity.WARNING, given.key, message)]
    message = (
        f"has serial {given.serial:,} and is newer than the state at {own.key} with serial {own.serial:,}: "
        "the document is compared"
    )
    return _under(given, own), [_said("discover.document_newer", Severity.INFO, given.key, message)]


def _under(given: StateIds, own: StateIds) -> StateIds:
    return replace(given, key=own.key, owner=own.owner)


def _said(code: str, severity: Severity, subject: str, message: str) -> Finding:
    return Finding(
        code=code,
        severity=severity,
        subject=subject,
        message=message,
        remedy="leave out --state-ids to compare what the workspace's state has now",
    )
