"""A search across a state, a moment at a time beside the event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter

from kumoss_console.model.state.search import Hit, narrows, search
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.services.states.detail import OpenedState

AT_ONCE = 0.05
"""Seconds of searching after which what was found is shown, and a newer search may take over."""


class Searching:
    """``hits`` grow until ``complete``; ``at`` is the one the operator is at, -1 for none."""

    def __init__(self, opened: OpenedState, needle: str, before: Searching | None = None) -> None:
        """``before`` is the search before this one, in the same state: what is typed on mostly narrows what was found."""
        self.needle = needle
        self.hits: list[Hit] = []
        self.at = -1
        self.complete = not needle
        done = before is not None and before.complete and narrows(before.needle, needle)
        self._steps = search(opened.document, opened.inside, needle, among=before.hits if before is not None and done else None)

    async def run(self, off_loop: OffLoop, found: Callable[[], None]) -> None:
        """Go through the state; ``found`` is called after each moment."""
        while not self.complete:
            news, self.complete = await off_loop(partial(_some, self._steps))
            self.hits += news
            found()

    def step(self, by: int) -> Hit | None:
        """The next hit, or the one before; starts over at the ends."""
        if not self.hits:
            return None
        self.at = (self.at + by) % len(self.hits) if self.at >= 0 else 0
        return self.hits[self.at]

    @property
    def told(self) -> str:
        """``match 3 of 17 (value)``, for the line above the tree."""
        if not self.needle:
            return ""
        more = "" if self.complete else " so far, searching…"
        if not self.hits:
            return "no match; masked values are not searched" if self.complete else "searching…"
        by = f" · found in: {self.hits[self.at].by}" if self.at >= 0 else ""
        return f"match {self.at + 1:,} of {len(self.hits):,}{more}{by}"


def _some(steps: Iterator[Hit | None]) -> tuple[list[Hit], bool]:
    """What is found in a moment, and whether that was the end."""
    until = perf_counter() + AT_ONCE
    found: list[Hit] = []
    for hit in steps:
        if hit is not None:
            found.append(hit)
        if perf_counter() > until:
            return found, False
    return found, True
