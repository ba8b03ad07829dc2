"""What is open in a state's tree, and where a search leads. No widget: the screen asks, and shows the lines it gets."""

from __future__ import annotations

from collections.abc import Hashable

from kumoss_console.model.state.search import Hit
from kumoss_console.services.states.detail import OpenedState
from screens.statedetail.tree import Heading, Module, Node, Object, Part, Resource, Tree, flat

OPENED_AT_FIRST = 60
"""Resources up to which modules are open at first."""
LINES_AT_ONCE = 200_000
"""Lines beyond which one gesture opens nothing more."""


class Outline:
    """The state of the tree. ``lines`` are what is visible now, top to bottom."""

    def __init__(self, opened: OpenedState) -> None:
        self.tree = Tree(opened.document, opened.inside, opened.findings)
        self.opened: set[Hashable] = {Part.FINDINGS, Part.RESOURCES}
        if len(opened.document.resources) <= OPENED_AT_FIRST and (top := self.tree.top(Part.RESOURCES)) is not None:
            self._open_groups(top)

    def keep(self, before: Outline) -> None:
        """Open what was open before the same state was read again."""
        self.opened = before.opened

    @property
    def lines(self) -> list[Node]:
        return flat(self.tree.tops, self.opened)

    def is_open(self, node: Node) -> bool:
        return node.can_open and node.id in self.opened

    @staticmethod
    def needs_values(node: Node) -> bool:
        """Whether opening the line means to look inside the document."""
        return node.owner is not None

    def open(self, node: Node) -> None:
        if node.can_open:
            self.opened.add(node.id)

    def close(self, node: Node) -> None:
        self.opened.discard(node.id)

    def open_below(self, node: Node) -> None:
        """Open a group with the groups in it; or an object with the values directly in it."""
        if isinstance(node.subject, Heading | Module | Resource):
            self._open_groups(node)
        else:
            self.open(node)
            for child in node.children:
                self.open(child)

    def _open_groups(self, node: Node) -> None:
        stack, lines = [node], 0
        while stack and lines < LINES_AT_ONCE:
            group = stack.pop()
            self.open(group)
            lines += len(group.children)
            stack += [child for child in group.children if isinstance(child.subject, Module | Resource) and child.can_open]

    def close_all(self) -> None:
        self.opened = set()

    def go_to(self, hit: Hit) -> Node | None:
        """Open what is above the line of a hit, and return it; the line above it where it is not there itself."""
        match hit.where:
            case "object" | "resource":
                return self._walk(list(self.tree.way(hit.subject, hit.place, hit.path)))
            case "output":
                owner = ("output", hit.subject)
                return self._walk([Part.OUTPUTS, owner, *((owner, hit.path[: length + 1]) for length in range(len(hit.path)))])
            case "provider":
                return self._matching(Part.PROVIDERS, hit.subject)
            case "check":
                return self._matching(Part.CHECKS, hit.subject)
            case _:
                return self._matching(Part.IDENTIFIERS, hit.subject)

    def _walk(self, way: list[Hashable]) -> Node | None:
        node = next((top for top in self.tree.tops if top.id == way[0]), None)
        for step in way[1:]:
            below = node.child(step) if node is not None else None
            if node is None or below is None:
                break
            self.open(node)
            node = below
        return node

    def _matching(self, part: Part, text: str) -> Node | None:
        top = self.tree.top(part)
        if top is None:
            return None
        self.open(top)
        names = ("written", "address", "text")
        return next((node for node in top.children if text in {getattr(node.subject, name, None) for name in names}), top)


def object_below(node: Node) -> bool:
    """Whether the line is, or lies in, one object of a resource."""
    owner = node.owner
    return owner is not None and isinstance(owner.subject, Object)
