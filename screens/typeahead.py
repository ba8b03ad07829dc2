"""Keys that come in one burst with the key that opens an input line belong into the line, not to the view behind it.

A key goes to what has the focus, and comes back through its parents before the application looks which command is bound to it.
By then the keys behind it are on the same way: typed fast or pasted, the first letters of ``:unlock`` would be commands of the
view. So they wait while such a key is on its way.
"""

from __future__ import annotations

from collections import deque
from typing import Any, TypeVar

from textual import events
from textual.timer import Timer

from screens.ending import OrderlyApp

Result = TypeVar("Result")

PATIENCE = 0.5
"""Seconds for which keys wait at most: what had the focus may have been taken away, and the key with it."""
_OPENS_A_LINE = frozenset({"command_line", "filter", "search"})
"""Actions that lead to an input line."""


class TypeAheadApp(OrderlyApp[Result], inherit_bindings=False):
    """An application in which what is typed fast ends where it would have ended when typed slowly."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._opening: events.Key | None = None
        self._waiting: deque[events.Event] = deque()
        self._impatient: Timer | None = None

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste):
            await super().on_event(event)
        elif event.is_forwarded:
            await super().on_event(event)
            if event is self._opening:
                await self._go_on()
        elif self._opening is not None:
            self._waiting.append(event)
        else:
            if isinstance(event, events.Key) and self._opens_a_line(event):
                self._opening = event
                self._impatient = self.set_timer(PATIENCE, self._go_on)
            await super().on_event(event)

    async def _go_on(self) -> None:
        """The key that opens a line has come back, or never will: what waited goes where the focus is now."""
        if self._impatient is not None:
            self._impatient.stop()
        self._opening = None
        while self._waiting and self._opening is None:
            await self.on_event(self._waiting.popleft())

    def _opens_a_line(self, key: events.Key) -> bool:
        if not self.screen_stack:
            return False  # a key that comes while the application ends
        focused = self.focused
        if focused is not None and focused.check_consume_key(key.key, key.character):
            return False
        active = self.screen.active_bindings.get(key.key)
        return active is not None and active.enabled and active.binding.action in _OPENS_A_LINE
