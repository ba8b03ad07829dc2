"""What every dialog shares: a frame over the dimmed view, Esc or ``q`` to leave it, nothing behind it reachable."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """Compose one ``Vertical(classes="dialog")``; ``dismiss`` with the answer. Leaving answers ``None``.

    The looks are in ``app.tcss``: what a screen class declares itself is scoped to that class, not to those that extend it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", "Close", id="dialog.close")]

    def action_leave(self) -> None:
        self.dismiss(None)
