"""What only writing tells of a store, tried on one scratch key that is empty before and afterwards."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator

from kumoss_console.errors import AccessDenied, ConsoleError, NotFound, Refused, ServiceError
from kumoss_console.model.endpoint import Aspect, AspectName, Doubt
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.ports.store import ObjectStore
from kumoss_console.text import printable

FIRST, _SECOND = b"kumoss-console was here\n", b"kumoss-console was here twice\n"
_ANOTHER = '"00000000000000000000000000000000"'


class StoreTrial(ABC):
    """One trial on ``key``. A kind of store adds how it is given a checksum."""

    checksum: str
    """The checksum, in words."""

    def __init__(self, store: ObjectStore, key: str) -> None:
        self._store = store
        self._key = key
        self._written = ""
        """What is known of the scratch key: empty where nothing was written, else ``perhaps`` or ``surely``."""

    @abstractmethod
    async def _put_with_checksum(self) -> None:
        """Write :data:`FIRST` at the scratch key, with the checksum that engines send."""

    async def run(self) -> AsyncGenerator[Aspect, None]:
        """The four aspects in order. What was written is removed before this ends, also where it is closed in between.

        A task that is cancelled in here removes nothing: the request under way may still write, and whoever ends the program
        does not wait for a store. Closing it (``aclose``) between two aspects is the way to stop it.
        """
        await self._must_be_empty()
        abandoned = False
        try:
            try:
                await self._store.put(self._key, FIRST, if_absent=True)
            except ConsoleError as error:
                # A refusal wrote nothing. After silence, or a failure of the store, nobody knows.
                self._written = "" if isinstance(error, AccessDenied | Refused) else "perhaps"
                yield _unknown("conditional_create", error, "could not write the scratch key")
                return
            self._written = "surely"
            yield await self._create()
            yield await self._conditional_delete()
            yield await self._checksums()
            yield await self._delete()
        except asyncio.CancelledError:
            abandoned = True
            raise
        finally:
            if not abandoned and self._written:
                await self._clean()

    async def _must_be_empty(self) -> None:
        """Listed, not asked for by its name: the answer to that hides why it was refused."""
        page = await self._store.page(self._key, limit=1)
        if any(info.key == self._key for info in page.objects):
            raise Refused(
                f"{printable(self._key)} is not empty: nothing is tried on it",
                hint="the scratch key is random: try again, or look what lies there",
                code="store.exists",
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
            return _unknown("conditional_create", error, "the second PUT ended in an error")
        return Aspect(
            name="conditional_create",
            standing="bad",
            said="ignored",
            evidence="a second PUT with If-None-Match: * wrote over the first",
        )

    async def _conditional_delete(self) -> Aspect:
        try:
            await self._store.delete(self._key, etag=_ANOTHER)
        except Refused:
            return Aspect(
                name="conditional_delete",
                standing="good",
                said="enforced",
                evidence="a DELETE with If-Match of another ETag was refused",
            )
        except ConsoleError as error:
            return _unknown("conditional_delete", error, "the DELETE ended in an error")
        evidence = "a DELETE with If-Match of another ETag was answered with success"
        return Aspect(name="conditional_delete", standing="bad", said="ignored", evidence=evidence)

    async def _checksums(self) -> Aspect:
        try:
            await self._put_with_checksum()
        except AccessDenied as error:
            return _unknown("checksums", error, "the PUT was refused")
        except ServiceError as error:
            return Aspect(
                name="checksums",
                standing="bad",
                said="refused",
                evidence=f"a PUT with {self.checksum}: {error.detail or error.title}",
            )
        evidence = f"a PUT with {self.checksum} was answered with success"
        return Aspect(name="checksums", standing="good", said="taken", evidence=evidence)

    async def _delete(self) -> Aspect:
        try:
            await self._store.delete(self._key)
            await self._store.head(self._key)
        except NotFound:
            return Aspect(name="delete", standing="good", said="allowed", evidence="a DELETE removed the scratch key")
        except AccessDenied as error:
            return Aspect(name="delete", standing="bad", said="refused", evidence=error.detail, error=error)
        except ConsoleError as error:
            return _unknown("delete", error, "the DELETE ended in an error")
        return Aspect(
            name="delete", standing="bad", said="without effect", evidence="after a DELETE the scratch key is still there"
        )

    async def _clean(self) -> None:
        """Nothing stays: neither the object nor, where the store keeps versions, those and their delete markers."""
        try:
            await self._remove(None)
            # Removing one may uncover another, and a bucket whose versioning is suspended answers with a marker called null.
            for version in await self._left():
                await self._remove(version.version_id)
            left = await self._left()
        except ConsoleError as error:
            raise ServiceError(
                f"The scratch key {printable(self._key)} could not be removed"
                if self._written == "surely"
                else f"It is not known whether the scratch key {printable(self._key)} was written, and it could not be removed",
                detail=error.title,
                hint="delete it by hand: it holds nothing but a line of text",
                code="store.scratch_left",
            ) from error
        if left:
            markers = sum(version.kind == "delete_marker" for version in left)
            what = [f"{markers} delete marker{'' if markers == 1 else 's'}"] if markers else []
            what += [f"{len(left) - markers} version{'' if len(left) - markers == 1 else 's'}"] if len(left) > markers else []
            raise ServiceError(
                f"Of the scratch key {printable(self._key)} {' and '.join(what)} stayed, though the store says they were removed",
                detail=", ".join(printable(version.version_id) for version in left),
                hint="delete them by hand, by their version id: they hold nothing but a line of text",
                code="store.scratch_left",
            )

    async def _left(self) -> tuple[ObjectVersion, ...]:
        """What a listing of versions shows; nothing where the store lists none."""
        try:
            return await self._store.versions(self._key)
        except ServiceError:
            return ()

    async def _remove(self, version: str | None) -> None:
        try:
            await self._store.delete(self._key, version=version)
        except NotFound:
            return  # some stores say so, others call it a success


def _unknown(name: AspectName, error: ConsoleError, what: str) -> Aspect:
    doubt: Doubt = "forbidden" if error.code == "store.access_denied" else "failed"
    return Aspect(name=name, standing="unknown", said=what, evidence=error.detail or error.title, doubt=doubt, error=error)
