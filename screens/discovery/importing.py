"""Imports under way. They belong to no page of their own: they go on whichever is shown, and end with the console."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.worker import Worker

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity
from kumoss_console.model.importids.worksheet import Row
from kumoss_console.services.discovery.imports import Imports, ImportService, ImportStep, Outcome
from kumoss_console.services.discovery.service import DiscoveryRequest


class Importing:
    """How the imports of one worksheet stand. ``listeners`` are called after each change."""

    def __init__(self, rows: Sequence[Row], asked: DiscoveryRequest, before: Importing | None = None) -> None:
        """``before`` are those that were submitted earlier: what became of a line is told until it is sent again."""
        self.rows = tuple(rows)
        self.asked: DiscoveryRequest = asked
        self.imports = Imports(steps=tuple(ImportStep(row=row) for row in rows))
        self.error: ConsoleError | None = None
        self.under_way = True
        self.listeners: list[Callable[[], None]] = []
        self.worker: Worker[None] | None = None
        self._before = before if before is not None and before.asked.workspace == asked.workspace else None
        self._places = {row.identifier: place for place, row in enumerate(self.rows)}

    async def follow(self, service: ImportService, say: Callable[[str, Severity], None]) -> None:
        """See them through. Raises nothing that is an answer: see :attr:`error`."""
        asked = self.asked
        try:
            run = service.run(self.rows, workspace=asked.workspace, scope=asked.scope, provider=asked.provider)
            async for self.imports in run:
                self._tell()
        except ConsoleError as error:
            self.error = error
        finally:
            self.under_way = False
            self._tell()
            say(self.words, Severity.INFO if self.good else Severity.ERROR)

    def leave(self) -> None:
        """Send no further one; the one under way goes on."""
        if self.worker is not None:
            self.worker.cancel()

    def step(self, identifier: str) -> ImportStep | None:
        """What became of the row of that identifier."""
        place = self._places.get(identifier)
        if place is not None:
            return self.imports.steps[place]
        return self._before.step(identifier) if self._before is not None else None

    @property
    def good(self) -> bool:
        return self.imports.count(Outcome.IMPORTED) == len(self.rows)

    @property
    def words(self) -> str:
        """``2 imported, 1 failed, 3 not sent: WHY``."""
        if self.error is not None:
            return self.error.title
        counts = [(self.imports.count(outcome), outcome.value.replace("_", " ")) for outcome in Outcome]
        told = ", ".join(f"{count:,} {word}" for count, word in counts if count)
        return f"{told}: {self.imports.stopped}" if self.imports.stopped else told

    def _tell(self) -> None:
        for listener in tuple(self.listeners):
            listener()
