"""The bucket through boto3: S3 itself, and stores that speak it (RustFS, SeaweedFS, MinIO).

boto3 is imported, and its client made, on a bridge thread when the first answer is needed (230 to 460 ms).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.patience import Patience
from kumoss_console.clients.s3_clients import S3Clients
from kumoss_console.clients.s3_errors import (
    NO_KIND,
    Target,
    bad_answer,
    cut_off,
    never_ending,
    object_missing,
    translated,
)
from kumoss_console.clients.s3_listing import listing_page
from kumoss_console.clients.s3_ranges import range_of
from kumoss_console.clients.s3_signs import must_be_a_listing, must_be_an_object
from kumoss_console.clients.s3_versions import versions_of
from kumoss_console.clients.s3_wire import hang_up, read
from kumoss_console.clients.s3_writes import delete_object, put_object
from kumoss_console.errors import AccessDenied, BadAnswer, InputError
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.ports.objects import ListingPage, ObjectContent, ObjectInfo, ObjectVersion
from kumoss_console.ports.store import StoreExaminer
from kumoss_console.text import printable

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_s3 import S3Client

MAX_OBJECT = 512 * 1024 * 1024
"""Bytes of the largest object that is read whole; the largest states seen are 34 MB."""

_SLOWEST = 256 * 1024
"""Bytes a second of a download that is still worth waiting for: a state of 34 MB takes at most 130 s."""

PAGE = 1000
"""Keys of a page: no store gives more."""

T = TypeVar("T")


class S3Store:
    """:class:`~kumoss_console.ports.store.ObjectStore` over the state bucket of ``storage``.

    A custom endpoint is addressed path-style (RUSTFS); for S3 the endpoint of the settings is ignored and AWS is addressed by
    virtual host. Static keys are used only where both are set, else the SDK's credential chain. Every call raises a
    :class:`~kumoss_console.errors.ServiceError` whose code begins with ``store.``.

    A call takes at most ``connect_timeout + read_timeout + back_off`` seconds, and an object a second more for each 256 KiB.
    Within that, a store that says no is asked ``max_attempts`` times, a silent one once. What writes is sent once, whatever the
    answer: where none came, it may have been done.
    """

    def __init__(self, storage: StorageSettings, credentials: StorageCredentials, *, back_off: float = 5.0) -> None:
        """``back_off`` is what a call may take beyond the timeouts of the settings, in seconds."""
        if storage.provider is StorageProvider.STORAGE_ACCOUNT:
            raise InputError("a storage account is not an S3 store", hint="use a context whose storage.provider is RUSTFS or S3")
        self._storage = storage
        self._credentials = credentials
        self._seconds = storage.connect_timeout + storage.read_timeout + back_off
        self._bucket = storage.terraform_state_bucket
        secrets = tuple(key for key in (credentials.access_key, credentials.secret_key) if key)
        self._target = Target(self._where(), self._bucket, region=storage.region, secrets=secrets)
        self._clients = S3Clients(storage, credentials, self._target, self._seconds)

    @property
    def label(self) -> str:
        return f"{printable(self._bucket)} at {self._where()}"

    @property
    def seeks(self) -> bool:
        return True

    async def pages(self, prefix: str = "") -> AsyncIterator[tuple[ObjectInfo, ...]]:
        """A page of at most 1,000 objects as it arrives, while the next one is already under way."""
        coming: asyncio.Task[ListingPage] | None = asyncio.create_task(self.page(prefix))
        seen: set[str] = set()
        try:
            while coming is not None:
                page = await coming
                coming = None
                if page.cursor is not None:
                    if page.cursor in seen:
                        raise bad_answer(self._target, "the listing goes round in circles: a continuation token came twice")
                    seen.add(page.cursor)
                    coming = asyncio.create_task(self.page(prefix, cursor=page.cursor))
                yield page.objects
        finally:
            if coming is not None and not coming.cancel() and not coming.cancelled():
                coming.exception()  # nobody will ask for that page: its error is of no interest

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = PAGE) -> ListingPage:
        return await self._ask(self._target, self._page, prefix, cursor, after, limit)

    async def head(self, key: str) -> ObjectInfo:
        return await self._ask(replace(self._target, key=key, head=True), self._head, key)

    async def get(self, key: str) -> bytes:
        """The whole object; :class:`~kumoss_console.errors.InputError` beyond :data:`MAX_OBJECT`."""
        return (await self.fetch(key)).content

    async def fetch(self, key: str, *, version: str | None = None) -> ObjectContent:
        """The whole object; :class:`~kumoss_console.errors.InputError` beyond :data:`MAX_OBJECT`."""
        return await self._ask(replace(self._target, key=key, reading=True), self._fetch, key, version)

    async def get_range(self, key: str, start: int, length: int, *, version: str | None = None) -> bytes:
        if length <= 0:
            return b""
        return await self._ask(replace(self._target, key=key, reading=True), self._get_range, key, start, length, version)

    async def fetch_range(self, key: str, start: int, length: int, *, version: str | None = None) -> ObjectContent:
        return await self._ask(
            replace(self._target, key=key, reading=True), self._fetch_range, key, start, max(1, length), version
        )

    async def versions(self, key: str) -> tuple[ObjectVersion, ...]:
        return await self._ask(replace(self._target, key=key), self._versions, key)

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        return await self._ask(replace(self._target, key=key), self._put, key, content, if_absent)

    async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
        await self._ask(replace(self._target, key=key), self._delete, key, etag, version)

    async def check(self) -> float:
        """Lists one key: unlike a HEAD, the answer carries the store's reason, and it proves what a listing needs."""
        return await self._ask(self._target, self._check)

    @property
    def examiner(self) -> StoreExaminer:
        from kumoss_console.clients.s3_examine import S3Examiner

        return S3Examiner(self, self._storage, self._credentials)

    async def with_client(self, call: Callable[[S3Client, Target], T], *, writes: bool = False) -> T:
        """``call`` on a bridge thread, with the client and the bucket as its target; errors and patience as everywhere here."""
        clients = self._clients
        return await self._ask(self._target, lambda _: call(clients.writer if writes else clients.reader, self._target))

    async def aclose(self) -> None:
        self._clients.close()

    def _where(self) -> str:
        if self._storage.provider is StorageProvider.S3:
            return f"AWS S3 in {printable(self._storage.region)}"
        # Without user information, which some put into the endpoint.
        host = urlsplit(self._storage.endpoint_url).netloc.rpartition("@")[2]
        return printable(host or self._storage.endpoint_url)

    async def _ask(self, target: Target, call: Callable[..., T], *args: object) -> T:
        """``call`` on a bridge thread. A store that drips never trips a socket's timeout, so the whole has a deadline, too."""
        patience = Patience(asyncio.get_running_loop(), self._seconds)
        try:
            async with asyncio.timeout(self._seconds) as patience.limit:
                return await run_blocking(_within, target, call, *(*args, patience))
        except TimeoutError:
            raise never_ending(target, patience.seconds) from None

    # Everything below runs on bridge threads.

    def _page(self, prefix: str, cursor: str | None, after: str, limit: int, _: Patience) -> ListingPage:
        return listing_page(self._clients.reader, self._target, prefix, cursor, after, limit)

    def _head(self, key: str, patience: Patience) -> ObjectInfo:
        from botocore.exceptions import ClientError

        target = replace(self._target, key=key)
        client = self._clients.reader
        try:
            answer = client.head_object(Bucket=self._bucket, Key=key)
        except ClientError as error:
            missing = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") == 404
            if missing and self._bucket_is_there(client):
                raise object_missing(target) from error
            return self._told_by_a_get(error, key, missing, patience)
        must_be_an_object(answer, target)
        return ObjectInfo(
            key=key,
            size=answer["ContentLength"],
            modified=answer["LastModified"],
            etag=answer["ETag"],
            version_id=answer.get("VersionId"),
        )

    def _told_by_a_get(self, said: ClientError, key: str, missing: bool, patience: Patience) -> ObjectInfo:
        """Asks again for what a HEAD refuses: the answer to a GET has a body, with the reason in it. A byte is all it costs,
        and where reading is allowed and looking is not, that is all that is needed."""
        try:
            with translated(replace(self._target, key=key, reading=True)):
                return self._fetch_range(key, 0, 1, None, patience).info
        except AccessDenied as error:
            if missing and error.code == "store.access_denied":
                raise said from error  # nothing more is known than before
            raise
        except BadAnswer as error:
            if _status(said) in (401, 403) and NO_KIND in error.detail:
                raise said from error  # refused again, and again without a word
            raise

    def _bucket_is_there(self, client: S3Client) -> bool:
        """Tells a missing object from a missing bucket and from a web server, which a HEAD does not; false where we may not
        list."""
        try:
            with translated(self._target):
                must_be_a_listing(client.list_objects_v2(Bucket=self._bucket, MaxKeys=1), self._target)
        except AccessDenied:
            return False
        return True

    def _fetch(self, key: str, version: str | None, patience: Patience) -> ObjectContent:
        target = replace(self._target, key=key)
        exactly: dict[str, Any] = {} if version is None else {"VersionId": version}
        answer = self._clients.reader.get_object(Bucket=self._bucket, Key=key, **exactly)
        with answer["Body"] as body:
            must_be_an_object(answer, target)
            size = answer["ContentLength"]
            if size > MAX_OBJECT:
                raise InputError(
                    f"{printable(key)} is too large to be read whole: more than {MAX_OBJECT // 1024 // 1024} MiB",
                    hint="no state is this large: look at the first bytes, or download it with the store's own tools",
                    code="store.object_too_large",
                )
            content = read(body.read, size, patience.more(self._seconds + size / _SLOWEST))
        if len(content) < size:
            raise cut_off(target, len(content), size)
        return ObjectContent(
            info=ObjectInfo(
                key=key,
                size=size,
                modified=answer["LastModified"],
                etag=answer["ETag"],
                version_id=answer.get("VersionId"),
            ),
            content=content,
        )

    def _fetch_range(self, key: str, start: int, length: int, version: str | None, patience: Patience) -> ObjectContent:
        found = self._range(key, start, length, version, patience)
        # An object that ends before ``start`` has only itself to tell what it is.
        return replace(self._fetch(key, version, patience), content=b"") if found is None else found

    def _get_range(self, key: str, start: int, length: int, version: str | None, patience: Patience) -> bytes:
        found = self._range(key, start, length, version, patience)
        return b"" if found is None else found.content

    def _range(self, key: str, start: int, length: int, version: str | None, patience: Patience) -> ObjectContent | None:
        def until(size: int) -> float:
            # A few bytes need no more than the call has; putting off its end wakes the loop, ten thousand times in an X-ray.
            if size < _SLOWEST:
                return time.monotonic() + self._seconds
            return patience.more(self._seconds + size / _SLOWEST)

        clients, target = self._clients, replace(self._target, key=key)
        return range_of(clients.reader, clients.shortcut, target, start, length, version, until)

    def _versions(self, key: str, patience: Patience) -> tuple[ObjectVersion, ...]:
        # Each page has the time of a call: a key with 50,000 versions is listed in fifty.
        return versions_of(self._clients.reader, replace(self._target, key=key), lambda: patience.more(self._seconds))

    def _put(self, key: str, content: bytes, if_absent: bool, _: Patience) -> ObjectInfo:
        return put_object(self._clients.writer, replace(self._target, key=key), content, if_absent=if_absent)

    def _delete(self, key: str, etag: str | None, version: str | None, _: Patience) -> None:
        delete_object(self._clients.writer, replace(self._target, key=key), etag=etag, version=version)

    def _check(self, _: Patience) -> float:
        client = self._clients.reader
        began = time.perf_counter()
        must_be_a_listing(client.list_objects_v2(Bucket=self._bucket, MaxKeys=1), self._target)
        return time.perf_counter() - began


def _status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _within(target: Target, call: Callable[..., T], *args: object) -> T:
    try:
        with translated(target):
            return call(*args)
    finally:
        hang_up()
