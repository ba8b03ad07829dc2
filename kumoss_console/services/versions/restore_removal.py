"""How a damaged object is cleared out of the way of a push, with the store's own tool. Named, and never run from here."""

from __future__ import annotations

import shlex

from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.text import printable

UNVERSIONED = "null"
"""The id of what a store wrote without keeping versions."""
DAMAGED = "damaged-object"


def removal_of(active: ObjectVersion, storage: StorageSettings) -> tuple[tuple[str, str], ...]:
    """Commands and their purposes; none where no command line can carry the key.

    What has an id of its own stays as a version when the object is deleted; what has none may be gone, and is copied first.
    """
    if printable(active.key) != active.key:
        return ()
    azure = storage.provider is StorageProvider.STORAGE_ACCOUNT
    delete, copy = (_azure if azure else _s3)(active.key, storage)
    why = "a push reads first what is there, and fails on a damaged object: remove it right after the document was prepared"
    if active.version_id != UNVERSIONED:
        return ((delete, f"{why}. Its version {active.version_id} stays"),)
    return (
        (f"(umask 077; {copy})", "a copy of the damaged object: it has no version of its own, so a deletion may be for good"),
        (delete, f"{why}. Only once the copy is there"),
    )


def _s3(key: str, storage: StorageSettings) -> tuple[str, str]:
    custom = storage.provider is not StorageProvider.S3
    where = ["--bucket", storage.terraform_state_bucket, "--key", key]
    endpoint = ["--endpoint-url", storage.endpoint_url] if custom else []
    delete = shlex.join(["aws", *endpoint, "s3api", "delete-object", *where])
    return delete, shlex.join(["aws", *endpoint, "s3api", "get-object", *where, DAMAGED])


def _azure(key: str, storage: StorageSettings) -> tuple[str, str]:
    where = ["--account-name", storage.account_name or "", "--container-name", storage.terraform_state_bucket, "--name", key]
    if storage.endpoint_url:
        where += ["--blob-endpoint", storage.endpoint_url]
    delete = shlex.join(["az", "storage", "blob", "delete", *where])
    return delete, shlex.join(["az", "storage", "blob", "download", *where, "--file", DAMAGED])
