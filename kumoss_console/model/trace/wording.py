"""The words that verdicts, layers and remedies share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from kumoss_console.model.duration import in_words
from kumoss_console.model.names import operation_name
from kumoss_console.model.trace.evidence import Evidence, Stored
from kumoss_console.model.trace.place import Place, outside
from kumoss_console.model.trace.suspects import Identity

_DIGEST = re.compile(r"(\A|/)([0-9a-f]{4})[0-9a-f]{56}([0-9a-f]{4})(/|\Z)")


def short(key: str) -> str:
    """``10d0…3bd1/terraform.tfstate``: a digest by its ends, of an engine's workspace as well; any other key as it is."""
    return _DIGEST.sub(r"\1\2…\3\4", key)


def where(place: Place, *, than: Place | None = None) -> str:
    """The place in words; of what ``than`` has as well only the key is said."""
    if place.type == "local":
        return f"the file {place.key or 'terraform.tfstate'} in the workspace"
    parts = []
    if than is None or place.type != than.type:
        parts.append(f"backend {place.type}" if place.type != "s3" or than is not None else "")
    if place.bucket and (than is None or place.bucket != than.bucket):
        parts.append(f"bucket {place.bucket}")
    if place.key is not None:
        parts.append(f"key {short(place.key)}")
    if place.store is not None and than is not None and place.store != than.store:
        named = place.store or ("AWS" if place.type == "s3" else "")
        parts.append(f"at {named}" if named else "")
    return " ".join(part for part in parts if part) or f"backend {place.type}"


def full(place: Place) -> str:
    """Bucket, endpoint or account, and key: enough to tell two stores apart before anything is typed."""
    at = f"at {place.store}" if place.store else "at AWS" if place.type == "s3" and place.store is not None else ""
    parts = (f"{place.type} {place.bucket}" if place.bucket else place.type, at, f"key {short(place.key)}" if place.key else "")
    return " ".join(part for part in parts if part)


def stored_at(evidence: Evidence, place: Place) -> Stored:
    """What the store holds at ``place``; *unknown* with the reason where this console cannot look there."""
    reason = outside(place, evidence.reads)
    key = place.key or ""
    if reason:
        return Stored(key=key, status="unknown", detail=f"this console cannot look there: {reason}")
    return evidence.stored.get(key) or Stored(key=key, status="unknown", detail="nobody looked")


def held_at(evidence: Evidence, place: Place) -> Stored:
    """As :func:`stored_at`, and of a local state what was read in its file, of a near-miss what was found."""
    local = evidence.local
    if place.type == "local" and local is not None and local.key == place.key:
        return local
    near = next((one.stored for one in evidence.candidates if one.stored.key == place.key), None)
    return stored_at(evidence, place) if near is None or outside(place, evidence.reads) else near


def serial(stored: Stored) -> str:
    """``serial 41, 118 resources``, as far as it is known."""
    parts = []
    if stored.serial is not None:
        parts.append(f"serial {stored.serial}")
    if stored.resources is not None:
        parts.append(f"{stored.resources:,} resource{'' if stored.resources == 1 else 's'}")
    return ", ".join(parts) or "not readable as a state"


def state_of(stored: Stored) -> str:
    """``the old state`` in brackets: what is known of it."""
    return f"({serial(stored)})"


def locked(evidence: Evidence, stored: Stored) -> str:
    """Who holds the lock, for how long, doing what; empty where no lock is held."""
    if stored.lock_status != "locked":
        return ""
    by = f" by {stored.holder}" if stored.holder else ""
    for_ = f" for {in_words(evidence.now - stored.since)}" if stored.since is not None else ""
    doing = operation_name(stored.operation)
    return f"locked{by}{for_}" + (f" ({doing})" if doing else "")


def present(evidence: Evidence, stored: Stored) -> str:
    """One line on a state that exists."""
    lock = locked(evidence, stored) or {"unlocked": "unlocked"}.get(stored.lock_status, "whether it is locked is not known")
    age = f"modified {in_words(evidence.now - stored.modified)} ago" if stored.modified is not None else ""
    lineage = f"lineage {stored.lineage}" if stored.lineage else ""
    return " · ".join(part for part in (serial(stored), lineage, lock, age, stored.detail) if part)


def change(before: Identity, after: Identity) -> str:
    """``Module path changed from prod to envs/prod``, for all that differs."""
    said = {"repo": "the repository was renamed from {} to {}", "scope": "the scope changed from {} to {}"}
    parts = []
    for name in before.changed(after):
        old, new = getattr(before, name) or "(empty)", getattr(after, name) or "(empty)"
        parts.append(said.get(name, "the module path changed from {} to {}").format(old, new))
    return listed(parts)


def listed(parts: Sequence[str]) -> str:
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def age(evidence: Evidence, moment: datetime | None) -> str:
    """``3 h 12 min old``; empty for no moment."""
    return "" if moment is None else f"{in_words(evidence.now - moment)} old"
