"""What a scan shows: its findings as rows, one of them in full, how far it is. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Hashable, Sequence

from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.finding import Severity
from kumoss_console.model.scan import ScanFinding
from kumoss_console.services.scan.service import ScanOptions, ScanProgress
from kumoss_console.services.scan.shape import scan_finding_shape
from kumoss_console.text import printable
from screens.copies import Copy
from screens.findings import TONES
from screens.flash import SIGNS
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column, Sorting
from screens.widgets.facts import Fact, fact

COLUMNS = (
    Column(key="severity", title="", width=1),
    Column(key="what", title="WHAT", width=18, stretch=1),
    Column(key="owner", title="OWNER", width=18, priority=2, stretch=2, middle=True),
    Column(key="key", title="KEY", width=20, stretch=3, middle=True),
    Column(key="message", title="FINDING", width=40, priority=3, stretch=4, sortable=False),
)
BY_GRAVITY = Sorting("severity")
_COUNTED: tuple[tuple[Severity, str, Tone], ...] = (
    (Severity.ERROR, "error", "bad"),
    (Severity.WARNING, "warning", "warn"),
)


def identity(finding: ScanFinding) -> Hashable:
    """What names a finding while others are found."""
    return finding.code, finding.key, finding.message


def what(finding: ScanFinding) -> str:
    """``shared lineage`` of ``scan.shared_lineage``."""
    return finding.code.removeprefix("scan.").replace("_", " ")


def owner(project: KnownProject | None) -> str:
    return (project.name or f"{project.repo} {project.path}".strip()) if project is not None else "-"


def cells(finding: ScanFinding) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`."""
    tone = TONES[finding.severity]
    return (
        Cell(SIGNS[finding.severity], tone),
        Cell(what(finding), tone),
        Cell(owner(finding.owner), "" if finding.owner is not None else "dim"),
        Cell(finding.key or "the bucket"),
        Cell(finding.message, "dim"),
    )


def summary(progress: ScanProgress | None, shown: int, *, scanning: bool, options: ScanOptions) -> tuple[Cell, ...]:
    """The line above the rows: how far it is, and what was found so far."""
    if progress is None:
        return (Cell("listing…", "busy"),) if scanning else (Cell("nothing was looked at", "dim"),)
    counts = [
        Cell(f" · {count:,} {word}{'' if count == 1 else 's'}", tone)
        for severity, word, tone in _COUNTED
        if (count := progress.count(severity))
    ]
    infos = progress.count(Severity.INFO)
    others = [Cell(f" · {infos:,} to know", "dim")] if infos else []
    narrowed = [Cell(f" · {shown:,} shown", "warn")] if shown != len(progress.findings) else []
    if not progress.findings and progress.complete:
        others = [Cell(" · nothing wrong was found", "good")]
    return (_progress(progress, scanning=scanning, options=options), *counts, *others, *narrowed)


def _progress(progress: ScanProgress, *, scanning: bool, options: ScanOptions) -> Cell:
    if progress.complete:
        unread = f", {progress.unread:,} could not be" if progress.unread else ""
        # A narrow line has no room for both.
        without = "" if unread else ", without histories"
        histories = f" and {progress.histories:,} histories" if options.versions else without
        return Cell(f"{progress.objects:,} objects: {progress.read:,} heads read{unread}{histories}", "bad" if unread else "good")
    if not progress.listed and not progress.to_read:
        so_far = f"{progress.objects:,} objects listed"
    elif progress.looked < progress.to_read or not progress.histories_to_read:
        so_far = f"{progress.looked:,} of {progress.to_read:,} heads read"
    else:
        so_far = f"{progress.histories:,} of {progress.histories_to_read:,} histories read"
    return Cell(f"{so_far}…", "busy") if scanning else Cell(f"stopped: {so_far}", "warn")


def empty_words(progress: ScanProgress | None, *, scanning: bool, narrowed: bool) -> str:
    """Why there is no row. That nothing is wrong is only said of a scan that came to its end."""
    if progress is not None and progress.findings and narrowed:
        return "Nothing matches. Esc clears the filter, ! shows all again."
    if progress is not None and progress.complete:
        return "Nothing wrong was found."
    return "nothing found yet" if scanning else "? Whether something is wrong is not known: the scan did not come to its end."


def facts(finding: ScanFinding) -> tuple[Fact, ...]:
    """One finding in full."""
    lines = [fact(SIGNS[finding.severity], Cell(finding.message, TONES[finding.severity]))]
    if finding.remedy:
        lines.append(fact("", Cell("→ ", "warn"), Cell(finding.remedy, "dim")))
    if finding.key:
        lines.append(fact("key", finding.key))
    if finding.owner is not None:
        project = finding.owner
        lines.append(fact("owner", f"{owner(project)} · {project.repo} · {project.scope} · {project.path or 'the root'}"))
    for number, key in enumerate(finding.related):
        lines.append(fact("with" if number == 0 else "", key))
    if left := finding.related_total - len(finding.related):
        lines.append(fact("", Cell(f"and {left:,} more", "dim")))
    return tuple(lines)


def command(options: ScanOptions, context: Context) -> str:
    """The command line that finds the same."""
    versions = " --versions" if options.versions else ""
    return f"kumoss-console state scan{versions} --context {shlex.quote(context.name)}"


def copies(finding: ScanFinding | None, options: ScanOptions, context: Context) -> tuple[Copy, ...]:
    """For the finding under the cursor, and the scan. A key that a terminal would obey is copied as it is shown."""
    scan = Copy(label="the command that shows this", text=command(options, context), role="command")
    if finding is None:
        return (scan,)
    document = json.dumps(scan_finding_shape(finding), indent=2, ensure_ascii=False)
    texts = (("the finding", finding.message), ("what to do", finding.remedy))
    return (
        *((Copy(label="the key", text=printable(finding.key), role="thing"),) if finding.key else ()),
        scan,
        Copy(label="the finding as JSON", text=document, role="json"),
        *(Copy(label=label, text=printable(text)) for label, text in texts if text),
    )
