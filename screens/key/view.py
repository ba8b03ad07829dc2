"""What the key view says, made from an explanation and from what the store answered. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from kumoss_console.errors import ConsoleError
from kumoss_console.model.project import Step
from kumoss_console.services.asking.objectfact import ObjectFact
from kumoss_console.services.keys.service import KeyExplanation
from kumoss_console.services.keys.whatif import WhatIf
from screens.durations import long, short
from screens.findings import finding_facts
from screens.subject import NOTHING, Subject
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact

COLUMNS = (
    Column(key="what", title="KEY OF", width=24, stretch=2, sortable=False),
    Column(key="store", title="IN THE STORE", width=22, stretch=3, sortable=False),
    Column(key="id", title="PROJECT ID", width=14, stretch=1, priority=2, middle=True, sortable=False),
)
INVITATION = (
    fact("e", "type repository, scope and path; the key is derived while you type"),
    fact("p", "pick a project that the configuration names"),
    fact("", Cell("A URL can be pasted right here.", "dim")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One key: the project's own, the one it would have, or that of a near-miss. ``spelling`` gives it when typed."""

    what: str
    object_key: str
    project_id: str
    spelling: Subject
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the store was asked: nothing yet, or being asked, or with answers by object key, or without and why."""

    status: Literal["not yet", "under way", "answered", "failed"] = "not yet"
    facts: Mapping[str, ObjectFact] = field(default_factory=dict)
    error: ConsoleError | None = None
    at: datetime | None = None


NOT_YET = Look()


def lines(
    explanation: KeyExplanation, typed: Subject, what_if: WhatIf | None = None, imagined: Subject = NOTHING
) -> tuple[Line, ...]:
    """The key itself, the one that ``imagined`` inputs give where it is another, then the near-misses, likeliest first."""
    key = explanation.key
    own = Line(what="this project", object_key=explanation.object_key, project_id=key.project_id, spelling=typed, own=True)
    near = (
        Line(
            what=twin.why,
            object_key=object_key,
            project_id=twin.project_id,
            spelling=Subject(twin.repo, twin.scope, twin.path),
        )
        for twin, object_key in zip(explanation.twins, explanation.twin_keys, strict=True)
    )
    if what_if is None or what_if.same_key:
        return (own, *near)
    after = what_if.after
    new = Line(what="what if", object_key=after.object_key, project_id=after.key.project_id, spelling=imagined)
    return (own, new, *(line for line in near if line.object_key != new.object_key))


def cells(line: Line, look: Look, now: datetime) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`."""
    return (Cell(line.what, "accent" if line.own else ""), in_store(line, look, now), Cell(line.project_id, "dim"))


def in_store(line: Line, look: Look, now: datetime) -> Cell:
    """Present, absent and could not look are three different things; a state at a near-miss is worth a second look."""
    found = look.facts.get(line.object_key)
    if found is None:
        return _unanswered(look)
    if found.status == "absent":
        return Cell("absent" + (f": {found.detail}" if found.detail else ""), "dim")
    if found.status == "unknown":
        return Cell(f"? could not look: {_first_line(found.detail)}", "warn")
    tone: Tone = "good" if line.own else "warn"
    return Cell(" · ".join(_present(found, now)), "bad" if found.lock_status == "locked" else tone)


def _unanswered(look: Look) -> Cell:
    match look.status:
        case "under way":
            return Cell("looking…", "busy")
        case "failed":
            why = look.error.title if look.error is not None else "no answer"
            return Cell(f"? could not look: {why}", "warn")
        case _:
            return Cell("not looked up", "dim")


def _present(found: ObjectFact, now: datetime) -> list[str]:
    words = ["present"]
    if found.state is not None and found.state.serial is not None:
        words[0] += f", serial {found.state.serial}"
    if found.lock_status == "locked":
        lock = found.lock.lock if found.lock is not None else None
        age = lock.age(now) if lock is not None else None
        by = f" by {lock.holder}" if lock is not None and lock.holder else ""
        words.append(f"✗ locked{by}" + (f" for {long(age)}" if age is not None else ""))
    if found.state is not None and found.state.counts is not None:
        counts = found.state.counts
        words.append(f"{counts.resources_managed} managed")
    if found.modified is not None:
        words.append(f"{short(now - found.modified)} old")
    if found.lock_status == "unknown":
        words.append("? lock not known")
    if found.detail:
        words.append(_first_line(found.detail))
    return words


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def key_facts(explanation: KeyExplanation) -> tuple[Fact, ...]:
    """What an operator came for."""
    facts = (fact("Project id", Cell(explanation.key.project_id, "accent")), fact("Object key", explanation.object_key))
    return facts if explanation.bucket else (*facts, fact("Bucket", Cell("none: managed state is off", "warn")))


def place_facts(explanation: KeyExplanation) -> tuple[Fact, ...]:
    """Where the object lies, or would."""
    rows = (("Bucket", explanation.bucket), ("URL", explanation.url))
    return tuple(fact(label, value) for label, value in rows if value)


def step_facts(explanation: KeyExplanation) -> tuple[Fact, ...]:
    """Field by field: as typed, what each rule dropped and why, and what is left."""
    key = explanation.key
    results = {"repo": key.repo, "scope": key.scope, "path": key.path}
    facts: list[Fact] = []
    for name, result in results.items():
        steps = [step for step in key.steps if step.field == name]
        facts.append(fact(name, _text(steps[0].before if steps else result)))
        facts += [_step(step) for step in steps if step.before != step.after or step.dropped]
        if any(step.before != step.after for step in steps):
            facts.append(fact("", Cell("= ", "dim"), _text(result)))
    return tuple(facts)


def _step(step: Step) -> Fact:
    dropped = ", ".join(step.dropped)
    return fact("", Cell("− ", "warn"), Cell(dropped or "changed", "warn"), Cell(f"  {step.rule}", "dim"))


def what_if_facts(what_if: WhatIf, look: Look, now: datetime) -> tuple[Fact, ...]:
    """What would change in the hashed lines, both keys with what exists at each, and what that means."""
    old, new = what_if.before.key, what_if.after.key
    facts = [fact(name, _text(getattr(old, name)), Cell(" → ", "warn"), _text(getattr(new, name))) for name in what_if.changed]
    for label, explanation in (("Old key", what_if.before), ("New key", what_if.after)):
        line = Line(what="", object_key=explanation.object_key, project_id="", spelling=NOTHING)
        facts += [fact(label, explanation.object_key), fact("", in_store(line, look, now))]
    return (*facts, *finding_facts((what_if.verdict(look.facts),)))


def collision_facts(explanation: KeyExplanation) -> tuple[Fact, ...]:
    """Spellings that give this very key, with what else they may name."""
    return tuple(
        fact("", Cell(f"{one.why}: "), Cell(one.repo, "accent"), Cell(f"  {one.risk}", "warn"))
        for one in explanation.collisions
        if one.risk
    )


def hashed_facts(explanation: KeyExplanation) -> tuple[Fact, ...]:
    """The text whose SHA-256 is the project id, line by line."""
    return tuple(fact(str(number), _text(line)) for number, line in enumerate(explanation.key.hashed.split("\n"), start=1))


def _text(text: str) -> Cell:
    return Cell(text) if text else Cell("(empty)", "dim")
