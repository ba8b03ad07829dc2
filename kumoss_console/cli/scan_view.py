"""A scan as the command line shows it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kumoss_console.cli.blocks import Block, Cell, Fields
from kumoss_console.cli.shapes import SIGNS, TONES, counted, heading, project_text
from kumoss_console.model.finding import Severity
from kumoss_console.text import printable

if TYPE_CHECKING:
    from kumoss_console.model.scan import ScanFinding
    from kumoss_console.services.scan.service import ScanProgress

_TENTHS = 10
_THOUSANDS = 10_000
_WAYS = 3
"""Next steps that are told of one kind: some name versions, and are as many as there are findings."""


def scan_blocks(findings: Sequence[ScanFinding]) -> list[Block]:
    """Each finding in full, the gravest first; then what to do, once for all of a kind that call for the same."""
    if not findings:
        return []
    told: list[tuple[str, Cell | str]] = [(SIGNS[one.severity], Cell(_told(one), TONES[one.severity])) for one in findings]
    remedies: dict[str, dict[str, None]] = {}
    for one in findings:
        if one.remedy:
            remedies.setdefault(one.code, {})[one.remedy] = None
    ways: list[tuple[str, Cell | str]] = [(_kind(code), way) for code, found in remedies.items() for way in islice(found, _WAYS)]
    blocks: list[Block] = [Fields(told)]
    return [*blocks, heading("What to do"), Fields(ways)] if ways else blocks


def _told(finding: ScanFinding) -> str:
    owner = f" ({project_text(finding.owner)})" if finding.owner else ""
    return f"{finding.key}{owner}: {_kind(finding.code)}: {finding.message}" if finding.key else finding.message


def _kind(code: str) -> str:
    return code.removeprefix("scan.").replace("_", " ")


def summary(progress: ScanProgress) -> str:
    """One line on what was looked at and what came of it. That nothing is wrong is only said of a scan that came to its end."""
    counts = [(progress.count(severity), severity.value) for severity in Severity]
    found = ", ".join(counted(count, word) if word != "info" else f"{count:,} info" for count, word in counts if count)
    read = [counted(progress.objects, "object"), f"{counted(progress.read, 'head')} read"]
    if progress.unread:
        read.append(f"{progress.unread:,} could not be read")
    if progress.histories_to_read:
        read.append(f"histories of {counted(progress.histories, 'state')}")
    if progress.complete:
        none = "nothing found" if progress.chosen or not progress.objects else "nothing was looked at"
        return f"{', '.join(read)}: {found or none}"
    return f"{', '.join(read)}: {found or 'whether something is wrong is not known'} · NOT COMPLETE"


def nothing_chosen(progress: ScanProgress, text: str) -> str:
    """Said where the filter left nothing to look at, which is no sound bucket; empty where it left something."""
    if not text or progress.chosen or not progress.listed:
        return ""
    return f"no key and no owner has {printable(text)}: nothing was looked at (state list shows the keys)"


def narration(progress: ScanProgress) -> str:
    """How far it is, in steps that a log can hold: the same words again until there is something to tell."""
    if progress.complete:
        return ""
    if not progress.listed and not progress.to_read:
        return (
            f"listing: {progress.objects // _THOUSANDS * _THOUSANDS:,} objects and more" if progress.objects >= _THOUSANDS else ""
        )
    if progress.looked < progress.to_read:
        share = _tenth(progress.looked, progress.to_read)
        return f"{progress.objects:,} objects listed; heads read: {share} of {progress.to_read:,}"
    if progress.histories_to_read:
        return f"histories read: {_tenth(progress.histories, progress.histories_to_read)} of {progress.histories_to_read:,}"
    return ""


def _tenth(done: int, of: int) -> str:
    return f"{done * _TENTHS // max(of, 1) * 100 // _TENTHS} %"
