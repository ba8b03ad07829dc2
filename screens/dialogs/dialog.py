"""What every dialog shares: a frame over the dimmed view, Esc to leave it, nothing behind it reachable."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """Compose one ``Vertical(classes="dialog")``; ``dismiss`` with the answer. Leaving answers ``None``."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Close", id="dialog.close")]
    CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog .dialog {
        width: 90%; max-width: 100; height: auto; max-height: 90%;
        padding: 0 1; background: $surface; border: round $primary; border-title-style: bold;
    }
    Dialog .dialog.-wide { max-width: 160; }
    Dialog .dialog.-tall { height: 90%; }
    Dialog .dialog.-dangerous { border: round $error; }
    Dialog .hint { color: $foreground 60%; height: auto; }
    Dialog .wrong { color: $text-error; height: auto; }
    Dialog .buttons { height: auto; align-horizontal: right; padding-top: 1; }
    Dialog .buttons Button { margin-left: 2; height: 1; min-width: 12; border: none; }
    """

    def action_leave(self) -> None:
        self.dismiss(None)
