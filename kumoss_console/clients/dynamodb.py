"""Locks that are rows of a DynamoDB table, as the s3 backend keeps them where ``dynamodb_table`` is set.

A lock is the row ``BUCKET/KEY`` with the lock document as ``Info``; the row ``BUCKET/KEY-md5`` holds the MD5 of the state, and
locks nothing. boto3 is imported, and its client made, on a bridge thread when the first answer is needed.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from kumoss_console.clients.blocking import THREADS, run_blocking
from kumoss_console.clients.dynamodb_errors import TableTarget, translated
from kumoss_console.model.lock import LockDocument, LockMechanism, parse_lock
from kumoss_console.model.lock.refusals import lock_changed, lock_gone
from kumoss_console.ports.locks import LockSighting
from kumoss_console.text import printable

if TYPE_CHECKING:
    from kumoss_console.model.storage import StorageCredentials, StorageSettings

DIGEST = "-md5"
"""What the s3 backend appends to the name of a lock's row for the row with the state's MD5."""

T = TypeVar("T")
_Row = Mapping[str, Any]


class _Client(Protocol):
    """What is used of boto3's client; its types are no dependency."""

    def get_item(self, **arguments: Any) -> dict[str, Any]: ...
    def delete_item(self, **arguments: Any) -> dict[str, Any]: ...
    def scan(self, **arguments: Any) -> dict[str, Any]: ...
    def close(self) -> None: ...


class DynamoTable:
    """:class:`~kumoss_console.ports.locks.LockTable` over ``table``, for the states of the bucket of ``storage``.

    ``endpoint`` is for a table that is not AWS's. Static keys are used only where both are set, else the SDK's credential chain.
    """

    def __init__(
        self,
        table: str,
        storage: StorageSettings,
        credentials: StorageCredentials,
        *,
        endpoint: str | None = None,
        back_off: float = 5.0,
    ) -> None:
        """``back_off`` is what a call may take beyond the timeouts of the settings, in seconds."""
        self._table = table
        self._storage = storage
        self._credentials = credentials
        self._endpoint = endpoint
        self._prefix = f"{storage.terraform_state_bucket}/"
        self._seconds = storage.connect_timeout + storage.read_timeout + back_off
        self._made: _Client | None = None
        self._made_for_writes: _Client | None = None
        self._making = threading.Lock()
        secrets = tuple(key for key in (credentials.access_key, credentials.secret_key) if key)
        self._target = TableTarget(table=table, where=f"DynamoDB in {printable(storage.region)}", secrets=secrets)

    @property
    def mechanism(self) -> LockMechanism:
        return "table"

    async def look(self, key: str) -> LockSighting | None:
        """The row of that lock. A row without ``Info`` locks, too: the engines ask whether it is there."""
        row = await self._ask(self._get, f"{self._prefix}{key}")
        return None if row is None else self._sighting(key, row)

    async def digest(self, key: str) -> str | None:
        row = await self._ask(self._get, f"{self._prefix}{key}{DIGEST}")
        return None if row is None else _text(row, "Digest")

    async def held(self) -> tuple[LockSighting, ...]:
        rows = await self._ask(self._scan)
        named = {_text(row, "LockID") or "": row for row in rows}
        return tuple(
            self._sighting(name.removeprefix(self._prefix), named[name])
            for name in sorted(named)
            # A state may be named like a digest of another one; what it is, its members tell.
            if name.startswith(self._prefix) and not (name.endswith(DIGEST) and _text(named[name], "Info") is None)
        )

    async def remove(self, sighting: LockSighting) -> str | None:
        """As the port says. The table keeps the condition: it compares and deletes in one step, and is told to once."""
        if await self._ask(self._delete, f"{self._prefix}{sighting.key}", sighting.proof):
            return None
        if await self.look(sighting.key) is None:
            raise lock_gone(sighting.key)
        raise lock_changed(sighting.key)

    async def aclose(self) -> None:
        clients = self._made, self._made_for_writes
        self._made = self._made_for_writes = None
        for client in clients:
            if client is not None:
                client.close()

    def _sighting(self, key: str, row: _Row) -> LockSighting:
        info = _text(row, "Info")
        return LockSighting(
            key=key,
            mechanism="table",
            document=_document(info),
            proof=info,
            modified=None,
            where=f"the row {printable(self._prefix + key)} of the table {printable(self._table)}",
            raw=(info or "").encode("utf-8", "surrogatepass"),
        )

    async def _ask(self, call: Callable[..., T], *arguments: object) -> T:
        try:
            async with asyncio.timeout(self._seconds):
                return await run_blocking(self._within, call, *arguments)
        except TimeoutError:
            raise self._target.silent(self._seconds) from None

    # Everything below runs on bridge threads.

    def _within(self, call: Callable[..., T], *arguments: object) -> T:
        with translated(self._target):
            return call(*arguments)

    def _client(self) -> _Client:
        with self._making:
            if self._made is None:
                self._made = _new_client(self._storage, self._credentials, self._endpoint, attempts=self._storage.max_attempts)
            return self._made

    def _writer(self) -> _Client:
        # Sent again after a dropped connection, a deletion is told that the row has changed: the first one has removed it.
        with self._making:
            if self._made_for_writes is None:
                self._made_for_writes = _new_client(self._storage, self._credentials, self._endpoint, attempts=1)
            return self._made_for_writes

    def _get(self, name: str) -> _Row | None:
        # Consistent: an answer from before the lock was taken would be a wrong one.
        answer = self._client().get_item(TableName=self._table, Key={"LockID": {"S": name}}, ConsistentRead=True)
        found: _Row | None = answer.get("Item")
        return found

    def _scan(self) -> list[_Row]:
        rows: list[_Row] = []
        more: dict[str, Any] = {}
        while True:
            answer = self._client().scan(
                TableName=self._table,
                ConsistentRead=True,
                FilterExpression="begins_with(LockID, :bucket)",
                ExpressionAttributeValues={":bucket": {"S": self._prefix}},
                **more,
            )
            rows += answer.get("Items", [])
            if not answer.get("LastEvaluatedKey"):
                return rows
            more = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _delete(self, name: str, info: str | None) -> bool:
        """Whether the row was still that one, and is gone now."""
        from botocore.exceptions import ClientError

        condition: dict[str, Any] = {"ConditionExpression": "attribute_exists(LockID) AND attribute_not_exists(Info)"}
        if info is not None:
            condition = {"ConditionExpression": "Info = :info", "ExpressionAttributeValues": {":info": {"S": info}}}
        try:
            self._writer().delete_item(TableName=self._table, Key={"LockID": {"S": name}}, **condition)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") == "ConditionalCheckFailedException":
                return False
            raise
        return True


def _new_client(storage: StorageSettings, credentials: StorageCredentials, endpoint: str | None, *, attempts: int) -> _Client:
    import boto3
    import botocore.session
    from botocore.config import Config

    access, secret = credentials.access_key, credentials.secret_key
    static = access is not None and secret is not None and credentials.static_keys
    # With keys of our own the operator's profile has no say.
    session = botocore.session.Session({"profile": (None, None, None, None)} if static else None)
    session.set_config_variable("ignore_configured_endpoint_urls", True)
    client: _Client = boto3.Session(botocore_session=session).client(
        "dynamodb",
        region_name=storage.region,
        endpoint_url=endpoint,
        config=Config(
            connect_timeout=storage.connect_timeout,
            read_timeout=storage.read_timeout,
            retries={"total_max_attempts": max(1, attempts), "mode": "standard"},
            max_pool_connections=THREADS,
            user_agent_extra="kumoss-console",
        ),
        aws_access_key_id=access.reveal() if access is not None and static else None,
        aws_secret_access_key=secret.reveal() if secret is not None and static else None,
    )
    return client


def _document(info: str | None) -> LockDocument:
    # Under a name of ours: a state's own may end as that of a digest does. A lone surrogate is no JSON.
    row = {"LockID": "lock"} if info is None else {"LockID": "lock", "Info": info.encode("utf-8", "replace").decode()}
    return parse_lock(msgspec.json.encode([row]))


def _text(row: _Row, name: str) -> str | None:
    value = row.get(name)
    text = value.get("S") if isinstance(value, Mapping) else None
    return text if isinstance(text, str) else None
