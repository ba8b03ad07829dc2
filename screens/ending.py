"""How the application ends when something of ours breaks: the terminal is given back, and whoever ran it gets the exception.

Textual would print every frame with its local variables, and those hold tokens, keys and what an operator has just revealed.
"""

from __future__ import annotations

from typing import Any, TypeVar

from rich.console import RenderableType
from textual.app import App
from textual.worker import WorkerFailed

Result = TypeVar("Result")


class OrderlyApp(App[Result], inherit_bindings=False):
    """An application that says nothing of its own crash: :meth:`run` and :meth:`run_async` raise it once the terminal is back."""

    def panic(self, *renderables: RenderableType) -> None:
        """What Textual would render of an error is not shown: the error itself reaches the caller."""
        del renderables
        self._close_messages_no_wait()

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    async def run_async(self, **options: Any) -> Result | None:
        """As Textual's. Raises the first exception that nobody in here handled."""
        result = await super().run_async(**options)
        if self._exception is not None:
            raise _what_happened(self._exception)
        return result


def _what_happened(error: Exception) -> BaseException:
    """The exception of our code, where Textual hands on one of its own that only names it."""
    return error.error if isinstance(error, WorkerFailed) else error
