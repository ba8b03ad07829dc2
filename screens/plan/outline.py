"""What is open in a plan's tree, and where a search leads. No widget: the screen asks, and shows the lines it gets."""

from __future__ import annotations

from collections.abc import Hashable

from kumoss_console.model.plan import Change, Check, Deferred, Diff, Leaf, OutputChange, Plan, diff, words
from screens.plan import tree
from screens.plan.tree import Instance, Node, Order

OPENED_AT_ONCE = 200
"""Changes whose values are opened by one gesture: a millisecond each."""


class Outline:
    """The state of the tree. ``lines`` are what is visible now, top to bottom."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.order: Order = "action"
        self.only_losses = False
        self.unchanged = False
        self.opened: set[Hashable] = set()
        self._tops: list[Node] = []
        self._inside: dict[Hashable, list[Node]] = {}
        self.rebuild()

    def rebuild(self) -> None:
        """Build the tree anew, after ``order`` or ``only_losses`` changed; nothing but what is open at first is open then."""
        self._tops = tree.build(self.plan, order=self.order, only_losses=self.only_losses)
        self._inside.clear()
        self._searched: list[tuple[Node, str]] = []
        self.opened = tree.open_at_first(self._tops, changes=len(self.plan.changes))

    @property
    def lines(self) -> list[Node]:
        return tree.flat(self._tops, self.opened, self._inside)

    def is_open(self, node: Node) -> bool:
        return node.id in self.opened

    # -- opening -----------------------------------------------------------------------------------------------------------

    def needs_values(self, node: Node) -> bool:
        """Whether opening the line means comparing values first."""
        return isinstance(node.subject, Instance | OutputChange) and node.id not in self._inside

    def compare(self, node: Node) -> Diff | None:
        """The values of a change, compared. Pure CPU work: large ones belong on a thread."""
        change = node.change
        return diff(change, unchanged=self.unchanged) if change is not None else None

    def open(self, node: Node, found: Diff | None = None) -> None:
        """Open one line. ``found`` are its compared values where the caller has them."""
        if self.needs_values(node) and (found := found or self.compare(node)) is not None:
            self._inside[node.id] = tree.attributes(node, found)
        self.opened.add(node.id)

    def close(self, node: Node) -> None:
        self.opened.discard(node.id)

    def open_below(self, node: Node) -> int:
        """Open all groups below, and the changes where they are few. Returns how many changes stay closed."""
        self.opened.update(group.id for group in tree.groups(node))
        changes = [line for line in tree.changes_below(node) if line.can_open]
        if len(changes) > OPENED_AT_ONCE:
            return len(changes)
        for change in changes:
            self.open(change)
        return 0

    def close_all(self) -> None:
        self.opened.clear()

    def show_unchanged(self, on: bool) -> None:
        """List values that stay, or not; what is open is compared again when it is opened again."""
        self.unchanged = on
        self.opened.difference_update(self._inside)
        self._inside.clear()

    def reveal(self, node: Node) -> None:
        """Open what is above the line, so that it is visible."""
        above = node.parent
        while above is not None:
            self.opened.add(above.id)
            above = above.parent

    # -- searching ---------------------------------------------------------------------------------------------------------

    def search(self, needle: str) -> list[Node]:
        """Lines that hold ``needle``, in any case, closed groups included; values only where they were opened."""
        folded = needle.casefold()
        if not folded:
            return []
        if not self._searched:
            self._searched = [(node, _text(node)) for top in self._tops for node in tree.changes_below(top)]
        found: list[Node] = []
        for node, text in self._searched:
            if folded in text:
                found.append(node)
            if node.id in self._inside:
                found += [line for line in self._inside[node.id] if _leaf_holds(line, folded)]
        return found


def _text(node: Node) -> str:
    """What the line is found by, case folded. A line feed stands between what must not match across."""
    match node.subject:
        case Instance(change=Change() as change) | Deferred(change=change):
            parts = [part for part in (change.address, change.previous_address, change.importing) if part]
        case OutputChange(name=name):
            parts = [name]
        case Check(address=address, problems=problems):
            parts = [address, *problems]
        case _:
            parts = []
    return "\n".join(parts).casefold()


def _leaf_holds(node: Node, folded: str) -> bool:
    leaf = node.subject
    return isinstance(leaf, Leaf) and (folded in leaf.name.casefold() or folded in words(leaf).casefold())
