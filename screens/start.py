"""How the application comes by its services, and how it lets go of them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from textual.command import Provider

    from kumoss_console.config import LoadedConfig
    from kumoss_console.services.build import Services

CLOSING_SECONDS = 0.3
"""How long closing clients may hold the exit. What has not closed by then dies with the process."""


class Builder(Protocol):
    """Makes the services of a context by name; the default one for ``None``. Must not touch the network."""

    def __call__(self, config: LoadedConfig, name: str | None = None, *, read_only: bool = False) -> Services: ...


def build_services(config: LoadedConfig, name: str | None = None, *, read_only: bool = False) -> Services:
    """The real ones, on real adapters that are made when they are first needed."""
    from kumoss_console.services.build import build

    return build(config, name, read_only=read_only)


async def close(services: Services) -> None:
    """Close the clients, or give up on them."""
    with suppress(TimeoutError):
        await asyncio.wait_for(services.aclose(), CLOSING_SECONDS)


def command_provider() -> type[Provider]:
    """The palette's provider, imported when the palette is first opened."""
    from screens.palette import CommandProvider

    return CommandProvider
