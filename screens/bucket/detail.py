"""What the detail of one object shows. Pure; sensitive outputs are masked in what the service gives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Finding
from kumoss_console.model.names import operation_name
from kumoss_console.model.state import Counts, DocumentKind, StateDocument
from kumoss_console.model.state.sensitive import masked
from kumoss_console.services.bucket.service import HeldLock, StateDetail
from kumoss_console.services.bucket.shape import lock_findings
from kumoss_console.services.locks.judgement import FUTURE, judged
from kumoss_console.text import clip, printable
from screens.bucket.listing import owner_name, short_key
from screens.bucket.view import KINDS, LOCK_TONES, counted, size
from screens.durations import long, moment, short
from screens.findings import error_facts, finding_facts
from screens.flash import SIGNS
from screens.widgets.cells import Cell
from screens.widgets.facts import Fact, fact

PARTS = ("resources", "outputs", "identifiers", "facts")
DIGEST = 64
HOLDER_SHOWN = 30
"""Cells of a holder's name in the headline; the whole one stands with the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The object that is open: being read while both ``detail`` and ``error`` are ``None``. ``at`` is when it was read.

    ``owner`` is known from the key alone.
    """

    key: str
    owner: KnownProject | None = None
    detail: StateDetail | None = None
    error: ConsoleError | None = None
    at: datetime | None = None


def first_part(detail: StateDetail) -> str:
    """The part to show first: resources where there are any, else what is known at all."""
    return "resources" if detail.state.resources else "facts"


def heading(opened: Opened) -> str:
    """Which object this is about: its owner, else its key."""
    owner = opened.owner
    digest = opened.key.partition("/")[0]
    key = short_key(opened.key, digest if len(digest) == DIGEST else None)
    return f"{owner_name(owner)} · {key}" if owner is not None else key


def headline(opened: Opened, now: datetime) -> tuple[Fact, ...]:
    """The few lines that stay in view: what it is, its lock, what is wrong with it."""
    detail = opened.detail
    if detail is None:
        return error_facts(opened.error) if opened.error is not None else (fact("", Cell("reading…", "busy")),)
    grave = [finding for finding in findings(detail) if finding.severity.value != "info"]
    return (_what(detail, now), *lock_facts(detail, now)[:1], *finding_facts(grave))


def _what(detail: StateDetail, now: datetime) -> Fact:
    state = detail.state
    if state.kind is not DocumentKind.STATE:
        reason = f": {state.reason}" if state.reason else ""
        return fact("Object", Cell(f"{KINDS[state.kind]}{reason}", "warn"))
    words = [f"serial {state.serial}" if state.serial is not None else "no serial"]
    if state.counts is not None:
        words += [_managed(state.counts), f"{state.counts.resources_data:,} data"]
    words.append(" ".join(part for part in (state.engine or "", state.engine_version or "") if part) or "engine unknown")
    if detail.info.modified is not None:
        words.append(f"{short(now - detail.info.modified)} old")
    unreadable = () if state.readable else (Cell(f" · not readable: {state.reason}", "bad"),)
    return fact("State", " · ".join(words), *unreadable)


def _managed(counts: Counts) -> str:
    """Resources and, where ``count`` or ``for_each`` make it another number, the objects that the list below has rows for."""
    objects = f" ({counted(counts.instances_managed, 'object')})" if counts.instances_managed != counts.resources_managed else ""
    return f"{counts.resources_managed:,} managed{objects}"


def lock_facts(detail: StateDetail, now: datetime) -> tuple[Fact, ...]:
    """Unlocked, locked and not known are three different things. The first fact is the verdict, the others its evidence."""
    if detail.lock_status == "unlocked":
        return (fact("Lock", Cell("unlocked", "good")),)
    if detail.lock_status == "unknown":
        why = f": {detail.lock_error.title}" if detail.lock_error is not None else ""
        return (fact("Lock", Cell(f"? could not look{why}", "warn")),)
    lock = detail.lock
    held = HeldLock(
        key=detail.info.key,
        owner=detail.owner,
        lock=lock,
        since=detail.lock_since,
        document=detail.lock_document,
    )
    judgement = judged(held, now)
    sign, tone = SIGNS[judgement.severity], LOCK_TONES[judgement.severity]
    if lock is None:
        return (fact("Lock", Cell(f"{sign} locked; {judgement.odd or 'the lock cannot be read'}", tone)),)
    holder = printable(lock.holder) or "an unnamed holder"
    words = f"{sign} locked by {clip(holder, HOLDER_SHOWN, middle=True)}"
    if judgement.future:
        words += f", taken {FUTURE}"
    elif judgement.age is not None:
        words += f" for {long(judgement.age)}"
    words += f" ({operation_name(lock.operation)})" if lock.operation else ""
    whole = lock.holder if cell_len(holder) > HOLDER_SHOWN else ""
    rows = (
        ("Holder", whole),
        ("Id", lock.id),
        ("Taken", lock.created or ""),
        ("Engine", lock.engine_version),
        ("Path", lock.path),
        ("Info", str(masked(lock.info))),
    )
    return (fact("Lock", Cell(words, tone)), *(fact(name, text) for name, text in rows if text))


def findings(detail: StateDetail) -> tuple[Finding, ...]:
    return (*detail.state.findings, *lock_findings(detail))


def object_facts(detail: StateDetail, now: datetime) -> tuple[Fact, ...]:
    """Everything about the object itself."""
    info, owner = detail.info, detail.owner
    facts = [fact("Key", info.key)]
    if owner is None:
        facts.append(fact("Owner", Cell("unknown: no known project has this key", "warn")))
    else:
        facts += [fact("Owner", owner.name or owner.repo), *((fact("", owner.repo),) if owner.name else ())]
        facts.append(fact("", Cell("scope ", "dim"), owner.scope, Cell("  path ", "dim"), owner.path or "(none)"))
    facts.append(fact("Size", f"{info.size:,} bytes ({size(info.size)})"))
    if info.modified is not None:
        facts.append(fact("Modified", f"{moment(info.modified)} · {short(now - info.modified)} ago"))
    facts += [fact(label, value) for label, value in (("ETag", info.etag), ("Version", info.version_id)) if value]
    return tuple(facts)


def document_facts(state: StateDocument) -> tuple[Fact, ...]:
    """What the document says of itself, and what an engine would say of it."""
    rows: list[tuple[str, object]] = [
        ("Kind", KINDS[state.kind]),
        ("Format", state.format_version),
        ("Engine", " ".join(part for part in (state.engine or "", state.engine_version or "") if part)),
        ("Serial", state.serial),
        ("Lineage", state.lineage),
    ]
    facts = [fact(label, str(value)) for label, value in rows if value not in (None, "")]
    if state.reason:
        facts.append(fact("Reason", Cell(state.reason, "warn")))
    if state.engine_error:
        facts.append(fact("Engines say", Cell(state.engine_error, "warn")))
    if state.counts is not None:
        facts.append(fact("Holds", _counts(state.counts)))
    if state.key_providers:
        facts.append(fact("Encrypted by", ", ".join(state.key_providers)))
    if state.backend is not None:
        facts.append(fact("Backend", state.backend.type))
        facts += [fact("", Cell(f"{name} ", "dim"), value) for name, value in state.backend.config]
    facts += [fact("Provider", f"{provider.source} {provider.version}") for provider in state.providers]
    facts += [fact("No id", f"{skipped.address}: {skipped.reason}") for skipped in state.skipped]
    return tuple(facts)


def _counts(counts: Counts) -> str:
    words = [
        f"{counts.resources_managed:,} managed ({counted(counts.instances_managed, 'object')})",
        f"{counts.resources_data:,} data ({counted(counts.instances_data, 'object')})",
        f"{counted(counts.outputs, 'output')}" + (f", {counts.outputs_sensitive} sensitive" if counts.outputs_sensitive else ""),
        counted(counts.modules, "module"),
    ]
    words += [f"{number} {word}" for number, word in ((counts.tainted, "tainted"), (counts.deposed, "deposed")) if number]
    return " · ".join(words)


def identifiers(state: StateDocument) -> str:
    """One identifier a line; those recovered from an unreadable state after a line that says so."""
    if state.ids or not state.recovered_ids:
        return "\n".join(state.ids)
    return "\n".join(("recovered from a state that engines do not take:", *state.recovered_ids))


def empty_words(opened: Opened, part: str) -> str:
    """Why a part has nothing."""
    if opened.detail is None:
        return "not read" if opened.error is not None else "reading…"
    state = opened.detail.state
    if state.kind is not DocumentKind.STATE:
        return f"this is {KINDS[state.kind]}: t shows what is known"
    if not state.readable:
        return f"not readable: {state.reason or 't shows what is known'}"
    return f"the state has no {part}"
