"""The scratch object of a trial: empty before, removed afterwards with everything that a store keeps of it, or named."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol

from kumoss_console.errors import ConsoleError, NotFound, Refused, ServiceError, Unreachable
from kumoss_console.model.endpoint.aspect import evidence_of
from kumoss_console.ports.objects import ObjectInfo, ObjectVersion
from kumoss_console.ports.store import ObjectStore
from kumoss_console.text import printable

Kept = Callable[[Sequence[ObjectVersion]], Awaitable[tuple[Sequence[ObjectVersion], str]]]
"""What of the versions that are left ought not to be there, and a remark on the rest."""


class Remove(Protocol):
    """Deletes the scratch object, or a version of it, as :meth:`~kumoss_console.ports.store.ObjectStore.delete` does."""

    def __call__(self, *, etag: str | None = None, version: str | None = None) -> Awaitable[None]: ...


class _NotSeen(Exception):
    """Nobody could look at what is left."""

    def __init__(self, told: ConsoleError) -> None:
        super().__init__(told.title)
        self.told = told


class Scratch:
    """What lies at ``key``, as far as is known. ``written`` is empty where nothing was written, or it was seen to since."""

    def __init__(self, store: ObjectStore, key: str, remove: Remove) -> None:
        self._store = store
        self._key = key
        self._delete = remove
        self.written: Literal["", "perhaps", "surely"] = ""

    async def must_be_empty(self) -> None:
        if await self.seen() is not None:
            raise Refused(
                f"{printable(self._key)} is not empty: nothing is tried on it",
                hint="the scratch key is random: try again, or look what lies there",
                code="store.exists",
            )

    async def seen(self) -> ObjectInfo | None:
        """What lies at the scratch key. Listed, not asked for by its name: the answer to that hides why it was refused, and
        reading may be forbidden where writing is not."""
        page = await self._store.page(self._key, limit=1)
        return next((info for info in page.objects if info.key == self._key), None)

    async def clean(self, kept: Kept) -> str:
        """Nothing stays: neither the object nor, where the store keeps versions, those and their delete markers. What a store
        keeps for a while of all that is deleted is a remark, the answer of this."""
        written, self.written = self.written, ""
        try:
            left, remark = await self._emptied(kept)
        except ConsoleError as error:
            raise self._not_removed(error, surely=written == "surely") from error
        if left:
            one = len(left) == 1
            markers = sum(version.kind == "delete_marker" for version in left)
            what = [f"{markers} delete marker{'' if markers == 1 else 's'}"] if markers else []
            what += [f"{len(left) - markers} version{'' if len(left) - markers == 1 else 's'}"] if len(left) > markers else []
            raise ServiceError(
                f"Of the scratch key {printable(self._key)} {' and '.join(what)} stayed, "
                f"though the store says {'it was' if one else 'they were'} removed",
                detail=", ".join(printable(version.version_id) for version in left),
                hint="delete it by hand, by its version id: it holds nothing but a line of text"
                if one
                else "delete them by hand, by their version ids: they hold nothing but a line of text",
                code="store.scratch_left",
            )
        try:
            there = await self.seen() is not None
        except ConsoleError as error:
            unseen = f"whether {printable(self._key)} is gone could not be seen: {evidence_of(error)}"
            return f"{remark}; {unseen}" if remark else unseen
        if there:
            raise ServiceError(
                f"The scratch key {printable(self._key)} is still there, though the store says that it was removed",
                hint="delete it by hand: it holds nothing but a line of text",
                code="store.scratch_left",
            )
        return remark

    def _not_removed(self, error: ConsoleError, *, surely: bool) -> ConsoleError:
        """Without an answer it is not known what became of a DELETE."""
        key = printable(self._key)
        if isinstance(error, Unreachable):
            nor = "is gone: no answer came to its removal" if surely else "was written, nor whether it is gone by now"
            title = f"It is not known whether the scratch key {key} {nor}"
        elif surely:
            title = f"The scratch key {key} could not be removed"
        else:
            title = f"It is not known whether the scratch key {key} was written, and it could not be removed"
        hint = "delete it by hand: it holds nothing but a line of text"
        if isinstance(error, Unreachable):
            hint = "look whether it is there, and delete it by hand: it holds nothing but a line of text"
        elif error.code == "store.leased":
            hint = f"{error.hint}; then {hint}"
        return ServiceError(title, detail=error.title, hint=hint, code="store.scratch_left")

    async def _emptied(self, kept: Kept) -> tuple[Sequence[ObjectVersion], str]:
        """What stayed though it was removed, and a remark on what need not be, or cannot be seen."""
        await self._remove(None)
        try:
            # Removing one may uncover another, and a bucket whose versioning is suspended answers with a marker called null.
            for version in await self._left():
                await self._remove(version.version_id)
            return await kept(await self._left())
        except _NotSeen as error:
            return (), f"whether versions of {printable(self._key)} are left could not be seen: {evidence_of(error.told)}"

    async def _left(self) -> tuple[ObjectVersion, ...]:
        """What a listing of versions shows; nothing where the store has no such listing. Raises :class:`_NotSeen`."""
        try:
            return await self._store.versions(self._key)
        except ServiceError as error:
            if error.code == "store.versions_unsupported":
                return ()
            raise _NotSeen(error) from error

    async def _remove(self, version: str | None) -> None:
        try:
            await self._delete(version=version)
        except NotFound:
            return  # some stores say so, others call it a success
