"""The container of a storage account through ``azure-storage-blob``: Azure Blob Storage, and its emulator.

The SDK is an extra. It is imported, and its client made, on a bridge thread when the first answer is needed.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Container
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from kumoss_console.clients.azure_errors import AzureTarget, bad_answer, never_ending, unusable_key
from kumoss_console.clients.azure_no_token import no_token_in_time
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.patience import Patience
from kumoss_console.errors import InputError
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.ports.objects import ListingPage, ObjectContent, ObjectInfo, ObjectVersion
from kumoss_console.ports.store import StoreExaminer
from kumoss_console.text import printable

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential
    from azure.storage.blob import ContainerClient

PAGE = 1000
"""Blobs of a page of :meth:`AzureStore.page` where nothing else is asked for."""

T = TypeVar("T")


class AzureStore:
    """:class:`~kumoss_console.ports.store.ObjectStore` over the state container of ``storage``.

    A key is used where there is one, else a SAS, else ``identity`` or, where the credentials say so, whatever identity of Entra
    ID this machine has. Every call raises a :class:`~kumoss_console.errors.ConsoleError` whose code begins with ``store.``.

    A call takes at most ``connect_timeout + read_timeout + back_off`` seconds, and a blob a second more for each 256 KiB. Within
    that, an account that says it is busy is asked ``max_attempts`` times, a silent one once; a write is sent once.
    """

    def __init__(
        self,
        storage: StorageSettings,
        credentials: StorageCredentials,
        *,
        identity: TokenCredential | None = None,
        back_off: float = 5.0,
    ) -> None:
        """``back_off`` is what a call may take beyond the timeouts of the settings, in seconds."""
        if storage.provider is not StorageProvider.STORAGE_ACCOUNT:
            raise InputError("this is no storage account", hint="use a context whose storage.provider is STORAGE_ACCOUNT")
        self._storage = storage
        self._credentials = credentials
        self._seconds = storage.connect_timeout + storage.read_timeout + back_off
        self._client: ContainerClient | None = None
        self._making = threading.Lock()
        self._identity = identity
        self._target = AzureTarget(
            self._where(),
            storage.terraform_state_bucket,
            account=storage.account_name or "",
            way="key" if credentials.account_key else "sas" if credentials.sas else "entra",
            variable=_variable(credentials),
            secrets=tuple(secret for secret in (credentials.account_key, credentials.sas) if secret),
        )

    @property
    def label(self) -> str:
        return f"{printable(self._storage.terraform_state_bucket)} at {self._where()}"

    @property
    def seeks(self) -> bool:
        """The service begins a listing at any key."""
        return True

    @property
    def examiner(self) -> StoreExaminer:
        from kumoss_console.clients.azure_examine import AzureExaminer

        return AzureExaminer(self, self._storage)

    @property
    def identity(self) -> str:
        """Who asks, and from where that is known; an identity of Entra ID has a name after its first token."""
        if self._target.way == "key":
            return f"the key of account {printable(self._target.account)} ({self._source})"
        if self._target.way == "sas":
            return f"a shared access signature ({self._source})"
        if self._identity is None and not self._credentials.entra:
            return "nobody: neither a key nor a SAS is set, and Entra ID is off (azure.entra_id)"
        told: str = getattr(self._identity, "told", "")
        return f"Entra ID: {told}" if told else "Entra ID, not asked yet"

    @property
    def _source(self) -> str:
        """``env NAME``, or in words which setting names the variable, where its name is not shown."""
        return self._credentials.source.replace("env the variable", "the variable")

    async def pages(self, prefix: str = "") -> AsyncIterator[tuple[ObjectInfo, ...]]:
        """A page of at most 5,000 blobs as it arrives, the first one of 1,000, while the next one is already under way."""
        coming: asyncio.Task[ListingPage] | None = asyncio.create_task(self.page(prefix))
        seen: set[str] = set()
        try:
            while coming is not None:
                page = await coming
                coming = None
                if page.cursor is not None:
                    seen.add(self.onward(page.cursor, seen))
                    coming = asyncio.create_task(self.page(prefix, cursor=page.cursor, limit=5 * PAGE))
                yield page.objects
        finally:
            if coming is not None and not coming.cancel() and not coming.cancelled():
                coming.exception()  # nobody will ask for that page: its error is of no interest

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = PAGE) -> ListingPage:
        from kumoss_console.clients.azure_reads import read_page

        return await self.ask(None, read_page, prefix, cursor, after, limit)

    async def head(self, key: str) -> ObjectInfo:
        from kumoss_console.clients.azure_reads import read_head

        return await self.ask(key, read_head)

    async def get(self, key: str) -> bytes:
        """The whole blob; :class:`~kumoss_console.errors.InputError` beyond 512 MiB."""
        return (await self.fetch(key)).content

    async def fetch(self, key: str, *, version: str | None = None) -> ObjectContent:
        """The whole blob; :class:`~kumoss_console.errors.InputError` beyond 512 MiB."""
        from kumoss_console.clients.azure_reads import read_blob

        return await self.ask(key, read_blob, version)

    async def get_range(self, key: str, start: int, length: int, *, version: str | None = None) -> bytes:
        return (await self.fetch_range(key, start, length, version=version)).content if length > 0 else b""

    async def fetch_range(self, key: str, start: int, length: int, *, version: str | None = None) -> ObjectContent:
        from kumoss_console.clients.azure_reads import read_part

        return await self.ask(key, read_part, start, length, version)

    async def versions(self, key: str) -> tuple[ObjectVersion, ...]:
        from kumoss_console.clients.azure_reads import read_versions

        return await self.ask(key, read_versions)

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        from kumoss_console.clients.azure_writes import put_blob

        return await self.ask(key, put_blob, content, if_absent)

    async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
        from kumoss_console.clients.azure_writes import delete_blob

        await self.ask(key, delete_blob, etag, version)

    async def check(self) -> float:
        """Lists one blob: it proves what a listing needs, and tells a missing container apart."""
        return await self.ask(None, _checked)

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _where(self) -> str:
        # Without user information, which some put into the endpoint, and without anything behind a question mark.
        try:
            parts = urlsplit(self._storage.endpoint_url)
        except ValueError:
            return printable(self._storage.endpoint_url.partition("?")[0])
        host = parts.netloc.rpartition("@")[2]
        account = self._storage.account_name
        path = f"/{account}" if account and not host.lower().startswith(f"{account}.") else ""
        return printable(f"{host}{path}" or self._storage.endpoint_url.partition("?")[0])

    def onward(self, cursor: str, seen: Container[str | None]) -> str:
        """The marker of the next page; :class:`~kumoss_console.errors.BadAnswer` for one that was there before."""
        if cursor in seen:
            raise bad_answer(self._target, "the listing goes round in circles: a marker came twice")
        return cursor

    async def ask(self, key: str | None, call: Callable[..., T], *args: object) -> T:
        """``call(client, target, *args)`` on a bridge thread, within the time that a call may take, its errors as ours.

        A store that drips never trips a socket's timeout, so the whole has a deadline, too. ``key`` is ``None``
        for the container.
        """
        patience = Patience(asyncio.get_running_loop(), self._seconds)
        try:
            async with asyncio.timeout(self._seconds) as patience.limit:
                return await run_blocking(self._called, key, patience, call, args)
        except TimeoutError:
            target = replace(self._target, key=key or "")
            if patience.waits_for:
                raise no_token_in_time(target, patience.waits_for, patience.seconds) from None
            raise never_ending(target, patience.seconds) from None

    # Everything below runs on bridge threads.

    def _called(self, key: str | None, patience: Patience, call: Callable[..., T], args: tuple[object, ...]) -> T:
        from kumoss_console.clients.azure_client import must_have
        from kumoss_console.clients.azure_failures import within

        if self._client is None:
            must_have("azure.storage.blob")
        target = self._target
        if key is not None:
            target = replace(target, key=key)
            if (unusable := unusable_key(target)) is not None:
                raise unusable
        return within(target, lambda: call(self._made(), target, *args), patience)

    def _made(self) -> ContainerClient:
        with self._making:
            if self._client is None:
                from kumoss_console.clients.azure_client import make_client

                if self._identity is None and self._credentials.entra:
                    from kumoss_console.clients.azure_identity import EntraIdentity

                    self._identity = EntraIdentity()
                self._client = make_client(self._storage, self._credentials, self._target, self._seconds, self._identity)
            return self._client


def _variable(credentials: StorageCredentials) -> str:
    """The variable that holds the key or the SAS, in words where there is neither."""
    named = credentials.source.removeprefix("env ")
    return named if named != credentials.source else "the variable that storage.account_key_env names"


def _checked(client: ContainerClient, target: AzureTarget) -> float:
    from kumoss_console.clients.azure_reads import read_page

    began = time.perf_counter()
    read_page(client, target, "", None, "", 1)
    return time.perf_counter() - began
