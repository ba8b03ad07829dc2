"""One hidden value, shown on purpose and for a while."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from textual.timer import Timer

from kumoss_console.text import Secret
from screens.base import ViewScreen
from screens.statedetail import detail
from screens.statedetail.tree import Node, Tree

SECONDS = 30.0
"""How long a value is shown."""


class Revealed:
    """At most one value of a screen. ``changed`` is called whenever another one, or none, is shown."""

    def __init__(self, screen: ViewScreen, changed: Callable[[], None], *, seconds: float = SECONDS) -> None:
        self._screen = screen
        self._changed = changed
        self._seconds = seconds
        self._shown: tuple[Hashable, Secret] | None = None
        self._timer: Timer | None = None

    def text(self, node: Node) -> str | None:
        """The value of a line while it is shown."""
        return self._shown[1].reveal() if self._shown is not None and self._shown[0] == node.id else None

    def show(self, node: Node, tree: Tree) -> None:
        """Show the value of this line alone, or hide it where it is shown."""
        console = self._screen.console
        if self.text(node) is not None:
            self.hide()
            console.flash("hidden again")
            return
        held = tree.held(node)
        secret = held.reveal(node.path) if held is not None else None
        if secret is None:
            console.flash("this value cannot be revealed: the document cannot be read as far as that")
            return
        self.hide()
        self._shown = (node.id, secret)
        self._timer = self._screen.set_timer(self._seconds, self.hide)
        self._changed()
        console.flash(f"revealed for {self._seconds:.0f} s, on this screen only: {detail.title(node)}; x hides it")

    def hide(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._shown is not None:
            self._shown = None
            self._changed()
