"""A plan as a tree: by what happens or by module, then by resource and instance key. Pure: built once, flattened when it opens.

Only what is open becomes a row, and the attributes of a change are nodes only after somebody opened it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import Literal

from kumoss_console.model.plan import Action, Change, Check, Deferred, Diff, Key, Leaf, Line, OutputChange, Plan
from kumoss_console.model.state.address import instance_address, resource_address

Order = Literal["action", "module"]
ALL_OPEN = 100
"""Changes up to which everything is open at first. Of larger plans only what is lost is."""
LOSSES = frozenset({Action.DELETE, Action.REPLACE, Action.FORGET, Action.OTHER})
"""What must be read before an apply; what this console does not know may be one of them."""


class Section(StrEnum):
    """Headings beside those of the actions."""

    OUTPUTS = "outputs"
    CHECKS = "checks"
    DRIFT = "drift"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True)
class Heading:
    """All that happens in one way, or one of the sections beside."""

    what: Action | Section
    count: int


@dataclass(frozen=True, slots=True)
class Module:
    """One module, or the root module (empty address) where modules come first."""

    address: str
    count: int


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource with several instances in one place."""

    address: str
    """Without its module."""
    count: int


@dataclass(frozen=True, slots=True)
class Instance:
    """One change. ``label`` is its address as far as the nodes above do not say it already."""

    change: Change
    label: str
    key: Key = None
    drifted: bool = False
    """Whether this is what happened outside, not what is planned."""


@dataclass(frozen=True, slots=True)
class Note:
    """A remark of ours below a change."""

    text: str
    bad: bool = False


Subject = Heading | Module | Resource | Instance | OutputChange | Check | Deferred | Leaf | Line | Note


@dataclass(slots=True, eq=False)
class Node:
    """One line of the tree. ``id`` stays the same when the tree is built again from the same plan in the same order."""

    id: Hashable
    depth: int
    subject: Subject
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def can_open(self) -> bool:
        return bool(self.children) or isinstance(self.subject, Instance | OutputChange)

    @property
    def change(self) -> Change | OutputChange | None:
        """The change that the line is, or belongs to."""
        node: Node | None = self
        while node is not None:
            if isinstance(node.subject, Instance):
                return node.subject.change
            if isinstance(node.subject, OutputChange):
                return node.subject
            if isinstance(node.subject, Deferred):
                return node.subject.change
            node = node.parent
        return None


def build(plan: Plan, *, order: Order = "action", only_losses: bool = False) -> list[Node]:
    """The top of the tree."""
    changes = [(number, change) for number, change in enumerate(plan.changes) if not only_losses or change.action in LOSSES]
    tops: list[Node] = []
    if order == "module":
        for module, members in _together(changes, lambda item: item[1].module):
            node = Node(("module", module), 0, Module(module, len(members)))
            _add_resources(node, members)
            tops.append(node)
    else:
        for action, same in groupby(changes, lambda item: item[1].action):
            listed = list(same)
            node = Node(("action", action), 0, Heading(action, len(listed)))
            _add_modules(node, listed)
            tops.append(node)
    return tops if only_losses else [*tops, *_beside(plan)]


def _add_modules(top: Node, members: Sequence[tuple[int, Change]]) -> None:
    for module, inside in _together(members, lambda item: item[1].module):
        if module:
            _add_resources(_child(top, ("module", top.id, module), Module(module, len(inside))), inside)
        else:
            _add_resources(top, inside)


def _add_resources(parent: Node, members: Sequence[tuple[int, Change]]) -> None:
    for resource, instances in _together(members, _resource):
        if len(instances) == 1:
            number, change = instances[0]
            _child(parent, ("change", number), Instance(change, instance_address(resource, change.key), change.key))
            continue
        group = _child(parent, ("resource", parent.id, resource), Resource(resource, len(instances)))
        for number, change in instances:
            _child(group, ("change", number), Instance(change, instance_address("", change.key) or resource, change.key))


def _resource(item: tuple[int, Change]) -> str:
    change = item[1]
    return resource_address("", change.mode, change.type, change.name)


def _together(
    items: Iterable[tuple[int, Change]], name: Callable[[tuple[int, Change]], str]
) -> Iterator[tuple[str, list[tuple[int, Change]]]]:
    """Items of one name together, in the order in which the names first come."""
    found: dict[str, list[tuple[int, Change]]] = {}
    for item in items:
        found.setdefault(name(item), []).append(item)
    yield from found.items()


def _child(parent: Node, node_id: Hashable, subject: Subject) -> Node:
    node = Node(node_id, parent.depth + 1, subject, parent)
    parent.children.append(node)
    return node


def _beside(plan: Plan) -> Iterator[Node]:
    failed_first = sorted((check for check in plan.checks if check.status != "pass"), key=lambda check: not check.failed)
    parts: tuple[tuple[Section, Sequence[Subject]], ...] = (
        (Section.CHECKS, failed_first),
        (Section.OUTPUTS, plan.outputs),
        (Section.DRIFT, [Instance(change, change.address, change.key, drifted=True) for change in plan.drift]),
        (Section.DEFERRED, plan.deferred),
    )
    for section, subjects in parts:
        if subjects:
            top = Node(("section", section), 0, Heading(section, len(subjects)))
            for number, subject in enumerate(subjects):
                _child(top, (section, number), subject)
            yield top


def open_at_first(tops: Iterable[Node], *, changes: int) -> set[Hashable]:
    """What is open before anybody opened anything: all of a small plan; of a large one the headings and what is lost."""
    opened: set[Hashable] = set()
    for top in tops:
        opened.add(top.id)
        lost = isinstance(top.subject, Heading) and top.subject.what in LOSSES
        if lost or changes <= ALL_OPEN:
            opened.update(node.id for node in groups(top))
    return opened


def groups(node: Node) -> Iterator[Node]:
    """The node and all below it that hold other changes."""
    if isinstance(node.subject, Heading | Module | Resource):
        yield node
        for child in node.children:
            yield from groups(child)


def changes_below(node: Node) -> Iterator[Node]:
    """The lines at and below the node that can be searched for by a name of their own."""
    if isinstance(node.subject, Instance | OutputChange | Check | Deferred):
        yield node
    elif isinstance(node.subject, Heading | Module | Resource):
        for child in node.children:
            yield from changes_below(child)


def flat(tops: Iterable[Node], opened: Collection[Hashable], inside: Mapping[Hashable, Sequence[Node]]) -> list[Node]:
    """The lines to show, top to bottom. ``inside`` has the attributes of the changes that were opened, by the change's id."""
    lines: list[Node] = []

    def add(node: Node) -> None:
        lines.append(node)
        if node.id in opened:
            for child in node.children or inside.get(node.id, ()):
                add(child)

    for top in tops:
        add(top)
    return lines


def attributes(node: Node, diff: Diff) -> list[Node]:
    """The lines below an opened change."""
    lines: list[Node] = []

    def add(name: Hashable, subject: Subject, depth: int) -> None:
        lines.append(Node((node.id, name), depth, subject, node))

    depth = node.depth + 1
    for path in diff.forced_by:
        add(("forced", path), Note(f"{path} forces the replacement; no value below it differs", bad=True), depth)
    for number, leaf in enumerate(diff.leaves):
        add(number, leaf, depth)
        for place, line in enumerate(leaf.lines):
            add((number, place), line, depth + 1)
    if diff.left_out:
        add("left out", Note(f"{diff.left_out:,} more values are not listed; v shows the whole change"), depth)
    if not diff.leaves and not diff.same:
        add("nothing", Note("no values"), depth)
    return lines
