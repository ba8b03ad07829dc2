"""The footer: the keys that work here, made from the live bindings."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from screens.commands import APPLICATION, EVERYWHERE

_GENERAL = frozenset(command.id for command in (*EVERYWHERE, *APPLICATION))
ALWAYS = ("help",)
"""Shown whatever the width."""


@dataclass(frozen=True, slots=True)
class KeyHint:
    """One entry: the binding's id, its key as bound and as shown, and its word."""

    id: str
    key: str
    shown: str
    label: str

    @property
    def width(self) -> int:
        return cell_len(self.shown) + 1 + cell_len(self.label) + 2


def fitting(hints: list[KeyHint], width: int) -> list[KeyHint]:
    """The hints that fit, in order; those of :data:`ALWAYS` keep their place and others give way."""
    room = width - 1 - sum(hint.width for hint in hints if hint.id in ALWAYS)
    kept: list[KeyHint] = []
    full = False
    for hint in hints:
        if hint.id in ALWAYS:
            kept.append(hint)
        elif not full and hint.width <= room:
            kept.append(hint)
            room -= hint.width
        else:
            full = True
    return kept


class KeyBar(Widget):
    """Follows the focus: what the focused part and the screen bind, and may do now."""

    DEFAULT_CSS = """
    KeyBar { height: 1; background: $panel; color: $foreground 80%; }
    """

    hints: reactive[tuple[KeyHint, ...]] = reactive(())

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._renew)
        self._renew(self.screen)

    def _renew(self, screen: Screen[object]) -> None:
        if screen is not self.screen:
            return
        found: dict[str, KeyHint] = {}
        for active in screen.active_bindings.values():
            binding = active.binding
            if binding.show and binding.id and active.enabled and binding.id not in found:
                found[binding.id] = KeyHint(binding.id, binding.key, self.app.get_key_display(binding), binding.description)
        # What is special to this view first; what works everywhere is learned once.
        self.hints = tuple(sorted(found.values(), key=lambda hint: hint.id in _GENERAL))

    def render(self) -> Content:
        parts: list[tuple[str, str]] = [(" ", "")]
        for hint in fitting(list(self.hints), self.size.width):
            parts += [(hint.shown, "$text-primary bold"), (f" {hint.label}  ", "")]
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        left = 1
        for hint in fitting(list(self.hints), self.size.width):
            left += hint.width
            if event.x < left:
                self.app.simulate_key(hint.key)
                return
