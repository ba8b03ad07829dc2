"""The commands of engine and store that remove a lock: what this console does, in words that work without it. Pure."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

from kumoss_console.model.lock.document import LOCK_SUFFIX, LockDocument, LockMechanism
from kumoss_console.model.lock.word import legible_id
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.text import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseCommand:
    """``by`` is ``engine`` or ``store``; ``note`` is what must hold for it, and may be empty."""

    by: str
    command: str
    note: str = ""


def release_commands(
    key: str,
    mechanism: LockMechanism,
    document: LockDocument,
    storage: StorageSettings,
    *,
    folder: str = "",
    etag: str | None = None,
    table: str = "",
) -> tuple[ReleaseCommand, ...]:
    """The engine's own way first, where the lock has an id that it takes. Empty for a key that no command line can carry.

    ``folder`` is the workspace that is bound to the state, empty where it is not known; ``etag`` that of the lock object.
    """
    if printable(key) != key:
        return ()
    store = _store(key, mechanism, storage, etag, table)
    named = legible_id(document)
    return (*((_engine(named, document, folder),) if named is not None else ()), store)


def _without_user(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else url


def _engine(lock_id: str, document: LockDocument, folder: str) -> ReleaseCommand:
    selected = document.lock.workspace if document.lock is not None else None
    where = f" -chdir={shlex.quote(folder)}" if folder and printable(folder) == folder else ""
    chosen = f"TF_WORKSPACE={shlex.quote(selected)} " if selected and printable(selected) == selected else ""
    return ReleaseCommand(
        by="engine",
        command=f"{chosen}terraform{where} force-unlock {shlex.quote(lock_id)}",
        note="tofu takes the same" if where else "in a workspace that is bound to this state; tofu takes the same",
    )


def _store(key: str, mechanism: LockMechanism, storage: StorageSettings, etag: str | None, table: str) -> ReleaseCommand:
    bucket = storage.terraform_state_bucket
    if mechanism == "lease":
        words = ["az", "storage", "blob", "lease", "break", "--account-name", storage.account_name or "ACCOUNT"]
        words += ["--container-name", bucket, "--blob-name", key]
        return ReleaseCommand(by="store", command=shlex.join(words), note="breaks whatever lease is there by then")
    if mechanism == "table":
        row = json.dumps({"LockID": {"S": f"{bucket}/{key}"}}, ensure_ascii=False)
        words = ["aws", "dynamodb", "delete-item", "--table-name", table or "TABLE", "--key", row]
        return ReleaseCommand(by="store", command=shlex.join(words), note="deletes whatever row is there by then")
    words = ["aws", "s3api", "delete-object", "--bucket", bucket, "--key", f"{key}{LOCK_SUFFIX}"]
    if etag is not None:
        words += ["--if-match", etag]
    if storage.provider is not StorageProvider.S3:
        words += ["--endpoint-url", _without_user(storage.endpoint_url)]
    return ReleaseCommand(by="store", command=shlex.join(words), note="" if etag else "deletes whatever lock is there by then")
