"""The lines above the tree: whose state this is, what it says of itself, who holds it, and first of all what is wrong. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.state import Counts, DocumentKind, StateDocument
from kumoss_console.services.states.detail import OpenedState
from kumoss_console.text import clip, printable
from screens.bucket.detail import DIGEST, document_facts, lock_facts
from screens.bucket.listing import short_key
from screens.bucket.view import KINDS, counted, size
from screens.durations import moment, short
from screens.findings import finding_facts
from screens.widgets.cells import Cell
from screens.widgets.facts import Fact, fact

LONGEST_FINDING = 150
"""Cells of a finding above the tree: one that lists a hundred addresses must not push everything else out of sight."""
FINDINGS_SHOWN = 2
"""Findings above the tree; all of them are its first part."""


def headline(opened: OpenedState | None, name: str, now: datetime, *, failed: bool, low: bool = False) -> tuple[Fact, ...]:
    """``name`` is the key or the file. ``failed`` is whether it could not be read, which the banner tells; ``low`` means few
    lines."""
    if opened is None:
        return (fact("State", Cell(name, "accent")), *(() if failed else (fact("", Cell("reading…", "busy")),)))
    where, says = _where(opened, low=low), _says(opened, now, low=low)
    return (*_grave(opened, 1 if low else FINDINGS_SHOWN, remedies=not low), *where, *says, *_lock(opened, now))


def _grave(opened: OpenedState, most: int, *, remedies: bool) -> tuple[Fact, ...]:
    grave = [finding for finding in opened.findings if finding.severity is not Severity.INFO]
    grave.sort(key=lambda finding: finding.severity is not Severity.ERROR)
    left = len(grave) - most
    grave = [_with_subject(finding) for finding in grave[:most]]
    shown = tuple(one for one in finding_facts(grave) if one.label or remedies)
    more = f"+ {left:,} more"
    if left > 0 and not remedies:
        return (Fact(shown[0].label, (*shown[0].value, Cell(f"  {more}", "dim"))),)
    return (*shown, *((fact("", Cell(more, "dim")),) if left > 0 else ()))


def _with_subject(finding: Finding) -> Finding:
    """What it is about stands before it: nothing else says so above the tree."""
    about = "" if finding.subject == "document" else f"{finding.subject}: "
    return replace(finding, message=clip(printable(f"{about}{finding.message}"), LONGEST_FINDING))


def _where(opened: OpenedState, *, low: bool) -> tuple[Fact, ...]:
    if opened.detail is None:
        return (fact("File", Cell(opened.file, "accent")),)
    owner, key = opened.detail.owner, opened.key
    if owner is None:
        whose = Cell("? no known project has this key", "warn")
        return (fact("Owner", whose), fact("Key", key))
    about = [Cell(owner.name or owner.repo, "accent"), Cell(" · scope ", "dim"), Cell(owner.scope)]
    if owner.path:
        about += [Cell(" · path ", "dim"), Cell(owner.path)]
    if low:
        digest = key.partition("/")[0]
        return (fact("Owner", *about, Cell(f" · {short_key(key, digest if len(digest) == DIGEST else None)}", "dim")),)
    return (fact("Owner", *about), fact("Key", key))


def _says(opened: OpenedState, now: datetime, *, low: bool) -> tuple[Fact, ...]:
    document = opened.document
    about = [size(document.size)]
    if opened.modified is not None:
        age = f"{short(now - opened.modified)} ago"
        about.append(age if low else f"modified {moment(opened.modified)}, {age}")
    if document.kind is not DocumentKind.STATE:
        return (fact("Object", Cell(KINDS[document.kind], "warn"), f" · {' · '.join(about)}"), *_odd(document))
    lineage = document.lineage or Cell("none", "warn")
    serial = f"serial {document.serial}" if document.serial is not None else "no serial"
    engine = " ".join(part for part in (document.engine or "", document.engine_version or "") if part) or "engine unknown"
    words = [serial, *([f"lineage {(document.lineage or 'none')[:8]}"] if low else []), engine, *about]
    if document.format_version not in (None, 4):
        words.append(f"format {document.format_version}")
    readable = () if document.readable else (Cell(" · engines do not take it", "bad"),)
    said = [fact("State", " · ".join(words), *readable)]
    if low:
        return tuple(said)
    said.append(fact("Lineage", lineage))
    if document.counts is not None:
        said.append(fact("Holds", _holds(document.counts)))
    return tuple(said)


def _holds(counts: Counts) -> str:
    return " · ".join(
        [
            f"{counted(counts.instances_managed, 'object')} of {counted(counts.resources_managed, 'resource')}",
            f"{counts.resources_data:,} data",
            *(f"{number:,} {word}" for number, word in ((counts.tainted, "tainted"), (counts.deposed, "deposed")) if number),
            counted(counts.outputs, "output"),
        ]
    )


def _odd(document: StateDocument) -> tuple[Fact, ...]:
    """What is known of something that is no state."""
    return tuple(one for one in document_facts(document) if one.label not in {"Kind", "Serial", "Lineage"} or one.value)


def _lock(opened: OpenedState, now: datetime) -> tuple[Fact, ...]:
    return lock_facts(opened.detail, now)[:1] if opened.detail is not None else ()
