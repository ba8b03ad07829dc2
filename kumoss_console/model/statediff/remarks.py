"""What two states say about each other beside their objects: whose history it is, and which one is newer."""

from __future__ import annotations

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.statediff.recorded import RecordedState


def about(before: RecordedState, after: RecordedState) -> tuple[Finding, ...]:
    """Findings on lineage, serial and format of the two."""
    one, other = before.document, after.document
    if one.lineage != other.lineage:
        return (
            Finding(
                code="state.other_lineage",
                severity=Severity.ERROR,
                subject=after.label,
                message=f"lineage {other.lineage or '(none)'}, and {before.label} has {one.lineage or '(none)'}: "
                "these are two histories, not two moments of one",
                remedy="find out which project wrote each of them before anything is pushed",
            ),
        )
    if one.serial is not None and other.serial is not None and other.serial < one.serial:
        return (
            Finding(
                code="state.serial_falls",
                severity=Severity.WARNING,
                subject=after.label,
                message=f"serial {other.serial} comes after {one.serial}: an older state was written over a newer one",
                remedy="engines refuse to go on from it where they hold a plan of the newer one",
            ),
        )
    return ()


def equal_serials(before: RecordedState, after: RecordedState) -> Finding:
    """The same serial for different contents."""
    return Finding(
        code="state.same_serial",
        severity=Severity.WARNING,
        subject=after.label,
        message=f"serial {after.document.serial} like {before.label}, with other contents: two writers, or an edit by hand",
        remedy="state push refuses contents that differ at an equal serial",
    )
