"""Every recorded job followed to its end while the console is open, whichever view it shows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.worker import Worker

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from screens.app import ConsoleApp

FOLLOWING = "following"
"""How the worker groups begin that go on for as long as the console does."""


def follow(app: ConsoleApp) -> None:
    """Begin for the context that is shown, and beside it for the others. Both end with the application's workers."""
    services = app.services

    def begin(run: Callable[[Services], Awaitable[None]], group: str) -> Worker[None]:
        return app.run_worker(partial(_guarded, app, services, run), group=group, exclusive=True)

    begin(_here, FOLLOWING)
    begin(_elsewhere, f"{FOLLOWING} elsewhere")


async def _here(services: Services) -> None:
    await services.follow.run()


async def _elsewhere(services: Services) -> None:
    await services.follow_all.run()


async def _guarded(app: ConsoleApp, services: Services, run: Callable[[Services], Awaitable[None]]) -> None:
    try:
        await run(services)
    except ConsoleError as error:  # no journal, or an endpoint that cannot be used: nothing can be followed
        app.flash_once(error.title, Severity.ERROR)
