"""What only writing tells of an S3 store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_errors import Target, does_not_know
from kumoss_console.clients.store_trial import FIRST, StoreTrial
from kumoss_console.errors import Refused, ServiceError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_OF_THE_MOMENT = frozenset({408, 409, 412, 423, 425, 429})
_NO_OTHER_KIND = frozenset({"store.refused", "store.bad_answer"})
"""What errors are called that say nothing of credentials, buckets, regions or load."""


class S3Trial(StoreTrial):
    """One trial on ``key``."""

    checksum = "a CRC32 checksum"

    def __init__(self, store: S3Store, key: str) -> None:
        super().__init__(store, key)
        self._s3 = store

    async def _put_with_checksum(self) -> None:
        from botocore.exceptions import ClientError

        said: list[Mapping[str, Any]] = []

        def put(client: S3Client, target: Target) -> None:
            try:
                client.put_object(Bucket=target.bucket, Key=self._key, Body=FIRST, ChecksumAlgorithm="CRC32")
            except ClientError as error:
                said.append(error.response)
                raise

        try:
            await self._s3.with_client(put, writes=True)
        except ServiceError as error:
            if said and _refuses(said[0], error):
                raise Refused(error.title, detail=error.detail, code="store.checksums_refused") from error
            raise


def _refuses(response: Mapping[str, Any], error: ServiceError) -> bool:
    """Whether it says that it takes no such header. That we may not, or ought to wait, is said in the same range of statuses."""
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    of_the_request = 400 <= status < 500 and status not in _OF_THE_MOMENT and error.code in _NO_OTHER_KIND
    return does_not_know(response) or of_the_request
