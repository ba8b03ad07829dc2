"""Where the operator has been: back and forward over views, like a browser."""

from __future__ import annotations


class Trail:
    """Visited view names with a position. Visiting drops what lay ahead."""

    def __init__(self, start: str) -> None:
        self._visited = [start]
        self._at = 0

    @property
    def here(self) -> str:
        return self._visited[self._at]

    @property
    def at_root(self) -> bool:
        return self._at == 0

    def visit(self, name: str) -> None:
        if name == self.here:
            return
        del self._visited[self._at + 1 :]
        self._visited.append(name)
        self._at += 1

    def back(self) -> str | None:
        """The view before this one, now the current one; ``None`` at the root."""
        if self.at_root:
            return None
        self._at -= 1
        return self.here

    def forward(self) -> str | None:
        if self._at + 1 == len(self._visited):
            return None
        self._at += 1
        return self.here
