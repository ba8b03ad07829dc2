"""What the history of a state shows: its versions as rows, one of them in full, the way back as a text. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from datetime import datetime

from kumoss_console.model.context import Context
from kumoss_console.model.moment import iso
from kumoss_console.services.versions.remarks import VersionRow
from kumoss_console.services.versions.restore.commands import restore_commands, where_to_run
from kumoss_console.services.versions.restore.value import Restore
from kumoss_console.services.versions.shape import row_shape
from kumoss_console.services.versions.timelines import Timeline
from kumoss_console.text import clip, printable
from screens.copies import Copy
from screens.durations import short
from screens.findings import TONES
from screens.flash import SIGNS
from screens.versions.changes import named
from screens.widgets.cells import Cell
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact

_KEY = 24
"""Cells of the key in a line that has more to say; the whole one is in the copy menu."""
COLUMNS = (
    Column(key="mark", title="", width=1, sortable=False),
    Column(key="number", title="#", width=4, right=True, sortable=False),
    Column(key="serial", title="SERIAL", width=8, right=True, sortable=False),
    Column(key="modified", title="WRITTEN", width=12, sortable=False),
    Column(key="size", title="SIZE", width=11, right=True, priority=4, sortable=False),
    Column(key="engine", title="ENGINE", width=10, priority=3, sortable=False),
    Column(key="note", title="NOTE", width=33, stretch=2, sortable=False),
    Column(key="version", title="VERSION", width=14, priority=2, stretch=2, middle=True, sortable=False),
)


def ago(at: datetime, now: datetime) -> str:
    return f"{short(now - at)} ago"


def cells(row: VersionRow, now: datetime, *, marked: bool) -> Sequence[Cell]:
    """One version, in the order of :data:`COLUMNS`."""
    version = row.version
    return (
        Cell("●" if marked else "", "warn"),
        Cell(str(row.number), "dim"),
        Cell("…" if row.unread else "-", "dim") if row.serial is None else Cell(str(row.serial)),
        Cell(ago(version.modified, now) if version.modified else "-"),
        Cell("-" if version.size is None else f"{version.size:,}", "dim"),
        Cell(row.engine_version or "-", "dim"),
        note(row),
        Cell(version.version_id, "dim"),
    )


def note(row: VersionRow) -> Cell:
    """What is to be said of one version in a few words."""
    if row.version.kind == "delete_marker":
        return Cell("deleted", "warn")
    if row.error is not None:
        return Cell(f"not read: {row.error.title}", "bad")
    if row.reason:
        return Cell(f"{'damaged' if row.damaged else 'no state'}: {row.reason}", "bad")
    parts = (["active"] if row.version.latest else []) + (["snapshot"] if row.version.kind == "snapshot" else [])
    if row.job is not None:
        parts.append(f"likely by {row.job.kind} {(row.job.job_id or '?')[:8]}")
    return Cell(" · ".join(parts), "good" if row.version.latest else "dim")


def summary(key: str, timeline: Timeline | None) -> tuple[Cell, ...]:
    """The line above the rows."""
    if timeline is None:
        return (Cell(f"{key} · reading its versions…", "busy"),)
    count = len(timeline.rows)
    progress = [] if timeline.complete else [Cell(f" · reading, {timeline.unread:,} to go at most", "busy")]
    told = [Cell(f" · {SIGNS[one.severity]} {_short(one.message)}", TONES[one.severity]) for one in timeline.findings[:1]]
    more = [Cell(f" · {len(timeline.findings) - 1} more", "dim")] if len(timeline.findings) > 1 else []
    name = clip(printable(key), _KEY, middle=True)
    return (Cell(f"{count:,} version{'' if count == 1 else 's'}"), *progress, Cell(f" of {name}", "dim"), *told, *more)


def _short(message: str) -> str:
    """What happened, without the reasons: those stand below."""
    return message.partition(":")[0].partition(" (")[0]


def facts(row: VersionRow, timeline: Timeline, now: datetime) -> tuple[Fact, ...]:
    """One version in full, and what is odd about the whole history."""
    version = row.version
    found = [fact("version", version.version_id, Cell(f" · #{row.number} of {len(timeline.rows)}", "dim"))]
    if version.modified is not None:
        found.append(fact("written", f"{iso(version.modified)} · {ago(version.modified, now)}"))
    if row.serial is not None or row.lineage:
        found.append(
            fact("serial", "-" if row.serial is None else str(row.serial), Cell(f" · lineage {row.lineage or '-'}", "dim"))
        )
    if row.job is not None:
        word = f"{row.job.kind} {row.job.job_id or '?'} of {row.job.workspace or 'an unknown workspace'}"
        found.append(fact("likely by", word, Cell(" · it ran then; J shows it", "dim")))
    if row.unread:
        found.append(fact("serial", Cell("not read yet", "dim"), Cell(" · a reads every version", "dim")))
    if row.error is not None:
        found.append(
            fact("not read", Cell(row.error.title, "bad"), Cell(f" → {row.error.hint}" if row.error.hint else "", "dim"))
        )
    if version.kind == "delete_marker":
        found.append(fact("deleted", Cell("from here on engines found no state under this key", "warn")))
    for finding in timeline.findings:
        found.append(fact(SIGNS[finding.severity], Cell(finding.message, TONES[finding.severity])))
        if finding.remedy:
            found.append(fact("", Cell(f"→ {finding.remedy}", "dim")))
    return tuple(found)


def restore_text(restore: Restore) -> str:
    """The way back, to read and to copy. The content to push is not in it."""
    plan = restore.plan
    lines = [
        f"back to    serial {plan.old.document.serial}, version {restore.version.version_id}",
        f"from       serial {plan.newest.document.serial}, version {restore.base.version_id}",
        f"push with  serial {plan.serial}, lineage {plan.lineage}",
        "",
        *(line for one in restore.findings for line in (f"{SIGNS[one.severity]} {one.message}", f"  → {one.remedy}")),
    ]
    if plan.unmanaged:
        lines += ["", f"{len(plan.unmanaged)} that would go on existing with nothing to manage them:"]
        lines += [f"  - {named(one)}  {one.before_id or ''}" for one in plan.unmanaged]
    if plan.returning:
        still = "whether or not it still exists" if len(plan.returning) == 1 else "whether or not they still exist"
        lines += ["", f"{len(plan.returning)} that would be managed again, {still}:"]
        lines += [f"  + {named(one)}  {one.after_id or ''}" for one in plan.returning]
    lines += ["", f"{where_to_run(restore)}. Nobody runs them from here:"]
    for command in restore_commands(restore):
        lines += ["", f"# {command.purpose}", command.text]
    return "\n".join(map(printable, lines)) + "\n"


def copies(row: VersionRow | None, key: str, context: Context) -> tuple[Copy, ...]:
    """For the version under the cursor."""
    options = f"--context {shlex.quote(context.name)}"
    command = f"kumoss-console state versions {shlex.quote(printable(key))} {options}"
    whole = Copy(label="the command that shows this", text=command, role="command")
    if row is None:
        return (whole,)
    return (
        Copy(label="the version id", text=printable(row.version.version_id), role="thing"),
        Copy(
            label="the version as JSON", text=json.dumps(row_shape(row), indent=2, ensure_ascii=False, default=str), role="json"
        ),
        whole,
        Copy(label="the key", text=printable(key)),
        *((Copy(label="the lineage", text=printable(row.lineage)),) if row.lineage else ()),
    )
