"""A proof of an override as blocks of text."""

from __future__ import annotations

from kumoss_console.cli.blocks import Block, Cell, Fields, Text
from kumoss_console.cli.shapes import findings_blocks, heading
from kumoss_console.services.backend.proof import WorkspaceProof

_DISK = {
    "absent": Cell("there is none yet", "dim"),
    "same": Cell("the same, byte for byte", "good"),
    "differs": Cell("differs", "warn"),
    "unreadable": Cell("could not be read", "warn"),
}


def proof_blocks(found: WorkspaceProof) -> list[Block]:
    """What the engine would read, whether it wins, what the repository loses, and the diff."""
    proof = found.proof
    wins = Cell("yes", "good") if proof.wins else Cell(f"no: {proof.beaten_by} beats it", "bad")
    last = "yes" if proof.sorts_last else f"no, after it comes {proof.override_files[-1] if proof.override_files else 'nothing'}"
    pairs: list[tuple[str, Cell | str]] = [
        ("engine", found.engine.label + (f" ({found.engine.note})" if found.engine.note else "")),
        ("reads back", Cell("the same values", "good") if proof.reads_back else Cell(", ".join(proof.misread), "bad")),
        ("sorts last", f"{last} ({', '.join(proof.override_files) or 'no override file is read'})"),
        ("wins", wins),
        ("erases", ", ".join(f"{shadow.name} ({shadow.origin.at})" for shadow in proof.erased) or Cell("nothing", "dim")),
        ("replaces", ", ".join(f"{shadow.name} ({shadow.origin.at})" for shadow in proof.replaced) or Cell("nothing", "dim")),
        ("on disk", _DISK[proof.disk.status]),
    ]
    blocks: list[Block] = [heading(f"In {found.folder}"), Fields(pairs)]
    if proof.disk.status == "differs" and proof.disk.diff:
        blocks += [heading("Difference, secrets masked on both sides"), Text(proof.disk.diff)]
    return [*blocks, *findings_blocks(found.findings)]
