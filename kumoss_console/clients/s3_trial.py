"""What only writing tells of an S3 store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_errors import Target
from kumoss_console.clients.store_trial import FIRST, StoreTrial

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Trial(StoreTrial):
    """One trial on ``key``."""

    checksum = "a CRC32 checksum"

    def __init__(self, store: S3Store, key: str) -> None:
        super().__init__(store, key)
        self._s3 = store

    async def _put_with_checksum(self) -> None:
        def put(client: S3Client, target: Target) -> None:
            client.put_object(Bucket=target.bucket, Key=self._key, Body=FIRST, ChecksumAlgorithm="CRC32")

        await self._s3.with_client(put)
