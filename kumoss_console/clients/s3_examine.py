"""What an S3 store really does, asked of it. Every answer is an aspect; one that fails does not hide the others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_errors import UNSUPPORTED, Target, does_not_know
from kumoss_console.clients.s3_identity import identity
from kumoss_console.clients.s3_lifecycle import lifecycle
from kumoss_console.clients.s3_public import public_access
from kumoss_console.clients.s3_signs import must_be_a_listing
from kumoss_console.clients.s3_trial import S3Trial
from kumoss_console.clients.tls import Way, transport, way_of_boto
from kumoss_console.errors import AccessDenied, ConsoleError
from kumoss_console.model.endpoint import Aspect, AspectName
from kumoss_console.model.endpoint.aspect import Doubt, no_access, not_answered
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import printable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

Asked = Callable[["S3Client", Target], Aspect]
_UNKNOWN = "the store does not know the question"


class S3Examiner:
    """:class:`~kumoss_console.ports.store.StoreExaminer` over the store of ``storage``."""

    def __init__(self, store: S3Store, storage: StorageSettings, credentials: StorageCredentials) -> None:
        self._store = store
        self._storage = storage
        self._credentials = credentials

    async def examine(self, *, thorough: bool = True) -> AsyncGenerator[Aspect, None]:
        heard: list[Aspect] = []
        refused: ConsoleError | None = None
        try:
            await self._store.with_client(partial(_access, heard))
        except ConsoleError as error:
            refused = error
        # Who refuses us has heard us, and its answer has a date like any other.
        answered = refused is None or (isinstance(refused, AccessDenied) and bool(heard))
        if refused is None:
            yield Aspect(name="access", standing="good", said="listing works", evidence="listed the bucket")
        else:
            yield no_access(refused)
        if thorough:
            yield await self._identity()
        if thorough and answered:
            yield _addressing(self._storage, refused=refused is not None)
        if answered:
            for clock in heard:
                yield clock
        if thorough:
            yield await self._transport()
        # Who is known, and may not list, may still be told of the bucket's settings. Nobody else is told anything.
        if refused is not None and refused.code != "store.access_denied":
            return
        for name, ask in _QUESTIONS:
            yield await self._ask(name, ask)
        yield await self._ask("lifecycle", partial(lifecycle, storage=self._storage))
        yield await self._ask("public_access", public_access)

    def try_writes(self, key: str) -> AsyncGenerator[Aspect, None]:
        return S3Trial(self._store, key).run()

    async def _identity(self) -> Aspect:
        return await self._ask("identity", lambda client, _: identity(client, self._storage, self._credentials))

    async def _transport(self) -> Aspect:
        if self._storage.provider is StorageProvider.S3:
            return await transport(self._storage, Way(""))
        try:
            way = await self._store.with_client(lambda client, _: way_of_boto(client, self._storage.endpoint_url))
        except ConsoleError as error:
            return not_answered("transport", error)
        return await transport(self._storage, way)

    async def _ask(self, name: AspectName, ask: Asked) -> Aspect:
        try:
            return await self._store.with_client(lambda client, target: _answered(name, ask, client, target))
        except ConsoleError as error:
            return not_answered(name, error)


def _answered(name: AspectName, ask: Asked, client: S3Client, target: Target) -> Aspect:
    from botocore.exceptions import ClientError

    from kumoss_console.clients.s3_documents import NotTheDocument

    try:
        return ask(client, target)
    except ClientError as error:
        if not does_not_know(error.response):
            raise
        evidence = printable(str(error.response.get("Error", {}).get("Code", "")))
        return Aspect(name=name, standing="unknown", said=_UNKNOWN, evidence=evidence, doubt="unsupported")
    except NotTheDocument as error:
        # Another document is the store's, to another question: it looks past what it does not know.
        said = _UNKNOWN if error.root else "it gave an answer that is not S3's"
        doubt: Doubt = "unsupported" if error.root else "failed"
        return Aspect(name=name, standing="unknown", said=said, evidence=printable(str(error)), doubt=doubt)


def _access(heard: list[Aspect], client: S3Client, target: Target) -> None:
    """List a key. ``heard`` gets the clock of whoever answered, also where that is a refusal."""
    from botocore.exceptions import ClientError

    asked = datetime.now(UTC)
    try:
        answer = client.list_objects_v2(Bucket=target.bucket, MaxKeys=1)
    except ClientError as error:
        heard.append(_clock(error.response["ResponseMetadata"]["HTTPHeaders"], asked, datetime.now(UTC)))
        raise
    heard.append(_clock(answer["ResponseMetadata"]["HTTPHeaders"], asked, datetime.now(UTC)))
    must_be_a_listing(answer, target)


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
        name="clock",
        standing="plain",
        said=said,
        evidence=f"Date: {printable(headers.get('date', ''))}",
        seconds=round(seconds, 1),
    )


def _addressing(storage: StorageSettings, *, refused: bool) -> Aspect:
    custom = storage.provider is not StorageProvider.S3
    return Aspect(
        name="addressing",
        standing="plain",
        said="path style" if custom else "virtual host",
        evidence=f"the listing was {'refused' if refused else 'answered'} that way",
    )


def _versioning(client: S3Client, target: Target) -> Aspect:
    answer: Mapping[str, Any] = client.get_bucket_versioning(Bucket=target.bucket)
    status = printable(str(answer.get("Status") or ""))
    said = {"Enabled": "on", "Suspended": "suspended"}.get(status, "off")
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
        said=", ".join(printable(str(kind)) for kind in kinds) or "none",
        evidence=f"GetBucketEncryption: {len(rules)} rule{'' if len(rules) == 1 else 's'}",
    )


_QUESTIONS: tuple[tuple[AspectName, Asked], ...] = (
    ("versioning", _versioning),
    ("version_listing", _version_listing),
    ("encryption", _encryption),
)
