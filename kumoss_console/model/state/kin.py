"""What lies beside states: locks of all kinds, dependency locks, backend settings, and states that are encrypted."""

from __future__ import annotations

from typing import Any

import msgspec

from kumoss_console.model.dependency_lock import parse_dependency_lock
from kumoss_console.model.finding import Severity
from kumoss_console.model.lock import LockDocument, recognise_lock
from kumoss_console.model.state import repair
from kumoss_console.model.state.document import BackendCache, DocumentKind, Form, StateDocument
from kumoss_console.model.state.sensitive import masked_json
from kumoss_console.model.state.verdicts import NO_VERSION, backend_cache_finding, refused
from kumoss_console.model.state.wire import Head


def encrypted(raw: bytes, head: Head) -> StateDocument:
    """A state that OpenTofu encrypted: what is in clear at its top, where something is."""
    meta = _object(bytes(head.meta))
    return StateDocument(
        kind=DocumentKind.ENCRYPTED,
        form=Form.ENCRYPTED,
        readable=False,
        size=len(raw),
        reason="OpenTofu state encryption",
        engine_error=NO_VERSION,
        engine="opentofu",
        serial=head.serial if type(head.serial) is int else None,
        lineage=head.lineage if isinstance(head.lineage, str) else None,
        key_providers=tuple(meta),
        encryption_version=head.encryption_version if isinstance(head.encryption_version, str) else None,
        # Not a fault: somebody wanted it so.
        findings=(refused(Form.ENCRYPTED, "OpenTofu state encryption", severity=Severity.INFO),),
    )


def backend_cache(raw: bytes, head: Head) -> StateDocument:
    """``.terraform/terraform.tfstate``, which names a backend and holds no state."""
    backend = _object(bytes(head.backend))
    type_ = backend.get("type")
    config = backend.get("config")
    values = config.items() if isinstance(config, dict) else ()
    return StateDocument(
        kind=DocumentKind.UNKNOWN,
        form=Form.BACKEND_CACHE,
        readable=True,
        size=len(raw),
        reason="backend settings, not a state",
        backend=BackendCache(
            type=type_ if isinstance(type_, str) else "",
            config=tuple((name, _shown(name, value)) for name, value in values if value is not None),
        ),
        findings=(backend_cache_finding(),),
    )


def _shown(name: str, value: Any) -> str:
    text = masked_json(value, name=name)
    return str(msgspec.json.decode(text)) if text.startswith('"') else text


def lock_document(raw: bytes, lock: LockDocument) -> StateDocument:
    """A lock that was read."""
    return StateDocument(
        kind=DocumentKind.LOCK,
        form=Form.LOCK,
        readable=lock.readable,
        size=len(raw),
        reason=lock.reason,
        engine_error=lock.engine_error,
        lock=lock,
        findings=lock.findings,
    )


def lock_in(raw: bytes) -> StateDocument | None:
    """The lock of another mechanism than an object in the bucket: a table, a lease, an engine's words."""
    found = recognise_lock(raw)
    return None if found is None else lock_document(raw, found)


def dependency_lock(raw: bytes) -> StateDocument:
    """``.terraform.lock.hcl``: providers and their hashes."""
    found = parse_dependency_lock(raw.decode("utf-8-sig", errors="replace"))
    return StateDocument(
        kind=DocumentKind.DEPENDENCY_LOCK,
        form=Form.DEPENDENCY_LOCK,
        readable=found.error is None,
        size=len(raw),
        reason=found.error or "",
        engine_error=found.error,
        providers=found.providers,
        findings=found.findings,
    )


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = repair.decode(raw)[0] if raw else None
    except msgspec.DecodeError:
        return {}
    return value if isinstance(value, dict) else {}
