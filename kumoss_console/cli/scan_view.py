"""A scan as the command line shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kumoss_console.cli.blocks import Block, Cell, Fields
from kumoss_console.cli.shapes import SIGNS, TONES, counted, heading, project_text
from kumoss_console.model.finding import Severity

if TYPE_CHECKING:
    from kumoss_console.model.scan import ScanFinding
    from kumoss_console.services.scan.service import ScanProgress

_TENTHS = 10
_THOUSANDS = 10_000


def scan_blocks(findings: Sequence[ScanFinding]) -> list[Block]:
    """Each finding in full, the gravest first; then what to do, once for each kind."""
    if not findings:
        return []
    told: list[tuple[str, Cell | str]] = [(SIGNS[one.severity], Cell(_told(one), TONES[one.severity])) for one in findings]
    kinds = dict.fromkeys(one.code for one in findings)
    remedies = {one.code: one.remedy for one in reversed(findings) if one.remedy}
    ways: list[tuple[str, Cell | str]] = [(_kind(code), remedies[code]) for code in kinds if code in remedies]
    blocks: list[Block] = [Fields(told)]
    return [*blocks, heading("What to do"), Fields(ways)] if ways else blocks


def _told(finding: ScanFinding) -> str:
    owner = f" ({project_text(finding.owner)})" if finding.owner else ""
    return f"{finding.key}{owner}: {_kind(finding.code)}: {finding.message}" if finding.key else finding.message


def _kind(code: str) -> str:
    return code.removeprefix("scan.").replace("_", " ")


def summary(progress: ScanProgress) -> str:
    """One line on what was looked at and what came of it."""
    counts = [(progress.count(severity), severity.value) for severity in Severity]
    found = ", ".join(counted(count, word) if word != "info" else f"{count:,} info" for count, word in counts if count)
    read = [counted(progress.objects, "object"), f"{counted(progress.read, 'head')} read"]
    if progress.histories_to_read:
        read.append(f"histories of {counted(progress.histories, 'state')}")
    incomplete = "" if progress.complete else " · NOT COMPLETE"
    return f"{', '.join(read)}: {found or 'nothing found'}{incomplete}"


def narration(progress: ScanProgress) -> str:
    """How far it is, in steps that a log can hold: the same words again until there is something to tell."""
    if progress.complete:
        return ""
    if not progress.listed and not progress.to_read:
        return (
            f"listing: {progress.objects // _THOUSANDS * _THOUSANDS:,} objects and more" if progress.objects >= _THOUSANDS else ""
        )
    if progress.read < progress.to_read:
        return (
            f"{progress.objects:,} objects listed; heads read: {_tenth(progress.read, progress.to_read)} of {progress.to_read:,}"
        )
    if progress.histories_to_read:
        return f"histories read: {_tenth(progress.histories, progress.histories_to_read)} of {progress.histories_to_read:,}"
    return ""


def _tenth(done: int, of: int) -> str:
    return f"{done * _TENTHS // max(of, 1) * 100 // _TENTHS} %"
