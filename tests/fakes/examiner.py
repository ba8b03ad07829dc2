"""An examiner that finds what its store was told to be."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Protocol

from kumoss_console.clients.store_trial import FIRST, StoreTrial
from kumoss_console.errors import ConsoleError
from kumoss_console.model.endpoint import Aspect

if TYPE_CHECKING:
    from tests.fakes.gate import Gate


class MadeTrial(StoreTrial):
    """The trial of a real store, on one in memory."""

    checksum = "a checksum"

    async def _put_with_checksum(self) -> None:
        await self._store.put(self._key, FIRST)


class _Told(Protocol):
    aspects: list[Aspect]
    tried: list[Aspect]
    errors: dict[str, ConsoleError]
    hang: Gate
    calls: list[tuple[str, str]]


class FakeExaminer:
    """Satisfies :class:`kumoss_console.ports.store.StoreExaminer`."""

    def __init__(self, store: _Told) -> None:
        self._store = store

    def examine(self, *, thorough: bool = True) -> AsyncGenerator[Aspect, None]:
        return self._each("examine", "" if thorough else "glance", self._store.aspects)

    def try_writes(self, key: str) -> AsyncGenerator[Aspect, None]:
        return self._each("try_writes", key, self._store.tried)

    async def _each(self, method: str, key: str, aspects: Sequence[Aspect]) -> AsyncGenerator[Aspect, None]:
        self._store.calls.append((method, key))
        for aspect in aspects:
            await self._store.hang.passed()
            yield aspect
        if method in self._store.errors:
            raise self._store.errors[method]
