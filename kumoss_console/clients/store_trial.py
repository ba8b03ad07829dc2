"""What only writing tells of a store, tried on one scratch key that is empty before and afterwards."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from kumoss_console.clients.scratch import Scratch
from kumoss_console.errors import AccessDenied, ConsoleError, HungUp, NotFound, Refused, ServiceError, Unreachable
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.endpoint.aspect import evidence_of, not_answered
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.ports.store import ObjectStore
from kumoss_console.text import printable

FIRST, _SECOND = b"kumoss-console was here\n", b"kumoss-console was here twice\n"
_NOT_WRITTEN = "could not write the scratch key"
_LEASED = "store.leased"
_ANOTHER = '"00000000000000000000000000000000"'


class StoreTrial(ABC):
    """One trial on ``key``. A kind of store adds how it is given a checksum, and what else is a lock there."""

    checksum: str
    """The checksum, in words."""

    def __init__(self, store: ObjectStore, key: str) -> None:
        self._store = store
        self._key = key
        self._scratch = Scratch(store, key, self._remove)

    @abstractmethod
    async def _put_with_checksum(self) -> None:
        """Write :data:`FIRST` at the scratch key, with the checksum that engines send. :class:`~kumoss_console.errors.Refused`
        where the store says that it takes none, which no other failure is."""

    async def _lease(self) -> Aspect | None:
        """Whether the scratch object can be locked and unlocked; ``None`` where locks are objects of their own."""
        return None

    async def _remove(self, *, etag: str | None = None, version: str | None = None) -> None:
        """Delete the scratch object, or a version of it."""
        await self._store.delete(self._key, etag=etag, version=version)

    async def _kept(self, left: Sequence[ObjectVersion]) -> tuple[Sequence[ObjectVersion], str]:
        """What of ``left`` ought not to be there, and a remark on the rest."""
        return left, ""

    async def run(self) -> AsyncGenerator[Aspect, None]:
        """The aspects in order. What was written is removed before this ends, also where it is closed in between.

        A task that is cancelled in here removes nothing: the request under way may still write, and whoever ends the program
        does not wait for a store. Closing it (``aclose``) between two aspects is the way to stop it.
        """
        await self._scratch.must_be_empty()
        abandoned = False
        try:
            first = await self._first()
            if first is not None:
                yield first
            if self._scratch.written != "surely":
                return
            if first is None:
                yield await self._create()
            if (lease := await self._lease()) is not None:
                yield lease
            yield await self._conditional_delete()
            yield await self._checksums()
            deleted = await self._delete()
            yield deleted
            if remark := await self._scratch.clean(self._kept):
                yield replace(deleted, remark=remark)
        except asyncio.CancelledError:
            abandoned = True
            raise
        finally:
            if not abandoned and self._scratch.written:
                await self._scratch.clean(self._kept)

    async def _first(self) -> Aspect | None:
        """Write the scratch object on the condition that there is none, or without one where the store takes none.

        What is told of conditions by then, or why nothing was written; ``None`` where it was written and nothing is told yet.
        """
        try:
            await self._store.put(self._key, FIRST, if_absent=True)
        except AccessDenied as error:
            return not_answered("conditional_create", error, _NOT_WRITTEN)
        except ConsoleError as error:
            if error.code == "store.conditions_unsupported":
                return await self._without_condition(error)
            # The key was empty a moment ago: what lies there by now is what we wrote, and the answer to that was lost.
            self._scratch.written = "perhaps"
            if not await self._has_come(error):
                return not_answered("conditional_create", self._in_its_words(error), _NOT_WRITTEN)
        self._scratch.written = "surely"
        return None

    def _in_its_words(self, error: ConsoleError) -> ConsoleError:
        """A refusal to write is the store's, not this console's; that something lies there is not so."""
        if not isinstance(error, Refused):
            return error
        title = f"{self._store.label} refused to write {printable(self._key)}, an empty key, on the condition that it is empty"
        told = error.title if error.code != "store.exists" else title
        return ServiceError(told, detail=error.detail, hint=error.hint, code=error.code)

    async def _has_come(self, error: ConsoleError) -> bool:
        """Whether the scratch object lies there though its PUT ended with ``error``. Who is silent is not asked again, and may
        write it yet; who hung up is asked; who refuses has not written what is not there."""
        if isinstance(error, Unreachable) and not isinstance(error, HungUp):
            return False
        try:
            there = await self._scratch.seen() is not None
        except ConsoleError:
            return False  # it may be there: it will be removed, or named
        if not there and isinstance(error, Refused):
            self._scratch.written = ""
        return there

    async def _without_condition(self, refused: ConsoleError) -> Aspect:
        try:
            await self._store.put(self._key, FIRST)
        except ConsoleError as error:
            # Refused with the condition and without it: that tells nothing of conditions.
            self._scratch.written = "" if isinstance(error, AccessDenied) else "perhaps"
            return not_answered("conditional_create", error, _NOT_WRITTEN)
        self._scratch.written = "surely"
        return Aspect(
            name="conditional_create",
            standing="bad",
            fault="never_taken",
            said="refused",
            evidence=f"a PUT with If-None-Match: *: {evidence_of(refused)}; one without it was taken",
        )

    async def _create(self) -> Aspect:
        try:
            await self._store.put(self._key, _SECOND, if_absent=True)
        except Refused:
            return Aspect(
                name="conditional_create",
                standing="good",
                said="enforced",
                evidence="a second PUT with If-None-Match: * was refused",
            )
        except ConsoleError as error:
            return not_answered("conditional_create", error, "the second PUT ended in an error")
        return Aspect(
            name="conditional_create",
            standing="bad",
            said="ignored",
            evidence="a second PUT with If-None-Match: * wrote over the first",
        )

    async def _conditional_delete(self) -> Aspect:
        try:
            await self._remove(etag=_ANOTHER)
        except Refused as error:
            if error.code == _LEASED:
                return not_answered("conditional_delete", error, "the DELETE met a lease")
            return Aspect(
                name="conditional_delete",
                standing="good",
                said="enforced",
                evidence="a DELETE with If-Match of another ETag was refused",
            )
        except ConsoleError as error:
            if error.code != "store.conditions_unsupported":
                return not_answered("conditional_delete", error, "the DELETE ended in an error")
            return Aspect(
                name="conditional_delete",
                standing="plain",
                said="refused",
                evidence=f"a DELETE with If-Match: {evidence_of(error)}",
                remark="a delete on a condition is refused: whoever removes a lock has to look at it right before",
            )
        evidence = "a DELETE with If-Match of another ETag was answered with success"
        return Aspect(name="conditional_delete", standing="bad", said="ignored", evidence=evidence)

    async def _checksums(self) -> Aspect:
        try:
            await self._put_with_checksum()
        except Refused as error:
            if error.code == _LEASED:
                return not_answered("checksums", error, "the PUT met a lease")
            evidence = f"a PUT with {self.checksum}: {evidence_of(error)}"
            return Aspect(name="checksums", standing="bad", said="refused", evidence=evidence)
        except ConsoleError as error:
            return not_answered(
                "checksums", error, "the PUT was refused" if isinstance(error, AccessDenied) else "the PUT failed"
            )
        evidence = f"a PUT with {self.checksum} was answered with success"
        return Aspect(name="checksums", standing="good", said="taken", evidence=evidence)

    async def _delete(self) -> Aspect:
        try:
            await self._remove()
        except NotFound:
            # The checksum was refused, and the delete before it not on its condition: there is nothing to be deleted.
            return Aspect(name="delete", standing="good", said="allowed", evidence="a DELETE of a key that is empty by now")
        except ConsoleError as error:
            if error.code == _LEASED:
                return not_answered("delete", error, "the DELETE met a lease")
            if error.code == "store.access_denied" or isinstance(error, Refused):
                return Aspect(name="delete", standing="bad", said="refused", evidence=evidence_of(error), error=error)
            return not_answered("delete", error, "the DELETE ended in an error")
        try:
            there = await self._scratch.seen() is not None
        except ConsoleError as error:
            return not_answered("delete", error, "a DELETE was answered with success; what is left was not told")
        if there:
            evidence = "after a DELETE the scratch key is still listed"
            return Aspect(name="delete", standing="bad", fault="without_effect", said="without effect", evidence=evidence)
        return Aspect(name="delete", standing="good", said="allowed", evidence="a DELETE removed the scratch key")
