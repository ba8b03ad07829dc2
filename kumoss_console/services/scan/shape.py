"""What a scan found, as the data both front ends print."""

from __future__ import annotations

from typing import Any

from kumoss_console.model.moment import iso
from kumoss_console.model.scan import ScanFinding
from kumoss_console.services.bucket.shape import owner_shape
from kumoss_console.services.scan.service import ScanProgress


def scan_shape(progress: ScanProgress) -> dict[str, Any]:
    """The ``scan`` shape of the command line."""
    return {
        "objects": progress.objects,
        "heads": progress.read,
        "unread": progress.unread,
        "histories": progress.histories,
        "complete": progress.complete,
        "at": iso(progress.at),
        "findings": [scan_finding_shape(finding) for finding in progress.findings],
    }


def scan_finding_shape(finding: ScanFinding) -> dict[str, Any]:
    """One finding; ``key`` is ``None`` for what is said of the bucket as a whole. ``related`` are the first 100 of
    ``related_total``; of one ``lineage`` each key has a finding."""
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "key": finding.key or None,
        "owner": owner_shape(finding.owner),
        "message": finding.message,
        "remedy": finding.remedy,
        "related": list(finding.related),
        "related_total": finding.related_total,
        "lineage": finding.lineage or None,
    }
