"""The commands of engine and store that remove a lock: what this console does, in words that work without it. Pure."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass

from kumoss_console.model.context import LockSettings
from kumoss_console.model.lock.document import LOCK_SUFFIX, LockDocument, LockMechanism, state_path
from kumoss_console.model.lock.word import legible_id
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.text import printable

_ON_S3 = re.compile(r"env:/([^/]+)/.")
_ON_AZURE = re.compile(r".env:([^/]+)\Z")


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
    proof: str | None = None,
    table: LockSettings | None = None,
) -> tuple[ReleaseCommand, ...]:
    """The engine's own way first, where the lock has an id that it takes. Empty for a key that no command line can carry.

    ``folder`` is the workspace that is bound to the state, empty where it is not known; ``proof`` the ETag of the lock object,
    or the ``Info`` of the row. Of a lock that does not name this very state no engine's command is given: it takes the lock
    that it finds by the id, and a copied one has the id of a lock elsewhere, which somebody may hold. Nor for
    an id that begins with a dash: an engine takes it for a flag.
    """
    if printable(key) != key:
        return ()
    if mechanism == "table":
        store = _row(key, storage, proof, table or LockSettings())
    else:
        store = _lease(key, storage) if mechanism == "lease" else _object(key, storage, proof)
    named = legible_id(document)
    own = document.lock is not None and document.lock.path == state_path(storage.terraform_state_bucket, key)
    return (*(_engine(named, key, mechanism, folder) if named is not None and own else ()), store)


def engine_workspace(key: str, mechanism: LockMechanism) -> str:
    """The engine's workspace whose state has this key: ``env:/stage/KEY``, on Azure ``KEYenv:stage``; else the default one."""
    found = _ON_AZURE.search(key) if mechanism == "lease" else _ON_S3.match(key)
    return found[1] if found is not None else "default"


def _without_user(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else url


def _engine(lock_id: str, key: str, mechanism: LockMechanism, folder: str) -> tuple[ReleaseCommand, ...]:
    if lock_id.startswith("-"):
        return ()
    where = f" -chdir={shlex.quote(folder)}" if folder and printable(folder) == folder else ""
    # Named also where it is the default one: the folder may have another one selected.
    chosen = shlex.quote(engine_workspace(key, mechanism))
    return (
        ReleaseCommand(
            by="engine",
            command=f"TF_WORKSPACE={chosen} terraform{where} force-unlock {shlex.quote(lock_id)}",
            note="tofu takes the same" if where else "in a workspace that is bound to this state; tofu takes the same",
        ),
    )


def _lease(key: str, storage: StorageSettings) -> ReleaseCommand:
    words = ["az", "storage", "blob", "lease", "break", "--account-name", storage.account_name or "ACCOUNT"]
    words += ["--container-name", storage.terraform_state_bucket, "--blob-name", key]
    if storage.endpoint_url:
        words += ["--blob-endpoint", _without_user(storage.endpoint_url)]
    return ReleaseCommand(by="store", command=shlex.join(words), note="breaks whatever lease is there by then")


def _row(key: str, storage: StorageSettings, info: str | None, table: LockSettings) -> ReleaseCommand:
    """Escaped as JSON can be, so that whatever is in the row is one printable word that means the same."""
    row = {"LockID": {"S": state_path(storage.terraform_state_bucket, key)}}
    words = ["aws", "dynamodb", "delete-item", "--table-name", table.dynamodb_table or "TABLE", "--key", json.dumps(row)]
    if info is None:
        words += ["--condition-expression", "attribute_exists(LockID) AND attribute_not_exists(Info)"]
    else:
        words += ["--condition-expression", "Info = :info"]
        words += ["--expression-attribute-values", json.dumps({":info": {"S": info}})]
    words += ["--region", storage.region] if storage.region and printable(storage.region) == storage.region else []
    if table.dynamodb_endpoint:
        words += ["--endpoint-url", _without_user(table.dynamodb_endpoint)]
    return ReleaseCommand(by="store", command=shlex.join(words), note="deletes that very row, or none")


def _object(key: str, storage: StorageSettings, etag: str | None) -> ReleaseCommand:
    words = ["aws", "s3api", "delete-object", "--bucket", storage.terraform_state_bucket, "--key", f"{key}{LOCK_SUFFIX}"]
    if etag is not None:
        words += ["--if-match", etag]
    if storage.provider is not StorageProvider.S3:
        words += ["--endpoint-url", _without_user(storage.endpoint_url)]
    note = "deletes that very lock where the store looks at the condition" if etag else "deletes whatever lock is there by then"
    return ReleaseCommand(by="store", command=shlex.join(words), note=note)
