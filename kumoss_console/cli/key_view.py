"""The ``key`` command's answers as blocks of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Tone
from kumoss_console.cli.shapes import findings_blocks, heading
from kumoss_console.model.finding import Finding

if TYPE_CHECKING:
    from kumoss_console.services.keys.service import KeyExplanation, ObjectFact
    from kumoss_console.services.keys.whatif import WhatIf

Facts = Mapping[str, "ObjectFact"]
"""What was found, by object key; empty where nobody looked."""

_STEPS = (Column("FIELD"), Column("STEP", "end"), Column("DROPPED", "end"), Column("GIVES", "middle"))
_TWINS = (Column("TWIN", "end"), Column("KEY", "middle"), Column("OBJECT", "end"))
_COLLISIONS = (Column("SPELLED", "end"), Column("AS", "middle"), Column("WHICH MEANS", "end"))
_TONES: dict[str, Tone] = {"present": "warn", "absent": "dim", "unknown": "warn"}
_NOT_LOOKED = Cell("not looked up", "dim")


def explanation_blocks(explanation: KeyExplanation, facts: Facts) -> list[Block]:
    """Why this key: the steps, the hashed lines, the spellings beside it, and what is doubtful."""
    found = explanation.key
    pairs: list[tuple[str, Cell | str]] = [
        ("project id", Cell(found.project_id, "good")),
        ("key", explanation.object_key),
        ("bucket", explanation.bucket or Cell("none: managed state is off", "warn")),
        *([("url", Cell(explanation.url))] if explanation.url else []),
        *([("object", object_cell(facts[explanation.object_key]))] if explanation.object_key in facts else []),
    ]
    steps = [(step.field, step.rule, ", ".join(step.dropped), step.after) for step in found.steps]
    twins = [
        (twin.why, key, object_cell(facts[key]) if key in facts else _NOT_LOOKED)
        for twin, key in zip(explanation.twins, explanation.twin_keys, strict=True)
    ]
    blocks: list[Block] = [Fields(pairs)]
    if steps:
        blocks += [heading("How it came about"), Table(_STEPS, steps)]
    blocks += [heading("Hashed, line by line"), Fields(_numbered(found.hashed))]
    if twins:
        blocks += [heading("Near-twins, each with another key"), Table(_TWINS, twins)]
    return [*blocks, *_collision_blocks(explanation), *findings_blocks(explanation.findings)]


def what_if_blocks(what_if: WhatIf, facts: Facts) -> list[Block]:
    """Old key, new key, what exists at each, and what the change means."""
    new = what_if.after.key
    pairs: list[tuple[str, Cell | str]] = [
        (field, f"{getattr(what_if.before.key, field) or '(empty)'} → {getattr(new, field) or '(empty)'}")
        for field in what_if.changed
    ]
    for name, key in zip(("old key", "new key"), what_if.keys, strict=True):
        pairs += [(name, key), ("", object_cell(facts[key]) if key in facts else _NOT_LOOKED)]
    return [heading("What if"), Fields(pairs), *findings_blocks((what_if.verdict(facts), *_new_findings(what_if)))]


def _new_findings(what_if: WhatIf) -> list[Finding]:
    return [finding for finding in what_if.after.findings if finding not in what_if.before.findings]


def _collision_blocks(explanation: KeyExplanation) -> list[Block]:
    """Only those that may name something else: that ``.git`` is dropped is no news beside the steps."""
    risky = [(one.why, one.repo, one.risk) for one in explanation.collisions if one.risk]
    return [heading("Spelled differently, and still this key"), Table(_COLLISIONS, risky)] if risky else []


def _numbered(hashed: str) -> list[tuple[str, Cell | str]]:
    return [(str(number), line or Cell("(empty)", "dim")) for number, line in enumerate(hashed.split("\n"), start=1)]


def object_cell(fact: ObjectFact) -> Cell:
    parts: list[str] = [fact.status]
    if fact.state is not None and fact.state.serial is not None:
        parts.append(f"serial {fact.state.serial}")
    if fact.size is not None:
        parts.append(f"{fact.size:,} bytes")
    if fact.lock_status == "locked":
        parts.append("locked")
    if fact.detail:
        parts.append(fact.detail)
    return Cell(" · ".join(parts), _TONES[fact.status])
