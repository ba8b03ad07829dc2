"""Locks as the command line shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table
from kumoss_console.cli.shapes import TONES, findings_blocks, heading, project_text
from kumoss_console.model.lock import Removal
from kumoss_console.model.lock.release import ReleaseCommand
from kumoss_console.model.moment import iso
from kumoss_console.model.names import operation_name
from kumoss_console.model.state.sensitive import masked
from kumoss_console.services.locks.judgement import judged
from kumoss_console.services.locks.report import LockReport
from kumoss_console.services.locks.words import tie_words, unlock_command, why

_LOCKS = (
    Column("STATE", "middle"),
    Column("OWNER", "end"),
    Column("HELD"),
    Column("BY", "middle"),
    Column("FOR"),
    Column("KEPT AS"),
    Column("WHY IT MATTERS", "end"),
)
_REMOVALS = (
    Column("#", right=True),
    Column("REMOVED"),
    Column("BY", "end"),
    Column("STATE", "middle"),
    Column("LOCK", "middle"),
    Column("OUTCOME"),
)


def locks_blocks(locks: Sequence[LockReport], now: datetime, *, context: str, read_only: bool) -> list[Block]:
    """One table, then for each lock what is typed to remove it, where anything may be removed."""
    if not locks:
        return []
    blocks: list[Block] = [Table(_LOCKS, [_row(report, now) for report in locks])]
    if read_only:
        return blocks
    ways = [(report.key, unlock_command(report, context)) for report in locks]
    pairs: list[tuple[str, Cell | str]] = [(key, command) for key, command in ways if command]
    return [*blocks, heading("To remove one, once nobody is at work"), Fields(pairs)] if pairs else blocks


def lock_blocks(report: LockReport, now: datetime, *, context: str, read_only: bool) -> list[Block]:
    """One lock, in full; how it is removed only where anything may be."""
    held, lock, seen = report.held, report.held.lock, report.sighting
    pairs: list[tuple[str, Cell | str]] = [("state", held.key)]
    if held.owner is not None:
        pairs.append(("owner", project_text(held.owner)))
    pairs.append(("lock", Cell(why(report, now) or "held", TONES[judged(held, now).severity])))
    if lock is not None:
        texts = (
            ("id", lock.id),
            ("holder", lock.holder),
            ("operation", operation_name(lock.operation)),
            ("engine", lock.engine_version),
            ("taken", lock.created or ""),
            ("path", lock.path),
            ("info", str(masked(lock.info))),
        )
        pairs += [(name, text) for name, text in texts if text]
    elif held.document is not None and held.document.id_hint:
        pairs.append(("id, perhaps", held.document.id_hint))
    if seen is not None:
        pairs.append(("kept as", seen.where))
        pairs += [("written", iso(seen.modified))] if seen.modified is not None else []
        pairs += [("etag", seen.proof)] if seen.proof and seen.mechanism == "object" else []
    if report.tie is not None:
        pairs.append(("job", tie_words(report.tie)))
    if not read_only:
        if command := unlock_command(report, context):
            pairs.append(("to remove it", command))
        pairs += [("without us", with_note(one)) for one in report.release]
    return [Fields(pairs), *findings_blocks(report.findings)]


def with_note(way: ReleaseCommand) -> str:
    """The command, and as a comment behind it what must hold for it."""
    return f"{way.command}   # {way.note}" if way.note else way.command


def removals_blocks(removals: Sequence[Removal], *, context: str) -> list[Block]:
    """``context`` is that of the command: a removal in another one is named as such."""
    return [Table(_REMOVALS, [_removal(removal, context) for removal in removals])] if removals else []


def _row(report: LockReport, now: datetime) -> tuple[Cell | str, ...]:
    held, lock = report.held, report.held.lock
    tone = TONES[judged(held, now).severity]
    return (
        held.key,
        project_text(held.owner) if held.owner is not None else Cell("unknown", "dim"),
        Cell(judged(held, now).held.removeprefix("held ") or "?", tone),
        (lock.holder if lock is not None else "") or Cell("?", "dim"),
        (operation_name(lock.operation) if lock is not None else "") or Cell("?", "dim"),
        report.mechanism,
        Cell(why(report, now), tone),
    )


def _removal(removal: Removal, context: str) -> tuple[Cell | str, ...]:
    outcomes = {
        "removed": Cell("removed", "good"),
        "kept": Cell(f"kept: {removal.note}", "warn"),
        "begun": Cell(f"not known{f': {removal.note}' if removal.note else ''}", "warn"),
    }
    return (
        str(removal.entry),
        iso(removal.at.replace(microsecond=0)),
        removal.by if removal.context == context else f"{removal.by} in context {removal.context}",
        removal.key,
        removal.lock_id or Cell("without an id", "dim"),
        outcomes[removal.outcome],
    )
