"""What a discovery shows: how far it is, its heaps with their counts, its lines, and all about one of them. Pure."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from datetime import datetime

from kumoss_console.model.contract import JobKind
from kumoss_console.model.importdiff import Item, Status
from kumoss_console.model.importids.proposal import propose
from kumoss_console.model.job import Job, Verdict
from kumoss_console.services.discovery.service import Discovery
from kumoss_console.services.discovery.words import type_text, why_text
from screens.durations import short
from screens.findings import TONES as FINDING_TONES
from screens.flash import SIGNS as FINDING_SIGNS
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact

COLUMNS = (
    Column(key="mark", title="", width=1, sortable=False),
    Column(key="status", title="STATUS", width=11),
    Column(key="type", title="TYPE", width=20, priority=3, stretch=1, middle=True),
    Column(key="id", title="IDENTIFIER", width=28, stretch=3, middle=True),
    Column(key="why", title="WHO OR WHY", width=20, priority=2, stretch=2),
)
_TYPE_FIRST = (*COLUMNS[:2], replace(COLUMNS[2], priority=2), COLUMNS[3], replace(COLUMNS[4], priority=3))
HEAPS: tuple[str, ...] = ("to look at", "unmanaged", "missing", "ambiguous", "elsewhere", "here", "all")
STATUS_OF = {
    "unmanaged": Status.UNMANAGED,
    "missing": Status.MISSING,
    "ambiguous": Status.AMBIGUOUS,
    "elsewhere": Status.MANAGED_ELSEWHERE,
    "here": Status.MANAGED_HERE,
}
_SIGNS: dict[Status, tuple[str, Tone]] = {
    Status.UNMANAGED: ("+ unmanaged", "warn"),
    Status.MISSING: ("✗ missing", "bad"),
    Status.AMBIGUOUS: ("? ambiguous", "warn"),
    Status.MANAGED_ELSEWHERE: ("→ elsewhere", ""),
    Status.MANAGED_HERE: ("✓ here", "good"),
}
_JOBS: dict[JobKind | None, str] = {JobKind.STATE_RESOURCE_IDS: "state listing", JobKind.SCOPE_RESOURCE_IDS: "scope listing"}
_TONES: dict[Verdict, Tone] = {Verdict.GOOD: "good", Verdict.BAD: "bad", Verdict.UNKNOWN: "warn", Verdict.PENDING: "busy"}
_SHORT = {status: word for word, status in STATUS_OF.items()}
_DIGEST = re.compile(r"(?<![0-9a-f])([0-9a-f]{8})[0-9a-f]{52}([0-9a-f]{4})(?![0-9a-f])")
FINDINGS_SHOWN = 3


def shortened(text: str) -> str:
    """Text with the digests of state keys cut in the middle: ``10d05c01…3bd1/terraform.tfstate``."""
    return _DIGEST.sub(r"\1…\2", text)


def columns(heap: str) -> tuple[Column, ...]:
    """The columns for a heap: where nobody manages it, its type tells more than who does."""
    return _TYPE_FIRST if heap in {HEAPS[0], "unmanaged"} else COLUMNS


def short_id(found: Discovery, item: Item) -> str:
    """An identifier without the scope it begins with, which all of a listing share."""
    scope = found.request.scope
    for prefix in (f"/subscriptions/{scope}/resourceGroups/", f"/subscriptions/{scope}/", f"projects/{scope}/"):
        if item.id[: len(prefix)].lower() == prefix.lower():
            return f"…/{item.id[len(prefix) :]}"
    return item.id


def cells(found: Discovery, item: Item, marked: Container[str]) -> tuple[Cell, ...]:
    """One line. What is suppressed or cannot be compared steps back."""
    sign, tone = _SIGNS[item.status]
    covered = item.id in found.covered
    quiet = covered or item.incomparable
    return (
        Cell("●" if item.id in marked else "", "accent"),
        Cell(f"{sign}{' (s)' if covered else ''}", "dim" if quiet else tone),
        Cell(type_text(found, item), "dim" if quiet else ""),
        Cell(short_id(found, item), "dim" if quiet else ""),
        Cell(shortened(why_text(found, item)), "dim"),
    )


def summary(found: Discovery | None, shown: int, marked: int) -> tuple[Cell | str, ...]:
    """Line one: the counts of all heaps, then what the list shows of them."""
    if found is None or found.comparison is None:
        return (Cell("nothing was compared yet", "dim"),)
    counts = found.comparison.counts
    parts: list[Cell | str] = []
    for status in Status:
        tone = _SIGNS[status][1] if counts[status.value] and status is not Status.MANAGED_HERE else "dim"
        parts += [" · " if parts else "", Cell(f"{counts[status.value]:,} {_SHORT[status]}", tone)]
    if found.covered:
        parts.append(Cell(f" · {len(found.covered):,} suppressed", "dim"))
    parts.append(Cell(f" · {shown:,} listed", "dim"))
    if marked:
        parts.append(Cell(f" · {marked:,} chosen", "accent"))
    return tuple(parts)


def heap_words(found: Discovery | None) -> str:
    """What the part bar says at its end."""
    if found is None:
        return ""
    asked = found.request
    return f"{asked.provider.value} {asked.scope}"


def progress(found: Discovery | None, *, under_way: bool, now: datetime) -> tuple[Fact, ...]:
    """Both jobs and the reading of the bucket, while they go on and where they stopped it; then what was found out."""
    if found is None:
        return ()
    if found.complete and found.comparison is not None and not under_way:
        return _findings(found)
    facts = [_job(job, now) for job in found.jobs]
    looked = found.bucket
    if found.request.bucket and not found.stopped:
        if looked.error is not None:
            facts.append(fact("bucket", Cell(looked.error.title, "warn")))
        elif looked.complete:
            facts.append(fact("bucket", Cell(f"{looked.states_read:,} states read", "good")))
        else:
            whole = f"{looked.to_read:,}" if looked.listed else f"{looked.to_read:,} and more"
            facts.append(fact("bucket", Cell(f"{looked.read:,} of {whole} states read", "busy")))
    return (*facts, *_findings(found))


def _findings(found: Discovery) -> tuple[Fact, ...]:
    """The gravest in one sentence each; what to do about them is read with ``f``."""
    facts = [
        fact(FINDING_SIGNS[one.severity], Cell(shortened(f"{one.subject}: {one.message}"), FINDING_TONES[one.severity]))
        for one in found.findings[:FINDINGS_SHOWN]
    ]
    left = len(found.findings) - FINDINGS_SHOWN
    return (*facts, *((fact("", Cell(f"{left:,} more findings: f reads all", "dim")),) if left > 0 else ()))


def findings_text(found: Discovery) -> str:
    """All findings to read, the gravest first, with what to do about each."""
    lines: list[str] = []
    for one in found.findings:
        lines.append(f"{FINDING_SIGNS[one.severity]} {one.subject}: {one.message}")
        lines += [f"  → {one.remedy}"] if one.remedy else []
    return "\n".join(lines)


def _job(job: Job, now: datetime) -> Fact:
    label = _JOBS.get(job.kind, "job")
    run = job.run_time(now)
    span = f" · {short(run)}" if run is not None else ""
    return fact(label, Cell(job.standing, _TONES[job.verdict]), Cell(f" · {job.summary}{span}", "dim"))


def details(found: Discovery, item: Item) -> tuple[Fact, ...]:
    """Everything about one item."""
    sign, tone = _SIGNS[item.status]
    facts = [fact("identifier", item.id)]
    if item.reason:
        facts.append(fact("why", item.reason))
    for holder in item.holders:
        where = holder.key or "the workspace's own state"
        owner = f" · {holder.owner}" if holder.owner else ""
        facts.append(fact("managed by", holder.address or "identifier only", Cell(f" · {where}{owner}", "dim")))
    if (rule := found.covered.get(item.id)) is not None:
        until = rule.expires.isoformat() if rule.expires is not None else "without an end"
        facts.append(fact("suppressed", f"{rule.reason} · {rule.author} · {until}", Cell(f" · {rule.place}", "dim")))
    if item.status is Status.UNMANAGED:
        proposal = propose(found.request.provider, item.id)
        sure = Cell("" if proposal.certain else "  a guess", "warn")
        facts.append(fact("type", proposal.type or "not known", sure))
        facts.append(fact("import id", proposal.import_id or proposal.note))
        if proposal.import_id and proposal.note:
            facts.append(fact("", Cell(proposal.note, "warn")))
    return (*facts, fact("status", Cell(sign, tone), f"  {item.kind}"))


def empty_words(found: Discovery | None, *, under_way: bool, narrowed: bool) -> str:
    """Why there is nothing in the list."""
    if under_way and (found is None or found.comparison is None):
        return "the listings are under way…"
    if found is None:
        return "R discovers a scope: what exists in the cloud beside what states manage"
    if found.comparison is None:
        return "nothing was compared: a listing has no answer"
    return "nothing matches" if narrowed else "nothing: a good answer"


def job_to_show(found: Discovery | None) -> str | None:
    """The job that went wrong, else the last one: its id, or ``#`` and the entry of one without."""
    jobs = found.jobs if found is not None else ()
    wrong = [job for job in jobs if job.verdict in {Verdict.BAD, Verdict.UNKNOWN}]
    return next((job.job_id or f"#{job.entry}" for job in (*wrong, *reversed(jobs))), None)
