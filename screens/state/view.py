"""What the state view says, made from a trace. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from kumoss_console.model.trace import Place, Stored, Trace
from kumoss_console.model.trace.layers import Layer
from kumoss_console.model.trace.wording import locked, serial, short
from screens.durations import short as short_span
from screens.findings import finding_facts
from screens.widgets.cells import Cell, Tone
from screens.widgets.facts import Fact, fact

INVITATION = (
    fact("p", "pick a project that the configuration names, or e to type one"),
    fact("w", "pick a workspace: then what the engine bound in it is looked at, too"),
    fact("", Cell("Lines of the core's log can be pasted right here.", "dim")),
)
LOOKING = (fact("", Cell("looking at the files, the journal and the store…", "busy")),)
TITLES = {"core": "1 the core writes", "engine": "2 the engine bound", "store": "3 the store holds"}
_ASSUMED = "trace.engine_assumed"
"""A finding that the row of the engine tells."""
_SIGNS: dict[str, Cell] = {"agree": Cell("✓", "good"), "disagree": Cell("✗", "bad"), "unknown": Cell("?", "warn")}
_TONES: dict[str, Tone] = {"agree": "good", "disagree": "bad", "unknown": "warn"}
_STATUS: dict[str, tuple[str, Tone]] = {
    "wrote": ("written", ""),
    "would_write": ("would be written", ""),
    "off": ("nothing: managed state is off", "dim"),
    "bound": ("bound", ""),
    "unbound": ("nothing is bound", "warn"),
    "unreadable": ("unreadable", "bad"),
    "unknown": ("? not known", "warn"),
    "present": ("present", "good"),
    "absent": ("absent", "warn"),
}


def verdict_facts(trace: Trace) -> tuple[Fact, ...]:
    """The sign and the sentence."""
    if trace.unkept:
        return (fact("!", Cell(trace.summary, "warn")),)
    return (fact(_SIGNS[trace.verdict].text, Cell(trace.summary, _TONES[trace.verdict])),)


def about_facts(trace: Trace) -> tuple[Fact, ...]:
    """What was traced."""
    evidence = trace.evidence
    rows = []
    if evidence.project is not None and evidence.project_from:
        rows.append(fact("Project", evidence.project.words, Cell(f"  {evidence.project_from}", "dim")))
    if trace.cause == "other_project" and not evidence.project_from:
        said = "the project in the inputs is not this workspace's: W leaves the workspace out, w picks it with its own project"
        rows.append(fact("!", Cell(said, "warn")))
    if evidence.workspace is not None:
        rows.append(fact("Workspace", Cell(evidence.workspace, "accent")))
    owner = evidence.ownership
    if owner.model != "managed" or not owner.certain:
        tone: Tone = "bad" if owner.model == "mixed" else "" if owner.certain else "warn"
        rows.append(fact("Model", Cell(owner.model, tone), Cell(f"  {owner.explanation}", "dim")))
    if evidence.engine_note:
        written = any(finding.code == _ASSUMED for finding in trace.findings)
        hint = f"; the sidecar may run another: the commands are for {evidence.engine_name}" if written else ""
        rows.append(fact("Engine", evidence.engine_label, Cell(f"  {evidence.engine_note}{hint}", "warn" if hint else "dim")))
    if evidence.logged is not None:
        rows.append(fact("Log", f"{evidence.logged.lines:,} lines that name a state"))
    return tuple(rows)


def card_facts(layer: Layer, trace: Trace, now: datetime, *, brief: bool = False) -> tuple[Fact, ...]:
    """One card: place, what stands there, where that was read and how old it is. ``brief`` leaves out what is least missed."""
    words, tone = _STATUS.get(layer.status, (layer.status, ""))
    rows: list[Fact] = []
    if layer.layer == "store":
        rows += [_stored(stored, trace, now) for stored in _looked(layer, trace)]
        if not rows:
            rows.append(fact("", Cell(words, tone)))
    else:
        rows.append(_place(layer.place, Cell(words, tone)) if layer.place is not None else fact("", Cell(words, tone)))
        if layer.place is not None and layer.place.key is not None:
            key = Cell(short(layer.place.key), "bad" if _parts(layer, trace) else "accent")
            rows.append(fact("", Cell("key ", "dim"), key))
    known = layer.place is not None and layer.status not in {"unknown", "unreadable"}
    if layer.layer != "store" or not brief:
        rows += [fact("", Cell(layer.evidence, "dim"))] if layer.evidence else []
    if layer.layer != "store" and layer.detail and not (brief and known):
        rows.append(fact("", Cell(layer.detail, "dim")))
    return tuple(rows)


def _parts(layer: Layer, trace: Trace) -> bool:
    """Whether this is the engine's key, and it is not the core's."""
    core = trace.layers[0].place
    return layer.layer == "engine" and core is not None and layer.place is not None and core.key != layer.place.key


def _place(place: Place, status: Cell) -> Fact:
    at = f" at {place.store}" if place.store else ""
    where = f"bucket {place.bucket}{at}" if place.bucket else f"{place.type}{at}"
    return fact("", Cell(where), Cell(f"  {status.text}", status.tone))


def _looked(layer: Layer, trace: Trace) -> Sequence[Stored]:
    found = [*layer.stored, *(candidate.stored for candidate in trace.evidence.candidates)]
    known = {stored.key for stored in found}
    if layer.place is not None and layer.place.key not in known:
        found.insert(0, Stored(key=layer.place.key or "?", status="unknown", detail=layer.detail))
    return found


def _stored(stored: Stored, trace: Trace, now: datetime) -> Fact:
    label = short(stored.key).partition("/")[0] if len(stored.key) > 64 else stored.key
    if stored.status == "absent":
        return fact(label, Cell("absent", "warn"), *_kept(stored, now), Cell(_role(stored), "dim"))
    if stored.status == "unknown":
        could = "could not look: " if stored.unanswered else ""
        return fact(label, Cell(f"? {could}{stored.detail or 'not known'}", "warn"))
    parts = [serial(stored)]
    lock = locked(trace.evidence, stored)
    if stored.modified is not None:
        parts.append(f"{short_span(now - stored.modified)} old")
    if stored.lock_status == "unlocked":
        parts.insert(1, "unlocked")
    held = (Cell(f" · ✗ {lock}", "bad"),) if lock else ()
    return fact(label, Cell(" · ".join(parts), "good"), *held, *_kept(stored, now), Cell(_role(stored), "dim"))


def _kept(stored: Stored, now: datetime) -> tuple[Cell, ...]:
    """Earlier versions, where there are some or nobody could look; that a store has none is no news on a card."""
    kept = stored.kept
    if kept is None or kept.status == "unsupported" or (kept.status == "known" and not kept.earlier and kept.deleted is None):
        return ()
    return (Cell(f" · {kept.words(now)}", "warn" if kept.deleted is not None else "dim"),)


def _role(stored: Stored) -> str:
    return f"  {stored.role}" if stored.role else ""


def findings_of(trace: Trace) -> tuple[Fact, ...]:
    """What else an operator should know; the verdict's own finding is in the sentence already."""
    said = {f"trace.{trace.cause}", _ASSUMED}
    return finding_facts([finding for finding in trace.findings if finding.code not in said])


def step_facts(trace: Trace) -> tuple[Fact, ...]:
    """The next commands, to be typed elsewhere."""
    rows = []
    for number, step in enumerate(trace.steps, start=1):
        rows += [fact(str(number), Cell(step.purpose, "dim")), fact("", step.command)]
    return tuple(rows)
