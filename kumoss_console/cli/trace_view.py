"""A trace as text: the verdict first, then the three layers, then what to do."""

from __future__ import annotations

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Text, Tone
from kumoss_console.cli.shapes import findings_blocks, heading
from kumoss_console.model.duration import in_words
from kumoss_console.model.trace import Stored, Trace
from kumoss_console.model.trace.layers import Layer
from kumoss_console.services.workspaces.service import WorkspaceSnapshot

_SIGNS: dict[str, tuple[str, Tone]] = {"agree": ("✓", "good"), "disagree": ("✗", "bad"), "unknown": ("?", "warn")}
_UNKEPT: tuple[str, Tone] = ("!", "warn")
_TITLES = {"core": "1 core", "engine": "2 engine", "store": "3 store"}
_WORDS = {
    "wrote": "wrote",
    "would_write": "would write",
    "off": "off",
    "bound": "bound",
    "unbound": "nothing bound",
    "unreadable": "unreadable",
    "unknown": "not known",
    "present": "present",
    "absent": "absent",
}
_TONES: dict[str, Tone] = {"absent": "warn", "unknown": "warn", "unreadable": "bad", "unbound": "warn", "off": "dim"}
_OBJECTS = (Column("KEY", "middle"), Column("IN THE STORE", "end"), Column("WHOSE", "end"), Column("WHY LOOKED AT", "end"))
_WORKSPACES = (
    Column("WORKSPACE", "middle"),
    Column("MODEL"),
    Column("BOUND", "middle"),
    Column("SINCE"),
    Column("OWNER", "end"),
    Column("NOTE", "end"),
)


def trace_blocks(trace: Trace) -> list[Block]:
    """Verdict, layers, the keys that were looked at, findings, and the next commands."""
    sign, tone = _UNKEPT if trace.unkept else _SIGNS[trace.verdict]
    evidence = trace.evidence
    about: list[tuple[str, Cell | str]] = []
    if evidence.workspace is not None:
        about.append(("workspace", evidence.workspace))
    about.append(("project", evidence.project.words if evidence.project is not None else Cell("not known", "warn")))
    if evidence.engine_label:
        about.append(("engine", evidence.engine_label + (f" ({evidence.engine_note})" if evidence.engine_note else "")))
    owner = evidence.ownership
    sure = "" if owner.certain else " (not certain)"
    about.append(("model", Cell(f"{owner.model}{sure}: {owner.explanation}", "bad" if owner.model == "mixed" else "plain")))
    blocks: list[Block] = [Text(f"{sign} {trace.summary}", tone), Fields(about)]
    blocks += [Fields(_layer(layer)) for layer in trace.layers]
    looked = (*trace.layers[2].stored, *(candidate.stored for candidate in evidence.candidates))
    if looked:
        blocks += [heading("Looked at in the store"), Table(_OBJECTS, [_object(one, trace) for one in looked])]
    blocks += findings_blocks(trace.findings)
    if trace.steps:
        steps: list[tuple[str, Cell | str]] = []
        for number, step in enumerate(trace.steps, start=1):
            steps += [(str(number), Cell(step.purpose, "dim")), ("", step.command)]
        blocks += [heading("Next, by hand"), Fields(steps)]
    return blocks


def _layer(layer: Layer) -> list[tuple[str, Cell | str]]:
    place = layer.place
    words = _WORDS.get(layer.status, layer.status)
    rows: list[tuple[str, Cell | str]] = [(_TITLES[layer.layer], Cell(words, _TONES.get(layer.status, "plain")))]
    if place is not None:
        at = (
            f"{place.type}" + (f" at {place.store}" if place.store else "") + (f", bucket {place.bucket}" if place.bucket else "")
        )
        rows.append(("", at))
        rows.append(("", f"key {place.key}" if place.key is not None else Cell("its key is not known here", "warn")))
    rows += [("", Cell(text, "dim")) for text in (layer.evidence, layer.detail) if text]
    return rows


def _object(stored: Stored, trace: Trace) -> tuple[Cell | str, ...]:
    return (stored.key, object_words(stored, trace), stored.owner or "-", stored.role or _why(stored, trace))


def _why(stored: Stored, trace: Trace) -> str:
    return next((one.why for one in trace.evidence.candidates if one.stored.key == stored.key), "-")


def object_words(stored: Stored, trace: Trace) -> Cell:
    """Present with what is in it, absent, or why nobody knows."""
    from kumoss_console.model.trace.wording import present

    if stored.status == "present":
        return Cell(present(trace.evidence, stored), "bad" if stored.lock_status == "locked" else "plain")
    return Cell(stored.status + (f": {stored.detail}" if stored.detail else ""), "warn" if stored.status == "unknown" else "dim")


def workspaces_blocks(found: WorkspaceSnapshot) -> list[Block]:
    """One line for each workspace."""
    rows = []
    for row in found.rows:
        where = row.bound.key or row.bound.type if row.bound is not None else ""
        bound = where if row.status == "bound" else {"absent": "nothing", "unreadable": "unreadable"}[row.status]
        notes = [f"override names another {' and '.join(row.differs)}"] if row.differs else []
        notes += ["too many files: looked at in part"] if row.partial else []
        owner = (row.owner.name or f"{row.owner.repo} {row.owner.path}".strip()) if row.owner is not None else "-"
        since = f"{in_words(found.at - row.at)} ago" if row.at is not None else "-"
        rows.append(
            (
                row.name,
                Cell(row.model, "bad" if row.model in {"mixed", "local"} else "plain"),
                Cell(bound, "plain" if row.status == "bound" else "dim"),
                since,
                owner,
                Cell("; ".join(notes), "warn"),
            )
        )
    return [Table(_WORKSPACES, rows)]
