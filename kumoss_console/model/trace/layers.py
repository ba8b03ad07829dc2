"""The three layers as they are shown: what each says, where it says so, and how old that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from kumoss_console.model.duration import in_words
from kumoss_console.model.trace.evidence import Evidence, Stored
from kumoss_console.model.trace.place import Place, default_place
from kumoss_console.model.trace.selected import selected_words
from kumoss_console.model.trace.wording import age, present, short, stored_at

LayerName = Literal["core", "engine", "store"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """``status`` by layer: core ``wrote``, ``would_write``, ``off``, ``unknown``; engine ``bound``, ``unbound``, ``unreadable``,
    ``unknown``; store ``present``, ``absent``, ``unknown``.

    ``evidence`` is where it was read and how old that is; ``at`` that moment. ``stored`` is what the store layer found, the
    active key first.
    """

    layer: LayerName
    status: str
    place: Place | None
    evidence: str
    detail: str = ""
    at: datetime | None = None
    stored: tuple[Stored, ...] = ()


def layers_of(evidence: Evidence, core: Place | None, active: Place | None) -> tuple[Layer, Layer, Layer]:
    """Core, engine, store."""
    return _core(evidence, core), _engine(evidence), _store(evidence, active or core)


def _core(evidence: Evidence, core: Place | None) -> Layer:
    written, logged = evidence.written, evidence.logged
    if not evidence.storage.managed:
        declared = evidence.declared
        said = f"{declared.key_at}" if declared is not None and declared.key_at else "the workspace's files"
        return Layer(
            layer="core",
            status="off",
            place=core,
            evidence="storage.terraform_state_bucket is blank: the core writes nothing" + (f"; {said} decides" if core else ""),
            detail=evidence.ownership.explanation,
        )
    details = list(_project_words(evidence))
    if logged is not None:
        details.append(_log_words(evidence))
    if core is not None and (words := selected_words(evidence)):
        details.append(words)
    if written is not None:
        beaten = f"; {written.beaten_by} replaces it" if written.beaten_by else ""
        named = default_place(written.place, evidence.selected) if written.place is not None else None
        if named is not None and core is not None and named.key != core.key:
            details.append(f"the override on disk names key {short(named.key or '?')}")
        return Layer(
            layer="core",
            status="wrote",
            place=core,
            evidence=f"{written.file} on disk" + (f", {age(evidence, written.at)}" if written.at else "") + beaten,
            detail="; ".join(details),
            at=written.at,
        )
    if core is None:
        return Layer(
            layer="core", status="unknown", place=None, evidence="no override on disk and no project", detail="; ".join(details)
        )
    if evidence.derived is None and logged is not None and logged.found is not None:
        return Layer(
            layer="core", status="wrote", place=core, evidence=f"the core's log, line {logged.found.line}", at=logged.found.at
        )
    return Layer(
        layer="core",
        status="would_write",
        place=core,
        evidence="derived from the project" + ("; no override on disk" if evidence.workspace else ""),
        detail="; ".join(details),
    )


def _project_words(evidence: Evidence) -> Iterator[str]:
    if evidence.project is not None:
        yield f"{evidence.project.words}" + (f" ({evidence.project_from})" if evidence.project_from else "")


def _log_words(evidence: Evidence) -> str:
    logged = evidence.logged
    if logged is None or not logged.lines:
        return "the log given has no such line, which locates nothing"
    if logged.found is None:
        return f"none of the log's {logged.lines:,} lines is for this project"
    old = f", {age(evidence, logged.found.at)}" if logged.found.at else ""
    return f"the core logged key {short(logged.found.key)} (line {logged.found.line}{old})"


def _engine(evidence: Evidence) -> Layer:
    engine = evidence.engine
    details = [engine.detail] if engine.detail else []
    if engine.status == "unbound" and not details:
        details.append("no init, or one without a backend block")
    if engine.version:
        details.append(f"by version {engine.version}")
    if engine.init is not None:
        details.append(f"init {engine.init.name} {in_words(evidence.now - engine.init.at)} ago: {engine.init.summary}")
    read = engine.status in {"bound", "unreadable"}
    return Layer(
        layer="engine",
        status=engine.status,
        place=engine.place,
        evidence=f".terraform/terraform.tfstate{', ' + age(evidence, engine.at) if engine.at else ''}" if read else "",
        detail="; ".join(details),
        at=engine.at,
    )


def _store(evidence: Evidence, place: Place | None) -> Layer:
    looked = sorted(evidence.stored.values(), key=lambda stored: stored.key != (place.key if place else None))
    if place is None:
        return Layer(
            layer="store",
            status="unknown",
            place=None,
            evidence=evidence.store_label,
            detail="no key to look at",
            stored=tuple(looked),
        )
    held = stored_at(evidence, place)
    detail = present(evidence, held) if held.status == "present" else held.detail
    if held.status == "present" and held.version:
        detail += f" · version {held.version}"
    if held.kept is not None:
        detail = " · ".join(part for part in (detail, held.kept.words(evidence.now)) if part)
    return Layer(
        layer="store",
        status=held.status,
        place=place,
        evidence=f"{evidence.store_label}, looked at now" if evidence.store_label else "",
        detail=detail,
        at=held.modified,
        stored=tuple(looked),
    )
