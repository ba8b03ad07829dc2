"""What a listing has found so far."""

from __future__ import annotations

from collections.abc import Iterable


class Found:
    """Identifiers without repetition, in order of first appearance, and the counts that the log tells.

    A page is added when it is read and can be let go then: the memory is that of the identifiers, not of the answers.
    """

    def __init__(self) -> None:
        self._ids: dict[str, None] = {}
        self.pages = 0
        self.rows = 0

    def page(self, rows: int, kept: Iterable[str]) -> None:
        """One page of ``rows`` rows, of which the identifiers ``kept`` count."""
        self.pages += 1
        self.rows += rows
        self.add(kept)

    def add(self, kept: Iterable[str]) -> None:
        self._ids.update(dict.fromkeys(kept))

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._ids)
