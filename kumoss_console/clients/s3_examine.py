"""What an S3 store really does, asked of it. Every answer is an aspect; one that fails does not hide the others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_errors import UNSUPPORTED, Target, does_not_know
from kumoss_console.clients.s3_identity import identity
from kumoss_console.clients.s3_lifecycle import lifecycle
from kumoss_console.clients.s3_public import public_access
from kumoss_console.clients.s3_signs import must_be_a_listing
from kumoss_console.clients.s3_trial import S3Trial
from kumoss_console.clients.tls import transport
from kumoss_console.errors import ConsoleError
from kumoss_console.model.endpoint import Aspect, AspectName
from kumoss_console.model.endpoint.aspect import no_access, not_answered
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

Asked = Callable[["S3Client", Target], Aspect]


class S3Examiner:
    """:class:`~kumoss_console.ports.store.StoreExaminer` over the store of ``storage``."""

    def __init__(self, store: S3Store, storage: StorageSettings, credentials: StorageCredentials) -> None:
        self._store = store
        self._storage = storage
        self._credentials = credentials

    async def examine(self, *, thorough: bool = True) -> AsyncGenerator[Aspect, None]:
        try:
            access, clock = await self._store.with_client(_access)
        except ConsoleError as error:
            yield no_access(error)
            if thorough:
                yield await self._identity()
                yield await transport(self._storage)
            # Who is known, and may not list, may still be told of the bucket's settings. Nobody else is told anything.
            if error.code != "store.access_denied":
                return
        else:
            yield access
            if thorough:
                yield await self._identity()
                yield _addressing(self._storage)
            yield clock
            if thorough:
                yield await transport(self._storage)
        for name, ask in _QUESTIONS:
            yield await self._ask(name, ask)

    def try_writes(self, key: str) -> AsyncGenerator[Aspect, None]:
        return S3Trial(self._store, key).run()

    async def _identity(self) -> Aspect:
        return await self._ask("identity", lambda client, _: identity(client, self._storage, self._credentials))

    async def _ask(self, name: AspectName, ask: Asked) -> Aspect:
        try:
            return await self._store.with_client(lambda client, target: _answered(name, ask, client, target))
        except ConsoleError as error:
            return not_answered(name, error)


def _answered(name: AspectName, ask: Asked, client: S3Client, target: Target) -> Aspect:
    from botocore.exceptions import ClientError

    try:
        return ask(client, target)
    except ClientError as error:
        if does_not_know(error.response):
            code = str(error.response.get("Error", {}).get("Code", ""))
            return Aspect(
                name=name, standing="unknown", said="the store does not know the question", evidence=code, doubt="unsupported"
            )
        raise


def _access(client: S3Client, target: Target) -> tuple[Aspect, Aspect]:
    asked = datetime.now(UTC)
    answer = client.list_objects_v2(Bucket=target.bucket, MaxKeys=1)
    heard = datetime.now(UTC)
    must_be_a_listing(answer, target)
    access = Aspect(name="access", standing="good", said="listing works", evidence="listed the bucket")
    return access, _clock(answer["ResponseMetadata"]["HTTPHeaders"], asked, heard)


def _clock(headers: Mapping[str, str], asked: datetime, heard: datetime) -> Aspect:
    """The store's Date against the middle of the exchange; it counts in whole seconds, so the half second after is meant."""
    try:
        theirs = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return Aspect(name="clock", standing="unknown", said="it sends no date", evidence="no Date header", doubt="unsupported")
    if theirs.tzinfo is None:
        theirs = theirs.replace(tzinfo=UTC)
    seconds = (theirs - asked - (heard - asked) / 2).total_seconds() + 0.5
    blur = 0.5 + (heard - asked).total_seconds() / 2
    if abs(seconds) <= blur + 1:
        said, seconds = "right, to the second", 0.0
    else:
        said = f"{abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} ours"
    return Aspect(
        name="clock", standing="plain", said=said, evidence=f"Date: {headers.get('date', '')}", seconds=round(seconds, 1)
    )


def _addressing(storage: StorageSettings) -> Aspect:
    custom = storage.provider is not StorageProvider.S3
    return Aspect(
        name="addressing",
        standing="plain",
        said="path style" if custom else "virtual host",
        evidence="the listing was answered that way",
    )


def _versioning(client: S3Client, target: Target) -> Aspect:
    answer: Mapping[str, Any] = client.get_bucket_versioning(Bucket=target.bucket)
    status = answer.get("Status")
    said = {"Enabled": "on", "Suspended": "suspended"}.get(str(status), "off")
    return Aspect(
        name="versioning",
        standing="good" if status == "Enabled" else "bad",
        said=said,
        evidence=f"GetBucketVersioning: {status or 'no status, so it never was on'}",
    )


def _version_listing(client: S3Client, target: Target) -> Aspect:
    from botocore.exceptions import ClientError

    try:
        answer: Mapping[str, Any] = client.list_object_versions(Bucket=target.bucket, MaxKeys=1)
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in UNSUPPORTED:
            return Aspect(name="version_listing", standing="bad", said="refused", evidence=f"ListObjectVersions: {code}")
        raise
    if not isinstance(answer.get("IsTruncated"), bool):
        return Aspect(name="version_listing", standing="bad", said="no listing", evidence="ListObjectVersions: no listing came")
    return Aspect(name="version_listing", standing="good", said="works", evidence="ListObjectVersions was answered")


def _encryption(client: S3Client, target: Target) -> Aspect:
    from botocore.exceptions import ClientError

    try:
        answer = client.get_bucket_encryption(Bucket=target.bucket)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") == "ServerSideEncryptionConfigurationNotFoundError":
            return Aspect(name="encryption", standing="bad", said="none", evidence="GetBucketEncryption: not configured")
        raise
    rules = answer.get("ServerSideEncryptionConfiguration", {}).get("Rules", [])
    kinds = [rule.get("ApplyServerSideEncryptionByDefault", {}).get("SSEAlgorithm", "?") for rule in rules]
    return Aspect(
        name="encryption",
        standing="good" if kinds else "bad",
        said=", ".join(map(str, kinds)) or "none",
        evidence=f"GetBucketEncryption: {len(rules)} rules",
    )


_QUESTIONS: tuple[tuple[AspectName, Asked], ...] = (
    ("versioning", _versioning),
    ("version_listing", _version_listing),
    ("encryption", _encryption),
    ("lifecycle", lifecycle),
    ("public_access", public_access),
)
