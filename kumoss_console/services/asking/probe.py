"""One question to the outside world, with a deadline, and its answer as a value."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Literal

from kumoss_console.errors import AccessDenied, ConsoleError, Unreachable
from kumoss_console.model.context import Context
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.text import printable

_SETUP_SECONDS = 2.0
"""What loading an SDK or a TLS stack may add to the first request (0.5 s measured on two busy cores)."""
_SIDECAR_SECONDS = 5.0
_HANGS = "It hangs or is overloaded, or nobody takes connections at that address: see its log, and whether the address is right."


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """``unknown`` is a question not answered yet, or one that cannot be asked; ``error`` then says why, if there is a why."""

    status: Literal["ok", "bad", "unknown"] = "unknown"
    seconds: float | None = None
    error: ConsoleError | None = None
    note: str = ""
    """What is odd about a good answer, as the end of a sentence about who gave it."""


UNASKED = Probe()


def sidecar_deadline(context: Context) -> float:
    """Seconds a health question may take: the configured timeout is for submissions and may be far longer than patience."""
    return min(context.iac.timeout, _SIDECAR_SECONDS)


def store_deadline(context: Context) -> float:
    """Seconds a store question may take: one connect timeout, without the retries that the SDK would add."""
    return context.storage.connect_timeout + _SETUP_SECONDS


async def probe(question: Awaitable[float], *, deadline: float, subject: str, hint: str = "") -> Probe:
    """The answer in seconds as ``ok``, a :class:`ConsoleError` or ``deadline`` seconds of silence, with ``hint``, as ``bad``."""
    try:
        seconds = await asyncio.wait_for(question, deadline)
    except TimeoutError:
        return Probe(status="bad", error=silence(subject, deadline, hint=hint))
    except ConsoleError as error:
        return Probe(status="bad", error=error)
    return Probe(status="ok", seconds=seconds)


def silence(subject: str, deadline: float, *, hint: str = "") -> Unreachable:
    """``subject`` begins a sentence: ``The sidecar at http://iac:8082``."""
    return Unreachable(f"{subject} did not answer within {deadline:g} s", hint=hint or _HANGS, code="probe.silence")


def store_hint(context: Context) -> str:
    """What silence of a store means: a connection that cannot be opened is given up before :func:`store_deadline` is over."""
    opened = f"opening a connection would have been given up after {context.storage.connect_timeout:g} s"
    return f"The store is overloaded or hangs ({opened}); look there, or ask it something else to see how long it takes."


OPEN_TO_ALL = "asks for no token: anybody who reaches it may apply"


@dataclass(frozen=True, slots=True)
class TokenAnswer:
    """Seconds that the sidecar took to accept our token, and whether it would have done without: ``None`` where it did not
    say."""

    seconds: float
    open_to_all: bool | None


async def token_answer(sidecar: Sidecar, context: Context, known: bool | None = None) -> TokenAnswer:
    """Asks with our token and, at the same time, without; the latter is left out where it is ``known``.

    Raises :class:`AccessDenied` where ours is not taken.
    """
    if not context.token or known is not None:
        return TokenAnswer(await _token_seconds(sidecar, context), open_to_all=known if context.token else True)
    seconds, open_to_all = await asyncio.gather(_token_seconds(sidecar, context), _open_to_all(sidecar))
    return TokenAnswer(seconds, open_to_all)


async def _open_to_all(sidecar: Sidecar) -> bool | None:
    try:
        return await sidecar.open_to_all()
    except ConsoleError:
        return None


async def _token_seconds(sidecar: Sidecar, context: Context) -> float:
    started = asyncio.get_running_loop().time()
    if not await sidecar.token_accepted():
        variable = context.iac.token_env
        sent = f"The token in {variable} was sent." if context.token else f"{variable} is not set, so no token was sent."
        raise AccessDenied(
            f"The sidecar at {printable(sidecar.endpoint)} does not accept the token",
            detail=sent,
            hint=f"Set {variable} here to the value that KUMOSS_IAC_TOKEN has on the sidecar.",
            code="sidecar.token_rejected",
        )
    return asyncio.get_running_loop().time() - started
