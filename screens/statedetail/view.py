"""What the lines of a state show. Pure; every text may be external and is neutralised where it is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence

from kumoss_console.errors import ConsoleError, NotFound
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.state import DocumentKind, OutputRow, StateDocument
from kumoss_console.model.state.document import CheckedObject, CheckRow, InstanceRow, ProviderRow
from screens.findings import TONES
from screens.flash import SIGNS
from screens.statedetail.tree import Heading, Identifier, Module, Node, Object, Part, Resource, Value
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column

COLUMNS = (
    Column(key="tree", title="ADDRESS", width=34, stretch=3, middle=True, sortable=False),
    Column(key="mark", title="MARK", width=9, sortable=False),
    Column(key="text", title="IDENTIFIER, OR THE VALUE", width=26, stretch=4, sortable=False),
)
INDENT = "  "
LONGEST_TEXT = 2_000
"""Characters of a value that a line or the detail is made of; the raw view has all of it."""
WHY_HIDDEN = {
    "marked": "marked sensitive",
    "named": "named like a secret, or looks like one",
    "copy": "repeats a value that is marked sensitive",
    "part": "a part of it looks like a secret",
    "deep": "nests too deep",
}
_SIGN_OF_STATUS: dict[str, tuple[str, Tone]] = {
    "pass": ("✓ pass", "good"),
    "fail": ("✗ fail", "bad"),
    "error": ("✗ error", "bad"),
}
_TONE_OF_PART: dict[Part, Tone] = {Part.FINDINGS: "warn"}
_MEANING = {
    Part.FINDINGS: "what is wrong with it, or worth knowing",
    Part.RESOURCES: "managed",
    Part.DATA: "read, not managed",
    Part.OUTPUTS: "of the root module",
    Part.PROVIDERS: "that the resources name",
    Part.CHECKS: "as of the last apply",
    Part.IDENTIFIERS: "as state-resource-ids gives them",
}


def cells(node: Node, opened: Collection[Hashable], revealed: str | None = None) -> Sequence[Cell]:
    """One line, in the order of :data:`COLUMNS`. ``revealed`` is the value of this line while it is shown."""
    mark = ("▾ " if node.id in opened else "▸ ") if node.can_open else "  "
    lead = INDENT * node.depth + mark
    match node.subject:
        case Heading(part=part, count=count):
            return (Cell(f"{lead}{part.value} ({count:,})", _TONE_OF_PART.get(part, "accent")), Cell(""), _dim(_MEANING[part]))
        case Module(label=label, count=count):
            return (Cell(f"{lead}{label}", "accent"), Cell(""), _dim(counted(count, "resource")))
        case Resource(row=row, label=label):
            return (Cell(f"{lead}{label}"), Cell("!" if unusual(row.instances) else "", "warn"), _dim(objects(row.instances)))
        case Object(row=row, place=place, label=label):
            instance = row.instances[place]
            return (Cell(f"{lead}{label}"), Cell(mark_of(instance), "warn"), Cell(identifier(instance)))
        case Value() as value:
            return (Cell(f"{lead}{value.member.name}", "dim"), *_value(value, revealed))
        case OutputRow(name=name) as output:
            hidden = Cell("sensitive" if output.sensitive else "", "warn")
            return (Cell(f"{lead}{name}"), hidden, Cell((revealed or output.value)[:LONGEST_TEXT]))
        case ProviderRow() as provider:
            alias = f" ({provider.alias})" if provider.alias else ""
            text = f"{counted(provider.resources, 'resource')}, {counted(provider.objects, 'object')}"
            return (Cell(f"{lead}{provider.source}{alias}"), Cell(""), _dim(text))
        case CheckRow() as check:
            return (Cell(f"{lead}{check.address}"), status_sign(check.status), _dim(check.kind.replace("_", " ")))
        case CheckedObject() as checked:
            return (Cell(f"{lead}{checked.address}"), status_sign(checked.status), Cell("; ".join(checked.messages)))
        case Identifier(text=text, why=why):
            return (Cell(f"{lead}{text}"), Cell(""), Cell(why, "warn"))
        case Finding() as finding:
            return (Cell(f"{lead}{finding.subject}"), _severity(finding.severity), Cell(finding.message, TONES[finding.severity]))


def _value(value: Value, revealed: str | None) -> tuple[Cell, Cell]:
    member = value.member
    if revealed is not None:
        return (Cell("revealed", "bad"), Cell(revealed[:LONGEST_TEXT], "warn"))
    mark = "sensitive" if member.why in ("marked", "copy") else "hidden" if member.why else ""
    return (Cell(mark, "warn"), Cell(member.text[:LONGEST_TEXT], "dim" if member.why else ""))


def status_sign(status: str) -> Cell:
    text, tone = _SIGN_OF_STATUS.get(status, (f"? {status or 'unknown'}", "warn"))
    return Cell(text, tone)


def _severity(severity: Severity) -> Cell:
    return Cell(f"{SIGNS[severity]} {severity.value}"[:9], TONES[severity])


def mark_of(instance: InstanceRow) -> str:
    """What is unusual about one object."""
    return "deposed" if instance.deposed else "tainted" if instance.tainted else ""


def unusual(instances: Sequence[InstanceRow]) -> bool:
    return any(map(mark_of, instances))


def objects(instances: Sequence[InstanceRow]) -> str:
    """How many objects a resource has, and what is unusual about how many of them."""
    found = Counter(map(mark_of, instances))
    words = [f"{found[word]:,} {word}" for word in ("tainted", "deposed") if found[word]]
    return " · ".join([counted(len(instances), "object"), *words])


def identifier(instance: InstanceRow) -> str:
    deposed = f"deposed {instance.deposed} · " if instance.deposed else ""
    return f"{deposed}{instance.identifier or '-'}"


def _dim(text: str) -> Cell:
    return Cell(text, "dim")


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def empty_words(document: StateDocument | None, error: ConsoleError | None = None) -> str:
    """Why there is no line. ``error`` is why nothing was read."""
    if document is None:
        if isinstance(error, NotFound):
            return "There is no such object."
        return "It could not be read; r tries again." if error is not None else "reading…"
    if document.kind is not DocumentKind.STATE:
        return "this is no state: what is known of it stands above; v shows it"
    return "the state is empty" if document.readable else "nothing in it can be read"
