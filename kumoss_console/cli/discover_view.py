"""A discovery as the command line shows it: what needs a look, the counts of all, the worksheet, how the imports went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Tone
from kumoss_console.cli.shapes import counted, findings_blocks, heading
from kumoss_console.model.importdiff import Item, Status
from kumoss_console.model.importids.worksheet import Row
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.services.discovery.imports import Imports, Outcome
from kumoss_console.services.discovery.service import Discovery
from kumoss_console.services.discovery.shape import counts
from kumoss_console.services.discovery.words import WORDS, type_text, why_text
from kumoss_console.text import printable

_TONES: dict[Status, Tone] = {Status.UNMANAGED: "warn", Status.MISSING: "bad", Status.AMBIGUOUS: "warn"}
_COLUMNS = (Column("STATUS"), Column("TYPE", "end"), Column("IDENTIFIER", "middle"), Column("WHO OR WHY", "end"))
_WORKSHEET = (Column("ADDRESS", "middle"), Column("IMPORT ID", "middle"), Column("SURE"), Column("WHAT STANDS AGAINST IT", "end"))
_IMPORTS = (Column("OUTCOME"), Column("ADDRESS", "middle"), Column("IMPORT ID", "middle"), Column("JOB ID"), Column("WHY", "end"))
_OUTCOMES: dict[Outcome, Tone] = {Outcome.IMPORTED: "good", Outcome.FAILED: "bad", Outcome.UNKNOWN: "warn"}


def discovery_blocks(found: Discovery, items: Sequence[Item]) -> list[Block]:
    """The counts of all first, then the items asked for, then the findings."""
    blocks: list[Block] = []
    if found.comparison is not None:
        blocks.append(Fields(_counts(found)))
    if items:
        blocks.append(Table(_COLUMNS, [_row(found, item) for item in items]))
    if found.findings:
        blocks += [heading("Findings"), *findings_blocks(found.findings)]
    return blocks


def _counts(found: Discovery) -> list[tuple[str, Cell | str]]:
    told = counts(found)
    pairs: list[tuple[str, Cell | str]] = [
        (WORDS[status], Cell(f"{told[status.value]:,}", _TONES.get(status, "plain") if told[status.value] else "plain"))
        for status in Status
    ]
    if told["incomparable"]:
        pairs.append(("", f"{told['incomparable']:,} of the ambiguous cannot be looked for in the listing"))
    if told["suppressed"]:
        pairs.append(("suppressed", f"{told['suppressed']:,} of these"))
    return pairs


def _row(found: Discovery, item: Item) -> tuple[Cell | str, ...]:
    word = WORDS[item.status]
    if item.id in found.covered:
        word = f"{word} (suppressed)"
    return Cell(word, _TONES.get(item.status, "plain")), type_text(found, item), item.id, why_text(found, item)


def summary(found: Discovery, shown: int) -> str:
    """One line on what was looked at, and what is not in the table."""
    looked = found.bucket
    states = f"{counted(looked.states_read, 'state')} of the bucket read" if found.request.bucket else "no bucket read"
    missed = f", {looked.failed:,} could not be looked at" if looked.failed else ""
    total = len(found.comparison.items) if found.comparison is not None else 0
    left = f"; {total - shown:,} more with --all" if total > shown else ""
    return f"{counted(total, 'identifier')} compared, {states}{missed}{left}"


def worksheet_blocks(rows: Sequence[Row]) -> list[Block]:
    """Address and import id side by side, and what stands against each."""
    told: list[tuple[Cell | str, ...]] = [
        (
            row.address or "-",
            row.import_id or "-",
            Cell("yes" if row.certain else "guess", "plain" if row.certain else "warn"),
            Cell("; ".join(row.faults) or row.note or "-", "bad" if row.faults else "plain"),
        )
        for row in rows
    ]
    return [heading("Import worksheet"), Table(_WORKSHEET, told)] if told else []


def imports_blocks(imports: Imports) -> list[Block]:
    """What was imported and what was not."""
    rows: list[tuple[Cell | str, ...]] = [
        (
            Cell(step.outcome.value.replace("_", " "), _OUTCOMES.get(step.outcome, "plain")),
            step.row.address,
            step.row.import_id,
            (step.job.job_id if step.job is not None else None) or "-",
            step.detail or "-",
        )
        for step in imports.steps
    ]
    return [heading("Imports"), Table(_IMPORTS, rows)] if rows else []


def imports_summary(imports: Imports) -> str:
    """``2 imported, 1 failed, 3 not sent``."""
    return ", ".join(
        f"{imports.count(outcome):,} {outcome.value.replace('_', ' ')}" for outcome in Outcome if imports.count(outcome)
    )


def narration(found: Discovery) -> Iterable[str]:
    """How far it is, in lines that a log can hold: the same words again until there is something to tell."""
    for job in found.jobs:
        if job.kind is not None:
            code = f" {job.exit_code}" if job.exit_code is not None else ""
            told = f"{job.kind.value} {job.job_id or f'#{job.entry}'} {job.standing}{code}"
            # In line behind whom, or since when and why the service cannot be asked.
            waits = job.note and job.service in {ServicePlane.QUEUED, ServicePlane.UNKNOWN}
            yield f"{told}: {printable(job.note)}" if waits else told
    looked = found.bucket
    if looked.listed and looked.to_read:
        yield f"states read: {looked.read * 10 // looked.to_read * 10} % of {looked.to_read:,}"


def unfinished(found: Discovery | None) -> list[Job]:
    """The listings that had not ended; one without an id was never answered."""
    return [job for job in found.jobs if not job.service.final] if found is not None else []


def look_again(found: Discovery | None) -> str:
    """How to see later what became of them."""
    open_jobs = unfinished(found)
    if ids := [job.job_id for job in open_jobs if job.job_id]:
        return f"look again with: kumoss-console jobs watch {' '.join(ids)}"
    if unanswered := [f"'#{job.entry}'" for job in open_jobs]:
        return f"see what is known of it with: kumoss-console jobs show {unanswered[0]}"
    return "give more time"


def waited_for(found: Discovery) -> str:
    """What had not come to its end when patience had: each open job, else the bucket, and what becomes of it now."""
    open_jobs = unfinished(found)
    sent = [job for job in open_jobs if job.job_id]
    unanswered = [job for job in open_jobs if not job.job_id]
    told = [f"{_name(job)} {job.job_id}: {job.summary}" for job in sent]
    told += [f"{_name(job)} #{job.entry}: sent, no answer; whether the service took it is not known" for job in unanswered]
    if sent:
        told.append("nothing was cancelled: what was sent goes on")
    elif unanswered:
        told.append("nothing was cancelled")
    else:
        asked = found.request.state_ids is None or found.request.cloud_ids is None
        listings = "the listings had ended" if asked and found.jobs else "no listing was under way"
        read = f"{found.bucket.read:,} of {found.bucket.to_read:,} states of the bucket were read"
        told.append(f"{listings}; {read if found.bucket.listed else 'the bucket was being listed'}")
    return "; ".join(told)


def _name(job: Job) -> str:
    return job.kind.value if job.kind is not None else "job"
