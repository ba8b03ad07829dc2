"""What the last scan of the bucket found wrong, in lines of the Overview: one for each kind, however many keys it is about."""

from __future__ import annotations

from datetime import datetime

from kumoss_console.model.duration import in_words
from kumoss_console.model.finding import Severity
from kumoss_console.model.scan import ScanFinding
from kumoss_console.services.overview.attention import Attention
from kumoss_console.services.scan.service import ScanProgress
from kumoss_console.text import printable

_SENTENCES = {
    "scan.shared_lineage": "share a lineage with another: copied states",
    "scan.lineage_changed": "had another lineage before: two projects write to one key",
    "scan.empty": "hold an empty object",
    "scan.damaged": "hold a damaged state",
    "scan.not_a_state": "hold something that is no state",
    "scan.not_looked": "could not be looked at",
    "scan.history_not_looked": "have a history that could not be looked at",
}


def scan_attention(last: ScanProgress | None, now: datetime) -> tuple[Attention, ...]:
    """The errors of ``last``, with its age; nothing where nobody scanned. Asks nobody."""
    kinds: dict[str, list[ScanFinding]] = {}
    for finding in last.findings if last is not None else ():
        if finding.severity is Severity.ERROR:
            kinds.setdefault(finding.code, []).append(finding)
    age = in_words(now - last.at) if last is not None else ""
    return tuple(_line(code, found, age) for code, found in kinds.items())


def _line(code: str, found: list[ScanFinding], age: str) -> Attention:
    keys = len({one.key for one in found})
    if keys == 1:
        told = f"{printable(found[0].key) or 'the bucket'}: {found[0].message}"
    else:
        told = f"{keys:,} keys {_SENTENCES.get(code, code.removeprefix('scan.').replace('_', ' '))}"
    return Attention(severity=Severity.ERROR, text=f"{told} (scanned {age} ago)", view="bucket", subject=found[0].key)
