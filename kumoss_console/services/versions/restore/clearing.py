"""What is in the way of a push, taken out of it with the store's own tools: a damaged object, the MD5 of another state in a lock
table. Named, and never run from here.

Each command holds only for what was seen when the plan was made, and is reached only where the document to push was prepared.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from kumoss_console.model.context import LockSettings
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.services.versions.restore.digest import TableDigest
from kumoss_console.services.versions.restore.files import Files
from kumoss_console.services.versions.restore.value import Command
from kumoss_console.text import printable

UNVERSIONED = "null"
"""The id of what a store wrote without keeping versions."""
_AS_SEEN = "--if-match refuses (412) where another run has written the key since the plan was made"
_IGNORED = (
    "A store that takes no notice of the condition deletes all the same, and one that knows none refuses it (501; state endpoint "
    "--try-writes finds out which): there keep everybody off the key until the push is done, for the second without --if-match"
)
_NO_ETAG = "The store gives no ETag to make it conditional on: keep everybody off the key until the push is done"


def removal_of(active: ObjectVersion, storage: StorageSettings, files: Files) -> Iterator[Command]:
    """How the damaged object ``active`` is removed; nothing where no command line can carry the key.

    What has an id of its own stays as a version when the object is deleted; what has none may be gone, and is copied first.
    """
    if printable(active.key) != active.key:
        return
    etag = active.etag if active.etag and printable(active.etag) == active.etag else None
    azure = storage.provider is StorageProvider.STORAGE_ACCOUNT
    delete, copy = (_azure if azure else _s3)(active.key, storage, ["--if-match", etag] if etag else [], files.damaged)
    condition = _NO_ETAG if etag is None else f"{_AS_SEEN}." if azure else f"{_AS_SEEN}. {_IGNORED}"
    why = "a push reads first what is there, and fails on a damaged object: remove it right after the document was prepared"
    stays = f"Its version {active.version_id} stays"
    if active.version_id == UNVERSIONED:
        yield Command(
            f"(umask 077; {files.ready()} && {copy})",
            "a copy of the damaged object: it has no version of its own, so a deletion may be for good",
        )
        stays = "Only once the copy is there"
    yield Command(f"({files.ready()} && {delete})", f"{why}. {stays}. {condition}")


def digest_removal(digest: TableDigest, locks: LockSettings, storage: StorageSettings, files: Files) -> Iterator[Command]:
    """How the row is removed that has the MD5 of another state; nothing where no command line can carry it."""
    if digest.error is not None or printable(digest.row + digest.told) != digest.row + digest.told:
        return
    where = ["--region", storage.region, "--table-name", locks.dynamodb_table]
    endpoint = ["--endpoint-url", locks.dynamodb_endpoint] if locks.dynamodb_endpoint else []
    row = ["--key", json.dumps({"LockID": {"S": digest.row}})]
    same = ["--condition-expression", "Digest = :seen"]
    seen = ["--expression-attribute-values", json.dumps({":seen": {"S": digest.told}})]
    delete = shlex.join(["aws", *endpoint, "dynamodb", "delete-item", *where, *row, *same, *seen])
    yield Command(
        f"({files.ready()} && {delete})",
        "the lock table has the MD5 of another state than the key holds when the push comes, and engines refuse to read that: "
        "remove the row, and only as it was when the plan was made. The push writes a new one",
    )


def _s3(key: str, storage: StorageSettings, condition: list[str], copy: str) -> tuple[str, str]:
    custom = storage.provider is not StorageProvider.S3
    where = ["--bucket", storage.terraform_state_bucket, "--key", key, *condition]
    endpoint = ["--endpoint-url", storage.endpoint_url] if custom else []
    delete = shlex.join(["aws", *endpoint, "s3api", "delete-object", *where])
    return delete, shlex.join(["aws", *endpoint, "s3api", "get-object", *where, copy])


def _azure(key: str, storage: StorageSettings, condition: list[str], copy: str) -> tuple[str, str]:
    where = ["--account-name", storage.account_name or "", "--container-name", storage.terraform_state_bucket, "--name", key]
    if storage.endpoint_url:
        where += ["--blob-endpoint", storage.endpoint_url]
    delete = shlex.join(["az", "storage", "blob", "delete", *where, *condition])
    return delete, shlex.join(["az", "storage", "blob", "download", *where, *condition, "--file", copy])
