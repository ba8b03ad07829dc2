"""Where SDK calls wait: on threads that nothing else in the service needs.

A token endpoint or an AWS call that hangs holds its thread up to the SDK's own timeout, also when its job has been cancelled.
On the bridge that looks at workspaces, sixteen of them would stop every submission.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from kumoss_console.clients.blocking import Bridge

THREADS = 32
"""SDK calls that may wait at once; further listings wait for one of them to end."""

P = ParamSpec("P")
T = TypeVar("T")

_BRIDGE = Bridge(THREADS)


async def waiting(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a call that waits for a cloud. Cancelling returns at once; the call itself runs on to its own timeout."""
    return await _BRIDGE.run(function, *args, **kwargs)
