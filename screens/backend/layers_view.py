"""What the layers of a workspace say: the line on top, the rows of the table, one value in detail. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kumoss_console.model.backend.result import Origin, Shadow
from kumoss_console.model.backend.rows import ValueRow, value_rows, worded
from kumoss_console.model.finding import Severity
from kumoss_console.model.trace.wording import short
from kumoss_console.services.backend.effective import WorkspaceBackend
from screens.findings import finding_facts
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact
from screens.widgets.rows import Rows

COLUMNS = (
    Column(key="value", title="VALUE", width=14, stretch=2, sortable=False),
    Column(key="effective", title="EFFECTIVE", width=25, stretch=2, middle=True, sortable=False),
    Column(key="from", title="FROM", width=21, priority=2, stretch=1, middle=True, sortable=False),
    Column(key="bound", title="BOUND", width=11, priority=3, middle=True, sortable=False),
    Column(key="shadows", title="SHADOWS", width=30, priority=4, stretch=3, middle=True, sortable=False),
)
LOOKING = (fact("", Cell("reading the workspace…", "busy")),)
UNREAD = (fact("?", Cell("the workspace could not be read: see above", "warn")),)
_AGREED: dict[str, Cell] = {
    "same": Cell("same", "good"),
    "missing": Cell("✗ unbound", "bad"),
    "not_compared": Cell("? computed", "dim"),
    "nothing_bound": Cell("-", "dim"),
}


_MOST_NAMED = 3
"""Arguments that the line on top names; the table has them all."""

_SAID_BELOW = frozenset({"backend.bound_differs"})


def rows(found: WorkspaceBackend) -> Rows[ValueRow]:
    """The table's rows, each by its argument's name."""
    items = value_rows(found.effective, found.bound, found.differences)
    return Rows(items, identify=lambda row: row.name, draw=cells)


def cells(row: ValueRow) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`."""
    return (
        Cell(row.name, "bad" if row.wrong else ""),
        _effective(row),
        Cell(_from(row.origin) if row.origin is not None else "-", "" if row.origin is not None else "dim"),
        _bound(row),
        _shadows(row.shadows),
    )


def _effective(row: ValueRow) -> Cell:
    if row.origin is None:
        return Cell("-", "dim")
    if row.expression:
        return Cell(row.expression, "warn")
    return Cell(short(worded(row.value)))


def _bound(row: ValueRow) -> Cell:
    if row.agreement != "differs":
        return _AGREED[row.agreement]
    text = worded(row.bound)
    brief = short(text)
    # Of a managed key its digest tells enough; the file below has the whole of it.
    return Cell(f"✗ {brief.partition('/')[0] if brief != text else text}", "bad")


def _shadows(shadows: Sequence[Shadow]) -> Cell:
    if not shadows:
        return Cell("")
    first = shadows[0]
    more = f"  and {len(shadows) - 1} more" if len(shadows) > 1 else ""
    erased = " (erased)" if first.erased else ""
    return Cell(f"{short(worded(first.value))}  {first.origin.at}{erased}{more}", "warn" if first.erased else "dim")


def _from(origin: Origin) -> str:
    return origin.at + "".join(f" ← {via.at}" for via in origin.via)


def heading(folder: Path, root: str | None, found: WorkspaceBackend | None, object_key: str | None) -> tuple[Fact, ...]:
    """Which workspace this is, by its name below the root where it lies there; and whether the project beside it is its own."""
    inside = bool(root) and folder.is_relative_to(root or "") and folder != Path(root or "")
    name = folder.relative_to(root or "").as_posix() if inside else str(folder)
    return (fact("", Cell("workspace ", "dim"), Cell(name, "accent")), *foreign_facts(found, object_key))


def foreign_facts(found: WorkspaceBackend | None, object_key: str | None) -> tuple[Fact, ...]:
    """Where the project in the inputs has another key than the workspace: both are shown side by side all the same."""
    if found is None or object_key is None or (binding := found.effective.bound) is None:
        return ()
    key = next((one.value for one in binding.attributes if one.name == "key"), None)
    if not isinstance(key, str) or key == object_key:
        return ()
    said = f"the project in the inputs ({short(object_key)}) is not the one of this workspace ({short(key)})"
    return (fact("!", Cell(said, "warn")),)


def answer_facts(found: WorkspaceBackend) -> tuple[Fact, ...]:
    """Type, model and engine, what is bound, and the gravest thing there is to say, at the top."""
    effective, owner = found.effective, found.ownership
    assumed = Cell(f" ({found.engine.note})" if found.engine.note else "", "dim")
    sure = "" if owner.certain else " (not certain)"
    model = Cell(f"{owner.model}{sure}", "bad" if owner.model in {"mixed", "local"} else "")
    facts = [fact("", _type(found), " · ", model, f" · {found.engine.label}", assumed)]
    if (worst := _worst(found)) is not None:
        facts.append(worst)
    facts.append(fact("", Cell(_bound_words(found), "bad" if found.differences else "dim")))
    if not value_rows(effective, found.bound, found.differences):
        facts.append(fact("", Cell("no values: nothing is written down that the engine would bind", "dim")))
    return tuple(facts)


def _type(found: WorkspaceBackend) -> Cell:
    effective = found.effective
    if effective.bound is not None:
        at = effective.bound.at
        return Cell(f"{effective.bound.type} ({at.at})", "accent") if at else Cell("local: no backend block", "warn")
    if effective.unknown:
        return Cell(f"? not known: {', '.join(effective.unknown)} was not read", "bad")
    refused = f"✗ the engine refuses {effective.written.type}" if effective.written else "✗ the engine refuses the configuration"
    return Cell(refused, "bad")


def _worst(found: WorkspaceBackend) -> Fact | None:
    order = tuple(Severity)
    told = [one for one in found.findings if one.severity is not Severity.INFO and one.code not in _SAID_BELOW]
    if not told:
        lost = len({shadow.name for shadow in found.effective.erased})
        values = f"{lost} value{'' if lost == 1 else 's'}"
        return fact("!", Cell(f"the override erases {values} of the block below", "warn")) if lost else None
    first = min(told, key=lambda one: order.index(one.severity))
    more = f"  and {len(told) - 1} more below" if len(told) > 1 else ""
    tone: Tone = "bad" if first.severity is Severity.ERROR else "warn"
    return fact(
        "✗" if first.severity is Severity.ERROR else "!", Cell(f"{first.subject}: {first.message}", tone), Cell(more, "dim")
    )


def _bound_words(found: WorkspaceBackend) -> str:
    bound = found.bound
    if bound.status == "absent":
        return "nothing is bound: no init yet, or none with a backend block"
    if bound.status == "unreadable":
        return f"what is bound cannot be read: {bound.detail}"
    by = f" by version {bound.engine_version}" if bound.engine_version else ""
    if found.differences:
        few, more = found.differences[:_MOST_NAMED], len(found.differences) - _MOST_NAMED
        names = ", ".join(one.name for one in few) + (f" and {more} more" if more > 0 else "")
        return f"bound{by}: {bound.type}, and differs in {names}"
    return f"bound{by}: {bound.type}, as written" if found.effective.bound is not None else f"bound{by}: {bound.type}"


def detail_facts(row: ValueRow | None) -> tuple[Fact, ...]:
    """One value whole: nothing is cut here."""
    if row is None:
        return ()
    facts = [fact(row.name, _whole(row))]
    if row.origin is not None:
        facts.append(fact("from", Cell(_from(row.origin), "accent"), Cell(f"  {_layer(row.origin)}", "dim")))
        facts += [fact("", Cell(f"{via.what} at {via.at}", "dim")) for via in row.origin.via]
    if row.agreement == "differs":
        facts.append(
            fact(
                "bound",
                Cell(f"✗ {worded(row.bound)}", "bad"),
                Cell("  find out who bound it before any init: trace, or 3", "dim"),
            )
        )
    elif row.agreement != "nothing_bound":
        facts.append(fact("bound", _AGREED[row.agreement]))
    for shadow in row.shadows:
        how = "erased: its whole block was replaced" if shadow.erased else "beaten, key by key"
        facts.append(
            fact(
                "shadows",
                Cell(worded(shadow.value), "warn"),
                f"  {shadow.origin.at}  ",
                Cell(f"{_layer(shadow.origin)}; {how}", "dim"),
            )
        )
    return tuple(facts)


def _whole(row: ValueRow) -> Cell:
    if row.origin is None:
        return Cell("not set any more", "dim")
    if row.expression:
        return Cell(f"{row.expression}  only the engine can compute it {worded(row.value)}", "warn")
    return Cell(worded(row.value))


def _layer(origin: Origin) -> str:
    return {
        "repository": "the repository",
        "override": "an override file",
        "backend-config": "given to init (IAC_BACKEND_CONFIG)",
    }[origin.layer]


def finding_lines(found: WorkspaceBackend) -> tuple[Fact, ...]:
    """Every finding, gravest first, with its subject and remedy."""
    return finding_facts(found.findings)


def order_facts(found: WorkspaceBackend) -> tuple[Fact, ...]:
    """The files in the order of the engine, and the part each plays."""
    facts = []
    for item in found.effective.files:
        tone: Tone = "dim" if item.role in {"hidden", "ignored"} else ""
        reason = f": {item.reason}" if item.reason else ""
        facts.append(fact(item.role, Cell(f"{item.name}{reason}", tone)))
    if len(facts) > MOST_FILES:
        facts = [*facts[:MOST_FILES], fact("", Cell(f"and {len(facts) - MOST_FILES:,} more files", "dim"))]
    return tuple(facts)


MOST_FILES = 40
"""Files that are listed; Copy as JSON has all of them."""
