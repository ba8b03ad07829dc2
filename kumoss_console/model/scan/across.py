"""What only the whole bucket shows: one lineage under two keys, locks and owners that are missing, workspaces of an engine."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from kumoss_console.model.finding import Severity
from kumoss_console.model.scan.finding import ScanFinding, Subject, about
from kumoss_console.model.state.head import Head
from kumoss_console.text import clip, printable

_CELLS = 44
_NAMED = 3
"""Other keys that a message names."""

_RELATED = 100
"""Other keys that a finding lists: in a bucket of ten thousand copies, all would be a hundred million."""


class _Member(Struct, frozen=True, gc=False):
    subject: Subject
    serial: int | None


class Lineages:
    """The keys of each lineage, as they become known. Adding is constant work, whatever the size of the bucket."""

    def __init__(self) -> None:
        self._members: dict[str, dict[str, _Member]] = {}
        self._shared: dict[str, None] = {}
        self._told: dict[str, list[ScanFinding]] = {}

    def add(self, subject: Subject, head: Head) -> None:
        if not head.lineage or head.status not in {"state", "encrypted", "damaged"}:
            return
        members = self._members.setdefault(head.lineage, {})
        members[subject.key] = _Member(subject, head.serial)
        self._told.pop(head.lineage, None)
        if len(members) > 1:
            self._shared[head.lineage] = None

    def findings(self) -> Iterator[ScanFinding]:
        """One for each key whose lineage lies under another key as well."""
        for lineage in self._shared:
            if (told := self._told.get(lineage)) is None:
                told = self._told[lineage] = list(_of_lineage(lineage, self._members[lineage]))
            yield from told


def _of_lineage(lineage: str, members: Mapping[str, _Member]) -> Iterator[ScanFinding]:
    first = tuple(islice(members, _RELATED + 1))
    newest = max((one.serial for one in members.values() if one.serial is not None), default=None)
    for one in members.values():
        related = _others(one.subject.key, first)
        yield _backup(one, members, lineage, related) or _shared(one, members, lineage, related, newest)


def _others(key: str, first: tuple[str, ...]) -> tuple[str, ...]:
    """The other keys of a lineage, of which these are the ``first``. Most keys of a large one share what they list."""
    return (tuple(other for other in first if other != key) if key in first else first)[:_RELATED]


def _backup(one: _Member, members: Mapping[str, _Member], lineage: str, related: tuple[str, ...]) -> ScanFinding | None:
    """Backups beside the state that they are of are nothing wrong; nor is the state, if it has no other copy."""
    key, base = one.subject.key, one.subject.base
    if one.subject.kind == "backup" and base in members:
        return about(one.subject, "backup", Severity.INFO, f"a backup of {_shown(base)}", related=(base,), lineage=lineage)
    if len(members) > len(related) + 1:
        return None
    others = (members[other].subject for other in related)
    if all(other.kind == "backup" and other.base == key for other in others):
        return about(one.subject, "has_backup", Severity.INFO, "a backup lies beside it", related=related, lineage=lineage)
    return None


def _shared(
    one: _Member, members: Mapping[str, _Member], lineage: str, related: tuple[str, ...], newest: int | None
) -> ScanFinding:
    named = ", ".join(f"{_shown(other)} ({_serial(members[other].serial)})" for other in related[:_NAMED])
    left = len(members) - 1 - min(len(related), _NAMED)
    more = f" and {left:,} more" if left else ""
    behind = f", which is behind {newest}" if one.serial is not None and newest is not None and one.serial < newest else ""
    return about(
        one.subject,
        "shared_lineage",
        Severity.ERROR,
        f"a copied state: its lineage {_shown(lineage)} is also that of {named}{more}; "
        f"this one has {_serial(one.serial)}{behind}",
        "find out which of them jobs use (trace), and take the others out of the bucket: "
        "what one of them destroys, the others still count on",
        related=related,
        related_total=len(members) - 1,
        lineage=lineage,
    )


def across_keys(subjects: Collection[Subject], *, projects_known: bool, complete: bool = True) -> Iterator[ScanFinding]:
    """What the listing alone shows. ``projects_known`` is whether an owner could be found for any key at all. Of a listing that
    is not ``complete`` nothing is said to be missing."""
    keys = {subject.key for subject in subjects}
    unowned = 0
    for subject in subjects:
        if subject.kind == "lock":
            if not complete:
                continue
            yield about(
                subject,
                "lock_without_state",
                Severity.WARNING,
                "a lock, and no state beside it: a first apply is under way, or one never came to its end",
                "see who holds it (state locks)",
            )
        elif subject.orphan:
            unowned += 1
            if projects_known:
                yield about(
                    subject,
                    "no_owner",
                    Severity.WARNING,
                    "no known project has this key: of a project nobody named, or left over from other inputs",
                    "name the project in the configuration, or let the console search local clones (why, in the Bucket view)",
                )
        if subject.kind == "workspace":
            yield _sibling(subject, keys if complete else {subject.base})
    if unowned and not projects_known:
        yield _nobody_named(unowned)


def _nobody_named(count: int) -> ScanFinding:
    return ScanFinding(
        code="scan.no_projects",
        severity=Severity.INFO,
        key="",
        owner=None,
        message=f"whose the {count:,} states are is not known: no project is named in the configuration",
        remedy="name projects, or folders of clones, in the configuration",
    )


def _sibling(subject: Subject, keys: Collection[str]) -> ScanFinding:
    """A state of another workspace than the default one, beside the state that it is a sibling of."""
    there = "" if subject.base in keys else ", which is not in the bucket"
    whose = f"the engine's workspace {_shown(subject.workspace)} of {_shown(subject.base)}{there}"
    message = f"{whose}: the core uses the default one alone"
    return about(subject, "workspace_sibling", Severity.INFO, message, related=(subject.base,))


def _serial(serial: int | None) -> str:
    return f"serial {serial}" if serial is not None else "no serial"


def _shown(text: str) -> str:
    """Short enough for a sentence that names several; a finding's ``related`` has them in full."""
    return clip(printable(text), _CELLS, middle=True)
