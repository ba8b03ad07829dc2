"""What the locks say: rows, the detail of one, and the question before it is removed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity
from kumoss_console.model.lock import Removal
from kumoss_console.model.names import operation_name
from kumoss_console.model.state.sensitive import masked
from kumoss_console.services.locks.judgement import judged
from kumoss_console.services.locks.obstacles import Obstacles
from kumoss_console.services.locks.report import KeyLocks, LockReport, LockSurvey
from kumoss_console.services.locks.words import GUARDS, Guard, tie_words
from kumoss_console.text import printable
from screens.durations import long, moment, short
from screens.findings import error_facts, finding_facts
from screens.flash import SIGNS
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact

COLUMNS = (
    Column(key="state", title="STATE", width=22, stretch=3, middle=True, sortable=False),
    Column(key="held", title="HELD", width=9, right=True, sortable=False),
    Column(key="holder", title="BY", width=18, stretch=2, middle=True, sortable=False),
    Column(key="operation", title="FOR", width=8, priority=2, sortable=False),
    Column(key="mechanism", title="KEPT AS", width=7, priority=4, sortable=False),
    Column(key="why", title="WHAT SPEAKS AGAINST IT", width=24, priority=3, stretch=3, sortable=False),
)
_TONES: dict[Severity, Tone] = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: "busy"}
_DIGEST = 64
_SAID_IN_THE_ROW = frozenset({"lock.clock_ahead", "lock.clock_behind", "lock.lease_unasked", "lock.other_path"})


def row_id(report: LockReport) -> tuple[str, str]:
    return (report.key, report.mechanism)


def cells(report: LockReport, now: datetime) -> Sequence[Cell]:
    """One lock, in the order of :data:`COLUMNS`."""
    lock, judgement, gravity = report.held.lock, judged(report.held, now), _gravity(report, now)
    tone, sign = _TONES[gravity], SIGNS[gravity]
    age = short(judgement.age) if judgement.age is not None else "?"
    return (
        Cell(f"{sign} {name(report)}", tone),
        Cell(age, tone),
        Cell(lock.holder) if lock is not None and lock.holder else Cell("?", "dim"),
        Cell(operation_name(lock.operation)) if lock is not None and lock.operation else Cell("?", "dim"),
        Cell(report.mechanism, "dim"),
        Cell(_against(report, judgement.odd), tone),
    )


def name(report: LockReport) -> str:
    """Whose state it is, else its key; a digest is told by its ends."""
    owner = report.held.owner
    if owner is not None:
        return " · ".join(part for part in (owner.name or owner.repo, owner.path) if part)
    digest, slash, rest = report.key.partition("/")
    return f"{digest[:4]}…{digest[-4:]}{slash}{rest}" if len(digest) == _DIGEST else report.key


def _against(report: LockReport, odd: str) -> str:
    named = [finding.message for finding in report.findings if finding.code in _SAID_IN_THE_ROW]
    running = tie_words(report.tie) if report.tie is not None and not report.stale else ""
    return "; ".join(part for part in (report.stale, odd, *named, running) if part)


def matches(report: LockReport, text: str) -> bool:
    """Whether every word is part of the key, the owner, the holder, the operation or the id."""
    lock = report.held.lock
    said = (lock.holder, lock.id, operation_name(lock.operation)) if lock is not None else ()
    whole = " ".join((report.key, name(report), report.mechanism, *said)).casefold()
    return all(word in whole for word in text.casefold().split())


def is_bad(report: LockReport, now: datetime) -> bool:
    return _gravity(report, now) is not Severity.INFO


def _gravity(report: LockReport, now: datetime) -> Severity:
    """The gravest of what there is to say of it."""
    found = (judged(report.held, now).severity, *(finding.severity for finding in report.findings))
    return Severity.ERROR if report.stale else min(found, key=tuple(Severity).index)


def summary(survey: LockSurvey | None, shown: int, *, only_bad: bool) -> tuple[Cell, ...]:
    if survey is None:
        return (Cell("looking for locks…", "busy"),)
    stale = sum(1 for report in survey.locks if report.stale)
    pieces = [Cell(f"{shown} of {len(survey.locks)} locks" if shown != len(survey.locks) else _counted(shown))]
    pieces += [Cell(" · "), Cell(f"{stale} stale", "bad" if stale else "dim")]
    if only_bad:
        pieces.append(Cell(" · only what is wrong", "warn"))
    if survey.unlooked:
        pieces.append(Cell(f" · not all could be looked at: {survey.unlooked[0].title}", "warn"))
    if survey.journal_error is not None:
        pieces.append(Cell(" · for which job is not known: the journal cannot be read", "warn"))
    return tuple(pieces)


def empty_words(survey: LockSurvey | None, *, narrowed: bool, error: ConsoleError | None) -> str:
    """Why there is no row."""
    if survey is None:
        return "not looked at" if error is not None else "looking for locks…"
    if narrowed and survey.locks:
        return "No lock fits. Esc clears the filter, ! shows all."
    return "? No lock was found, but not all could be looked at." if survey.unlooked else "✓ No lock is held."


def facts(report: LockReport, now: datetime, *, more: KeyLocks | None, read_only: bool) -> tuple[Fact, ...]:
    """Everything about one lock, what decides first. ``more`` is what a later look at its state found."""
    held, lock, seen, judgement = report.held, report.held.lock, report.sighting, judged(report.held, now)
    found = [fact("State", held.key)]
    if report.stale:
        found.append(fact("Stale", Cell(f"✗ {report.stale}", "bad")))
    found.append(fact("Held", Cell(_held(report, now), _TONES[judgement.severity])))
    if held.error is not None:
        found += error_facts(held.error)
    if lock is not None and lock.id:
        found.append(fact("Id", lock.id))
    if report.tie is not None:
        found.append(fact("Job", tie_words(report.tie)))
    findings = {(finding.code, finding.message): finding for finding in (*report.findings, *(more.findings if more else ()))}
    found += finding_facts(tuple(findings.values()))
    if not read_only:
        if report.word:
            found.append(fact("Remove", Cell("type :unlock; ", "warn"), f"what is asked for then is {report.word}"))
        found += [fact("Or", one.command, Cell(f"  {one.note}", "dim")) for one in report.release]
    if lock is not None:
        info = str(masked(lock.info))
        rows = (("Taken", lock.created or ""), ("Engine", lock.engine_version), ("Path", lock.path), ("Info", info))
        found += [fact(label, text) for label, text in rows if text]
    if seen is not None:
        written = f", written {moment(seen.modified)}" if seen.modified is not None else ""
        found.append(fact("Kept as", f"{seen.where}{written}"))
    return tuple(found)


def _held(report: LockReport, now: datetime) -> str:
    """``for 3 h 35 min by ci@runner-7 (apply)``."""
    lock, judgement = report.held.lock, judged(report.held, now)
    age = f"for {long(judgement.age)}" if judgement.age is not None else judgement.held or "since when is not known"
    who = f" by {lock.holder}" if lock is not None and lock.holder else ""
    what = f" ({operation_name(lock.operation)})" if lock is not None and lock.operation else ""
    return f"{age}{who}{what}"


def consequences(report: LockReport, obstacles: Obstacles, guard: Guard, now: datetime) -> tuple[str, ...]:
    """What the question before a removal says."""
    lock, judgement = report.held.lock, judged(report.held, now)
    who = printable(lock.holder) if lock is not None and lock.holder else "somebody who is not named"
    what = f" for {printable(operation_name(lock.operation))}" if lock is not None and lock.operation else ""
    age = f", {judgement.held}" if judgement.held else ""
    return (
        f"locked by {who}{what}{age}",
        "anybody can write this state then; a run that still believes to hold it goes on writing, and one of the two is lost",
        GUARDS[guard],
        "what it said is kept in the journal",
        *obstacles.words,
    )


def removals_text(removals: Sequence[Removal], context: str) -> str:
    """``context`` is the one that is shown: a removal in another one is named as such."""
    return "\n\n".join(
        "\n".join(
            line
            for line in (
                f"#{removal.entry}  {moment(removal.at)}  {removal.outcome} by {removal.by}{_in_another(removal, context)}",
                f"    {removal.key}",
                f"    lock {removal.lock_id or 'without an id'}, {removal.where}",
                f"    despite {', '.join(removal.despite)}" if removal.despite else "",
                f"    {removal.note}" if removal.note else "",
                f"    {removal.document.decode('utf-8', 'replace').strip()}",
            )
            if line.strip()
        )
        for removal in removals
    )


def _in_another(removal: Removal, context: str) -> str:
    return "" if removal.context == context else f" in context {removal.context}"


def _counted(count: int) -> str:
    return "1 lock" if count == 1 else f"{count} locks"
