"""What the lines of a plan show. Pure; every text may be external and is neutralised where it is drawn."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

from kumoss_console.model.plan import Action, Change, Check, Deferred, Leaf, Line, OutputChange, Plan, Sign, words
from screens.plan.tree import Heading, Instance, Module, Node, Note, Resource, Section
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column

COLUMNS = (
    Column(key="sign", title="WHAT", width=11, sortable=False),
    Column(key="tree", title="RESOURCE", width=30, stretch=3, middle=True, sortable=False),
    Column(key="text", title="WHY, OR THE VALUE", width=30, stretch=4, sortable=False),
)
INDENT = "  "
LONGEST_TEXT = 2_000
"""Characters of a value that a line or the detail is made of; Enter shows all of it."""

# The engines' own signs, so that nobody has to learn others; a word stands beside each.
_SIGNS: Mapping[Action | Section, tuple[str, Tone]] = {
    Action.DELETE: ("- destroy", "bad"),
    Action.REPLACE: ("-/+ replace", "bad"),
    Action.FORGET: (". forget", "warn"),
    Action.UPDATE: ("~ update", "warn"),
    Action.CREATE: ("+ create", "good"),
    Action.READ: ("<= read", "accent"),
    Action.IMPORT: ("  import", "accent"),
    Action.MOVE: ("  move", "accent"),
    Action.OTHER: ("? other", "warn"),
    Action.NO_OP: ("  keep", ""),
    Section.OUTPUTS: ("outputs", "accent"),
    Section.CHECKS: ("checks", "warn"),
    Section.DRIFT: ("drift", "warn"),
    Section.DEFERRED: ("put off", "warn"),
}
_MEANING: Mapping[Action | Section, str] = {
    Action.DELETE: "will be gone",
    Action.REPLACE: "destroyed and created anew",
    Action.FORGET: "leave the state, go on existing",
    Action.UPDATE: "changed in place",
    Action.CREATE: "come into being",
    Action.READ: "read during the apply",
    Action.IMPORT: "taken over as they are",
    Action.MOVE: "only their address changes",
    Action.OTHER: "in a way this console does not know",
    Section.OUTPUTS: "of the root module change",
    Section.CHECKS: "do not pass, or cannot be told yet",
    Section.DRIFT: "changed outside since the last apply",
    Section.DEFERRED: "left for a later plan",
}
_LEAF_TONES: Mapping[Sign, Tone] = {Sign.ADD: "good", Sign.REMOVE: "bad", Sign.CHANGE: "warn", Sign.SAME: "dim"}
_LEAF_WORDS: Mapping[Sign, str] = {Sign.ADD: "+ add", Sign.REMOVE: "- remove", Sign.CHANGE: "~ change", Sign.SAME: "  same"}
_LINE_TONES: Mapping[str, Tone] = {"+": "good", "-": "bad", " ": "dim", "…": "dim"}


def sign(change: Change) -> Cell:
    """``+/- replace`` where the new one comes first, as the engines write it."""
    text, tone = _SIGNS[change.action]
    return Cell(text.replace("-/+", "+/-") if change.create_first else text, tone)


def drift_sign(change: Change) -> Cell:
    """What happened outside, told as past."""
    return Cell("- deleted", "bad") if change.action is Action.DELETE else Cell("~ changed", "warn")


def heading_word(what: Action | Section) -> str:
    return _SIGNS[what][0].strip()


def meaning(what: Action | Section) -> str:
    """What a heading stands for."""
    return _MEANING.get(what, "")


def cells(node: Node, opened: Collection[Hashable]) -> Sequence[Cell]:
    """One line, in the order of :data:`COLUMNS`."""
    mark = ("▾ " if node.id in opened else "▸ ") if node.can_open else "  "
    lead = INDENT * node.depth + mark
    match node.subject:
        case Heading(what=what, count=count):
            text, tone = _SIGNS[what]
            return (
                Cell(text, tone),
                Cell(f"{lead}{_counted(count, 'entry' if what in _ENTRIES else 'resource')}", tone),
                _dim(meaning(what)),
            )
        case Module(address=address, count=count):
            return (Cell(""), Cell(f"{lead}{address or 'root module'}", "accent"), _dim(_counted(count, "resource")))
        case Resource(address=address, count=count):
            return (Cell(""), Cell(f"{lead}{address}"), _dim(_counted(count, "instance")))
        case Instance(change=change, label=label, drifted=True):
            return (drift_sign(change), Cell(f"{lead}{label}"), Cell(why(change)))
        case Instance(change=change, label=label):
            return (sign(change), Cell(f"{lead}{label}"), Cell(why(change)))
        case OutputChange() as output:
            text, tone = _SIGNS[output.action]
            return (Cell(text, tone), Cell(f"{lead}{output.name}"), Cell(""))
        case Check() as check:
            tone = "bad" if check.failed else "warn"
            words_ = "; ".join(check.problems) or "cannot be told before the apply"
            return (Cell(f"{'✗' if check.failed else '?'} {check.status}", tone), Cell(f"{lead}{check.address}"), Cell(words_))
        case Deferred() as deferred:
            return (sign(deferred.change), Cell(f"{lead}{deferred.change.address}"), Cell(deferred.reason))
        case Leaf() as leaf:
            return _leaf(leaf, lead)
        case Line(sign=mark_, text=text):
            return (Cell(""), Cell(""), Cell(f"{mark_} {text[:LONGEST_TEXT]}", _LINE_TONES[mark_]))
        case Note(text=text, bad=bad):
            return (
                Cell("! forces" if bad else "", "bad" if bad else ""),
                Cell(f"{lead}{text}", "bad" if bad else "dim"),
                Cell(""),
            )


_ENTRIES = frozenset({Section.OUTPUTS, Section.CHECKS})


def _dim(text: str) -> Cell:
    return Cell(text, "dim")


def _counted(count: int, noun: str) -> str:
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun.removesuffix('y')}ies" if noun.endswith("y") else f"{count:,} {noun}s"


def _leaf(leaf: Leaf, lead: str) -> Sequence[Cell]:
    tone: Tone = "bad" if leaf.forces else _LEAF_TONES[leaf.sign]
    word = f"{leaf.sign} forces" if leaf.forces else _LEAF_WORDS[leaf.sign]
    return (Cell(word, tone), Cell(f"{lead}{leaf.name or 'value'}"), Cell(leaf_text(leaf), tone))


def leaf_text(leaf: Leaf) -> str:
    """The value before and after; what forces a replacement says so first, because long values are cut."""
    text = f"{len(leaf.lines)} lines below" if leaf.lines else words(leaf)[:LONGEST_TEXT]
    return "".join((_FORCES if leaf.forces else "", f"({leaf.note}) " if leaf.note else "", text))


_FORCES = "forces replacement: "


def why(change: Change) -> str:
    """Why, and what comes with it: a move, an import, a left-over object."""
    parts = (
        f"moved from {change.previous_address}" if change.previous_address else "",
        f"imported from {change.importing or 'an id not known yet'}" if change.importing is not None else "",
        f"left-over object {change.deposed}" if change.deposed else "",
        f"the engine says {' then '.join(change.actions) or 'nothing'}" if change.action is Action.OTHER else "",
        f"because {change.reason}" if change.reason else "",
    )
    return " · ".join(part for part in parts if part)


def headline(plan: Plan, title: str) -> tuple[tuple[Cell, ...], ...]:
    """The lines above the tree: which plan, what it does in the engine's words, and what stands in its way."""
    engine = f"engine {plan.engine_version}" if plan.engine_version else ""
    about = " · ".join(part for part in (title, engine) if part)
    tone: Tone = "bad" if plan.destroys else "warn" if plan.changes or plan.outputs else "good"
    lines = [(Cell(about, "dim"),), (Cell(plan.headline, tone), Cell(_beside(plan)))]
    if trouble := troubles(plan):
        lines.append((Cell(f"✗ {trouble}", "bad"),))
    return tuple(lines)


def _beside(plan: Plan) -> str:
    summary = plan.summary
    outputs = f"{_counted(len(plan.outputs), 'output')} change{'s' if len(plan.outputs) == 1 else ''}" if plan.outputs else ""
    parts = (
        (summary.forget, "to forget"),
        (summary.read, "to read"),
        (summary.move, "moved"),
        (len(plan.drift), "drifted"),
        (len(plan.deferred), "put off"),
        (plan.unchanged, "unchanged"),
    )
    counted = (f"{count:,} {words_}" for count, words_ in parts if count)
    return "".join(f" · {part}" for part in (outputs, *counted) if part)


def troubles(plan: Plan) -> str:
    """What an operator must know before trusting the plan; empty where there is nothing."""
    failed = sum(check.failed for check in plan.checks)
    parts = (
        "planning failed: what is listed is not all, and cannot be applied" if plan.errored else "",
        f"{_counted(failed, 'check')} failed" if failed else "",
        "applying leaves more to plan" if plan.complete is False and not plan.errored else "",
    )
    return "; ".join(part for part in parts if part)


def empty_words(plan: Plan, *, only_losses: bool) -> str:
    """Why there is no line."""
    if only_losses and plan.changes:
        return "Nothing is destroyed, replaced or forgotten. ! shows all again."
    return plan.headline
