"""A trace as the data both front ends give out. Keys in a fixed order, times as moments."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from kumoss_console.model.moment import iso_or_none
from kumoss_console.model.trace import Identity, Place, Stored, Trace
from kumoss_console.model.trace.layers import Layer


def trace_shape(trace: Trace) -> dict[str, Any]:
    """The ``trace`` shape of the command line. ``next`` is what to type, never run from here."""
    evidence = trace.evidence
    return {
        "verdict": trace.verdict,
        "summary": trace.summary,
        "layers": [_layer(layer, trace.at) for layer in trace.layers],
        "findings": [asdict(finding) for finding in trace.findings],
        "cause": trace.cause or None,
        "active": _place(trace.place),
        "project": _identity(evidence.project),
        "project_from": evidence.project_from or ("given" if evidence.project is not None else None),
        "workspace": evidence.workspace,
        "engine": evidence.engine_label or None,
        "engine_assumed": evidence.engine_assumed,
        "ownership": {
            "model": evidence.ownership.model,
            "certain": evidence.ownership.certain,
            "explanation": evidence.ownership.explanation,
        },
        "candidates": [
            {"why": one.why, "strong": one.strong, "project": _identity(one.identity), "object": _stored(one.stored, trace.at)}
            for one in evidence.candidates
        ],
        "next": [{"purpose": step.purpose, "command": step.command} for step in trace.steps],
    }


def _layer(layer: Layer, now: datetime) -> dict[str, Any]:
    place = layer.place
    return {
        "layer": layer.layer,
        "status": layer.status,
        "bucket": place.bucket if place is not None else None,
        "key": place.key if place is not None else None,
        "evidence": layer.evidence,
        "detail": layer.detail,
        "type": place.type if place is not None else None,
        "store": place.store if place is not None else None,
        "at": iso_or_none(layer.at),
        "age_seconds": None if layer.at is None else int((now - layer.at).total_seconds()),
        "objects": [_stored(one, now) for one in layer.stored],
    }


def _stored(stored: Stored, now: datetime) -> dict[str, Any]:
    lock = None
    if stored.lock_status == "locked":
        age = None if stored.since is None else int((now - stored.since).total_seconds())
        lock = {"holder": stored.holder, "operation": stored.operation, "created": iso_or_none(stored.since), "age_seconds": age}
    return {
        "key": stored.key,
        "role": stored.role or None,
        "status": stored.status,
        "serial": stored.serial,
        "lineage": stored.lineage,
        "engine_version": stored.engine_version,
        "resources": stored.resources,
        "size": stored.size,
        "modified": iso_or_none(stored.modified),
        "lock_status": stored.lock_status,
        "lock": lock,
        "version_id": stored.version,
        "versions": None
        if stored.kept is None
        else {
            "status": stored.kept.status,
            "earlier": stored.kept.earlier if stored.kept.status == "known" else None,
            "newest": iso_or_none(stored.kept.newest),
            "deleted": iso_or_none(stored.kept.deleted),
            "detail": stored.kept.detail,
        },
        "owner": stored.owner or None,
        "detail": stored.detail,
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {"type": place.type, "store": place.store, "bucket": place.bucket, "key": place.key}


def _identity(identity: Identity | None) -> dict[str, str] | None:
    return None if identity is None else asdict(identity)
