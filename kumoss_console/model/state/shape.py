"""Documents as the data both front ends print: the ``state`` shape of the command line, keys in that order.

Fields of our own follow the promised ones. Nothing is truncated; texts are raw, the printer neutralises them.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from kumoss_console.model.finding import Finding
from kumoss_console.model.lock import Lock
from kumoss_console.model.state.document import DocumentKind, StateDocument
from kumoss_console.model.state.providers import providers_of
from kumoss_console.model.state.sensitive import masked


def state_shape(document: StateDocument, now: datetime, *, lock: Lock | None = None) -> dict[str, Any]:
    """``document`` as data. ``lock`` is the lock held on it; a lock document brings its own. ``now`` is aware, for the age."""
    held = document.lock.lock if document.lock is not None else lock
    return {
        "kind": document.kind.value,
        "readable": document.readable,
        "format_version": document.format_version,
        "engine_version": document.engine_version,
        "serial": document.serial,
        "lineage": document.lineage,
        "counts": None if document.counts is None else asdict(document.counts),
        "ids": list(document.ids),
        "lock": None if held is None else lock_shape(held, now),
        "findings": [finding_shape(finding) for finding in document.findings],
        "form": document.form.value,
        "reason": document.reason or None,
        "engine_error": document.engine_error,
        "engine": document.engine,
        "size": document.size,
        "ids_only_from_deposed": list(document.ids_only_from_deposed),
        "recovered_ids": list(document.recovered_ids),
        "skipped": [asdict(item) for item in document.skipped],
        "resources": [asdict(row) for row in document.resources],
        "outputs": [asdict(row) for row in document.outputs],
    } | _of_its_kind(document)


def _of_its_kind(document: StateDocument) -> dict[str, Any]:
    if document.kind is DocumentKind.STATE:
        return {
            "providers": [asdict(row) for row in providers_of(document.resources)],
            "checks": [asdict(row) for row in document.checks],
        }
    if document.kind is DocumentKind.ENCRYPTED:
        return {"key_providers": list(document.key_providers), "encryption_version": document.encryption_version}
    if document.kind is DocumentKind.DEPENDENCY_LOCK:
        return {"providers": [asdict(provider) for provider in document.providers]}
    if document.backend is not None:
        return {"backend": {"type": document.backend.type, "config": dict(document.backend.config)}}
    if document.lock is not None:
        found = document.lock
        workspace = found.lock.workspace if found.lock is not None else None
        return {"lock_id_hint": found.id_hint, "workspace": workspace, "digest": found.digest, "lease": found.lease}
    return {}


def lock_shape(lock: Lock, now: datetime | None) -> dict[str, Any]:
    """A lock as data; ``created`` in the holder's own spelling, ``age_seconds`` rounded down, ``None`` where unknown."""
    return {
        "id": lock.id,
        "holder": lock.holder,
        "operation": lock.operation,
        "engine_version": lock.engine_version,
        "created": lock.created,
        "path": lock.path,
        "info": str(masked(lock.info)),
        "age_seconds": None if now is None else lock.age_seconds(now),
    }


def finding_shape(finding: Finding) -> dict[str, Any]:
    """A finding as data."""
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "subject": finding.subject,
        "message": finding.message,
        "remedy": finding.remedy,
    }
