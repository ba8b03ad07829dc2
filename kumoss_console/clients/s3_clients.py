"""The two clients of a store, each made when it is first needed: one that reads, and one that writes and sends all once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kumoss_console.clients.s3_client import make_client
from kumoss_console.clients.s3_errors import Target, bad_settings
from kumoss_console.clients.s3_listing import read_keys_ourselves
from kumoss_console.clients.s3_shortcut import Shortcut
from kumoss_console.clients.s3_signs import refuse_unusable
from kumoss_console.clients.s3_wire import bound
from kumoss_console.model.storage import StorageCredentials, StorageSettings

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Clients:
    """Used on bridge threads, several at a time. ``seconds`` is what an answer that is no object may take."""

    def __init__(self, storage: StorageSettings, credentials: StorageCredentials, target: Target, seconds: float) -> None:
        self._storage = storage
        self._credentials = credentials
        self._target = target
        self._seconds = seconds
        self._making = threading.Lock()
        self._reader: tuple[S3Client, Shortcut] | None = None
        self._writer: S3Client | None = None

    @property
    def reader(self) -> S3Client:
        """Raises :class:`~kumoss_console.errors.ConsoleError` where the settings make no client, as all of these."""
        return self._reading()[0]

    @property
    def shortcut(self) -> Shortcut:
        """The reader's, for ranges."""
        return self._reading()[1]

    @property
    def writer(self) -> S3Client:
        with self._making:
            if self._writer is None:
                self._writer = self._made(writes=True)
            return self._writer

    def close(self) -> None:
        reader, writer = self._reader, self._writer
        self._reader = self._writer = None
        for client in (reader[0] if reader is not None else None, writer):
            if client is not None:
                client.close()

    def _reading(self) -> tuple[S3Client, Shortcut]:
        with self._making:
            if self._reader is None:
                from kumoss_console.clients.s3_documents import refuse_other_documents

                client = self._made(writes=False)
                read_keys_ourselves(client)
                refuse_other_documents(client)
                self._reader = client, Shortcut(client)
            return self._reader

    def _made(self, *, writes: bool) -> S3Client:
        refuse_unusable(self._storage, self._credentials)
        try:
            client = make_client(self._storage, self._credentials, writes=writes)
        except ValueError as error:
            # botocore's only word for an endpoint that is no URL.
            raise bad_settings(self._target, str(error)) from error
        bound(client, self._seconds)
        return client
