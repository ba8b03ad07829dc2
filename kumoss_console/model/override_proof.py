"""An override held against the workspace it is for: does it mean what it should, does it win, and what does it take away.

Pure. Reading is done by the model of the engines themselves, so what is proved is what ``init`` would make of the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from kumoss_console.model.backend import EffectiveBackend, Engine, Entry, Shadow, Snapshot, effective_backend
from kumoss_console.model.backend.files import arrange, byte_order
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.override import Override
from kumoss_console.model.override_diff import OnDisk, compare_with_disk
from kumoss_console.text import Secret, printable

Status = Literal["absent", "same", "differs", "unreadable"]
_IN_VAIN = frozenset({"override.misread", "override.not_read", "override.beaten"})
_LOSSES = frozenset({"override.type_replaced", "override.erases"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideProof:
    """``override_files`` are those that the engine reads, in its order, this one included; the last with a backend block wins.

    ``misread`` names values that would come back as something else; ``erased`` are values of the repository without a
    successor, ``replaced`` those that have another value now. Both are empty where the override does not win.
    """

    filename: str
    misread: tuple[str, ...]
    override_files: tuple[str, ...]
    sorts_last: bool
    beaten_by: str
    erased: tuple[Shadow, ...]
    replaced: tuple[Shadow, ...]
    disk: OnDisk
    findings: tuple[Finding, ...]

    @property
    def reads_back(self) -> bool:
        return not self.misread

    @property
    def wins(self) -> bool:
        return not self.beaten_by

    @property
    def in_vain(self) -> tuple[Finding, ...]:
        """Why init would not bind what is meant, once the file is there; empty where it would, as far as it is the file's."""
        return tuple(finding for finding in self.findings if finding.code in _IN_VAIN)

    @property
    def losses(self) -> tuple[Finding, ...]:
        """What the repository's own block loses by it."""
        return tuple(finding for finding in self.findings if finding.code in _LOSSES)


def prove(override: Override, snapshot: Snapshot, engine: Engine, environ: Mapping[str, str] | None = None) -> OverrideProof:
    """Hold ``override`` against the folder as it was read. CPU work of milliseconds: off the loop."""
    entry = Entry(name=override.filename, raw=override.content.reveal().encode())
    alone = effective_backend(replace(snapshot, entries=(entry,), options={}), engine)
    rest = tuple(item for item in snapshot.entries if item.name != override.filename)
    entries = tuple(sorted((*rest, entry), key=lambda item: byte_order(item.name)))
    placed = effective_backend(replace(snapshot, entries=entries, options={}), engine, environ=environ)
    names = tuple(item.name for item in arrange(entries, engine) if item.role == "override")
    winner = next((block for block in placed.blocks if block.wins), None)
    beaten_by = "" if winner is None or winner.origin.file == override.filename else winner.origin.file
    shadows = _replaced(placed) if not beaten_by else ()
    proof = OverrideProof(
        filename=override.filename,
        misread=_misread(override, alone),
        override_files=names,
        sorts_last=names[-1:] == (override.filename,),
        beaten_by=beaten_by,
        erased=tuple(shadow for shadow in placed.erased if shadow.erased) if not beaten_by else (),
        replaced=shadows,
        disk=compare_with_disk(
            override, next((item for item in snapshot.entries if item.name == override.filename), None), engine
        ),
        findings=(),
    )
    return replace(proof, findings=tuple(_findings(proof, override, placed)))


def _misread(override: Override, alone: EffectiveBackend) -> tuple[str, ...]:
    """Names whose value differs between what was meant and what is read; a whole file that is not read counts as its type."""
    binding = alone.bound
    if binding is None or binding.type != override.type:
        return (override.type,)
    read = {attribute.name: _plain(attribute.value) for attribute in binding.attributes if attribute.value is not None}
    meant = {name: _plain(value) for name, value in override.values.items()}
    return tuple(name for name in dict.fromkeys((*meant, *read)) if read.get(name) != meant.get(name))


def _plain(value: object) -> object:
    if isinstance(value, Secret):
        return value.reveal()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items() if item is not None}
    return value


def _replaced(placed: EffectiveBackend) -> tuple[Shadow, ...]:
    binding = placed.bound or placed.written
    return tuple(shadow for attribute in (binding.attributes if binding else ()) for shadow in attribute.shadows if shadow.erased)


def _findings(proof: OverrideProof, override: Override, placed: EffectiveBackend) -> Iterator[Finding]:
    subject = printable(proof.filename)
    if proof.misread:
        yield _finding(
            "misread", Severity.ERROR, subject, f"the engine would read other values than were meant: {', '.join(proof.misread)}"
        )
    if proof.filename not in proof.override_files:
        hidden = next((item.reason for item in placed.files if item.name == proof.filename), "")
        yield _finding(
            "not_read",
            Severity.ERROR,
            subject,
            f"the engine does not read it: {printable(hidden) or 'its name is not that of an override file'}",
            "Remove what stands in its place, or change paths.backend_override_filename.",
        )
    elif proof.beaten_by:
        yield _finding(
            "beaten",
            Severity.ERROR,
            printable(proof.beaten_by),
            f"it sorts after {subject} and replaces what the core writes",
            "Remove its backend block, or give the file a name that sorts before the core's.",
        )
    yield from _losses(proof, override, placed, subject)
    yield from _engine_refusals(placed)
    yield from _disk(proof, subject)


def _losses(proof: OverrideProof, override: Override, placed: EffectiveBackend, subject: str) -> Iterator[Finding]:
    if proof.beaten_by:
        return
    types = {block.type for block in placed.blocks} - {override.type}
    if types:
        yield _finding(
            "type_replaced",
            Severity.WARNING,
            subject,
            f"it replaces the repository's {printable(', '.join(sorted(types)))} by {override.type}",
            "State under the old backend is not carried over: pull it from there and push it here.",
        )
    if proof.erased:
        named = ", ".join(f"{shadow.name} ({shadow.origin.at})" for shadow in proof.erased)
        count = f"{len(proof.erased)} value" + ("s" if len(proof.erased) > 1 else "")
        yield _finding(
            "erases",
            Severity.WARNING,
            subject,
            f"it erases {count} of the repository's block: {printable(named)}",
            "An override replaces the whole block: what must stay belongs into the core's settings.",
        )


def _engine_refusals(placed: EffectiveBackend) -> Iterator[Finding]:
    for problem in placed.problems:
        if problem.kind == "error":
            yield _finding(
                "engine_refuses",
                Severity.ERROR,
                printable(problem.at or "init"),
                printable(f"with the override in place init still ends with: {problem.summary}"),
                "Mend the file that is named; the override does not stand in its way.",
            )


def _disk(proof: OverrideProof, subject: str) -> Iterator[Finding]:
    disk = proof.disk
    if disk.status == "unreadable":
        yield _finding(
            "disk_unreadable", Severity.WARNING, subject, f"the file on disk could not be read: {printable(disk.reason)}"
        )
    elif disk.status == "differs":
        secrets = f"; {', '.join(disk.secrets)} differ too, though their mask looks the same" if disk.secrets else ""
        yield _finding(
            "disk_differs",
            Severity.WARNING,
            subject,
            f"the file on disk is not what the core would write now{secrets}",
            "It is from another configuration or for another project: the next init of the core writes it over.",
        )


def _finding(what: str, severity: Severity, subject: str, message: str, remedy: str = "") -> Finding:
    return Finding(code=f"override.{what}", severity=severity, subject=subject, message=message, remedy=remedy)
