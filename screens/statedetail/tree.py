"""A state as a tree: findings, resources by module, data sources, outputs, providers, checks, identifiers, the document itself.

Pure. Nothing below a line is made before the line is opened: a state of a hundred thousand objects begins with eight lines.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kumoss_console.model.finding import Finding
from kumoss_console.model.state import OutputRow, ResourceRow, StateDocument
from kumoss_console.model.state.address import module_steps
from kumoss_console.model.state.document import CheckedObject, CheckRow, Mode, ProviderRow
from kumoss_console.model.state.inside import Held, Inside
from kumoss_console.model.state.leaves import Member, members
from kumoss_console.model.state.marks import Path
from kumoss_console.model.state.providers import providers_of
from kumoss_console.text import MASK


class Part(StrEnum):
    """The headings, in their order."""

    FINDINGS = "findings"
    RESOURCES = "resources"
    DATA = "data sources"
    OUTPUTS = "outputs"
    PROVIDERS = "providers"
    CHECKS = "check results"
    IDENTIFIERS = "identifiers"


@dataclass(frozen=True, slots=True)
class Heading:
    part: Part
    count: int


@dataclass(frozen=True, slots=True)
class Module:
    """``label`` is the last step of the address, ``count`` the resources in it and in what it calls."""

    address: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that does not have exactly one object. ``label`` is its address without the module."""

    row: ResourceRow
    label: str


@dataclass(frozen=True, slots=True)
class Object:
    """The object at a place among those of its resource. ``label`` is what the lines above do not say of its address."""

    row: ResourceRow
    place: int
    label: str


@dataclass(frozen=True, slots=True)
class Value:
    """An attribute, or something in one. ``value`` is veiled; ``owner`` is the object or output it belongs to."""

    owner: Hashable
    member: Member
    value: Any


@dataclass(frozen=True, slots=True)
class Identifier:
    """``why`` is what is to be known of it: recovered, or only of a deposed object."""

    text: str
    why: str


Subject = Heading | Module | Resource | Object | Value | OutputRow | ProviderRow | CheckRow | CheckedObject | Identifier | Finding


class Node:
    """One line. ``id`` stays the same when the same state is read again."""

    __slots__ = ("_children", "_make", "can_open", "depth", "id", "parent", "subject")

    def __init__(
        self, node_id: Hashable, subject: Subject, parent: Node | None, make: Callable[[Node], list[Node]] | None = None
    ) -> None:
        self.id = node_id
        self.subject = subject
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.can_open = make is not None
        self._make = make
        self._children: list[Node] | None = None

    @property
    def children(self) -> list[Node]:
        """The lines directly below, made now if they were not before."""
        if self._children is None:
            self._children = self._make(self) if self._make is not None else []
        return self._children

    def child(self, node_id: Hashable) -> Node | None:
        return next((node for node in self.children if node.id == node_id), None)

    @property
    def owner(self) -> Node | None:
        """The object or output that the line is, or belongs to."""
        node: Node | None = self
        while node is not None and not isinstance(node.subject, Object | OutputRow):
            node = node.parent
        return node

    @property
    def path(self) -> Path:
        return self.subject.member.path if isinstance(self.subject, Value) else ()


class Tree:
    """The top lines of a document, and where things are below them."""

    def __init__(self, document: StateDocument, inside: Inside, findings: Sequence[Finding]) -> None:
        self.inside = inside
        self.rows = {row.address: row for row in document.resources}
        managed = [row for row in document.resources if row.mode == "managed"]
        data = [row for row in document.resources if row.mode == "data"]
        providers = providers_of(document.resources)
        ids = _identifiers(document)
        self.tops = [
            *_top(Part.FINDINGS, findings, self._plain),
            *self._resources(Part.RESOURCES, managed),
            *self._resources(Part.DATA, data),
            *_top(Part.OUTPUTS, document.outputs, self._output),
            *_top(Part.PROVIDERS, providers, self._plain),
            *_top(Part.CHECKS, document.checks, _check),
            *_top(Part.IDENTIFIERS, ids, self._plain),
        ]

    def top(self, part: Part) -> Node | None:
        return next((node for node in self.tops if node.id == part), None)

    def held(self, node: Node) -> Held | None:
        """What lies behind a line: its object or its output. ``None`` for others, and where it cannot be read."""
        owner = node.owner
        if owner is None:
            return None
        if isinstance(owner.subject, OutputRow):
            return self.inside.output(owner.subject.name)
        if isinstance(owner.subject, Object):
            return self.inside.object(owner.subject.row.address, owner.subject.place)
        return None

    def way(self, address: str, place: int, path: Path) -> Iterator[Hashable]:
        """The ids from the heading down to an object, and to a value in it."""
        row = self.rows[address]
        yield Part.DATA if row.mode == "data" else Part.RESOURCES
        for module in module_steps(row.module):
            yield ("module", row.mode, module)
        if len(row.instances) != 1:
            yield ("resource", address)
        if row.instances:
            owner = ("object", address, place)
            yield owner
            for length in range(1, len(path) + 1):
                yield (owner, path[:length])

    # -- what is below a line ------------------------------------------------------------------------------------------------

    def _plain(self, parent: Node, number: int, subject: Any) -> Node:
        return Node((parent.id, number), subject, parent)

    def _output(self, parent: Node, number: int, output: OutputRow) -> Node:
        opens = output.value[:1] in ("{", "[") and output.value not in ("{}", "[]")
        return Node(("output", output.name), output, parent, self._values if opens else None)

    def _resources(self, part: Part, rows: Sequence[ResourceRow]) -> Iterator[Node]:
        if rows:
            modules = _Modules(rows)
            yield Node(part, Heading(part, len(rows)), None, lambda node: self._inside_module(node, modules, "", rows[0].mode))

    def _inside_module(self, parent: Node, modules: _Modules, address: str, mode: Mode) -> list[Node]:
        found = [self._resource(parent, row) for row in modules.rows.get(address, ())]
        for inner in modules.nested.get(address, ()):
            label = inner[len(address) + 1 :] if address else inner
            subject = Module(inner, label, modules.counts[inner])
            found.append(
                Node(
                    ("module", mode, inner),
                    subject,
                    parent,
                    lambda node, inner=inner: self._inside_module(node, modules, inner, mode),  # type: ignore[misc]
                )
            )
        return found

    def _resource(self, parent: Node, row: ResourceRow) -> Node:
        label = row.address[len(row.module) + 1 :] if row.module else row.address
        if len(row.instances) == 1:
            return self._object(parent, row, 0, label + row.instances[0].address[len(row.address) :])
        make = (lambda node: self._objects(node, row)) if row.instances else None
        return Node(("resource", row.address), Resource(row, label), parent, make)

    def _objects(self, parent: Node, row: ResourceRow) -> list[Node]:
        return [
            self._object(parent, row, place, instance.address[len(row.address) :] or "without a key")
            for place, instance in enumerate(row.instances)
        ]

    def _object(self, parent: Node, row: ResourceRow, place: int, label: str) -> Node:
        return Node(("object", row.address, place), Object(row, place, label), parent, self._values)

    def _values(self, owner: Node) -> list[Node]:
        """The attributes of an object, or what is in an output: decoded now."""
        held = self.held(owner)
        return self._members(owner, owner.id, held.values() if held is not None else None, ())

    def _members(self, parent: Node, owner: Hashable, value: Any, path: Path) -> list[Node]:
        found = []
        for member in members(value, path):
            inner = value[member.path[-1]]
            opens = (
                (lambda node, inner=inner, path=member.path: self._members(node, owner, inner, path)) if member.inside else None
            )
            found.append(Node((owner, member.path), Value(owner, member, inner), parent, opens))
        return found


class _Modules:
    """Resources by the module they are in, and modules by the one that calls them."""

    def __init__(self, rows: Sequence[ResourceRow]) -> None:
        self.rows: dict[str, list[ResourceRow]] = {}
        self.nested: dict[str, list[str]] = {}
        self.counts: dict[str, int] = {}
        for row in rows:
            self.rows.setdefault(row.module, []).append(row)
        for module, inside in self.rows.items():
            above = ""
            for step in module_steps(module):
                if step not in self.counts:
                    self.counts[step] = 0
                    self.nested.setdefault(above, []).append(step)
                self.counts[step] += len(inside)
                above = step


def _top(part: Part, items: Sequence[Any], make: Callable[[Node, int, Any], Node]) -> Iterator[Node]:
    if items:
        yield Node(
            part, Heading(part, len(items)), None, lambda top: [make(top, number, item) for number, item in enumerate(items)]
        )


def _check(parent: Node, number: int, check: CheckRow) -> Node:
    def objects(node: Node) -> list[Node]:
        return [Node((node.id, place), one, node) for place, one in enumerate(check.objects)]

    return Node(("check", number), check, parent, objects if check.objects else None)


def _identifiers(document: StateDocument) -> list[Identifier]:
    if document.ids or not document.recovered_ids:
        deposed = frozenset(document.ids_only_from_deposed)
        return [Identifier(text, "of a deposed object only" if text in deposed else "") for text in document.ids]
    return [Identifier(text, "recovered: engines do not take this state") for text in document.recovered_ids]


def flat(tops: Sequence[Node], opened: frozenset[Hashable] | set[Hashable]) -> list[Node]:
    """What is visible, top to bottom."""
    lines: list[Node] = []
    stack = list(reversed(tops))
    while stack:
        node = stack.pop()
        lines.append(node)
        if node.id in opened and node.can_open:
            stack.extend(reversed(node.children))
    return lines


def is_hidden(node: Node) -> bool:
    """Whether the line's value is behind the veil, and could be revealed."""
    subject = node.subject
    if isinstance(subject, Value):
        return bool(subject.member.why) and subject.member.why != "deep"
    return isinstance(subject, OutputRow) and subject.value == MASK
