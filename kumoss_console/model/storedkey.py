"""What lies at a key of the state bucket, as far as the key alone tells. Pure.

The core makes ``PROJECT_ID/FILENAME``. An engine puts the state of another workspace beside it: the s3 backend at
``env:/NAME/KEY``, azurerm at ``KEYenv:NAME``; the s3 backend locks with an object beside the state, azurerm with none. Everything
else is what a person, a script or another tool put there: in a storage account also what came over from S3. Whether it is what
its name says, only reading it tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.model.storage import StorageProvider

KeyKind = Literal["state", "workspace", "lock", "elsewhere", "backup", "plan", "dependency_lock", "folder", "other"]
"""``state`` is the core's own key, ``workspace`` a sibling of any state, ``elsewhere`` what is named like a state and is not at
a key of the core, ``lock`` a lock object, ``folder`` the mark some tools leave for an empty folder."""

_PROJECT = re.compile(r"([0-9a-f]{64})/")
_S3_SIBLING = re.compile(r"env:/([^/]+)/(.+)", re.DOTALL)
_AZURE_SIBLING = re.compile(r"(.+)env:([^/]+)", re.DOTALL)
_STATE = ".tfstate"
_BACKUP = re.compile(r"(.+?)(?:\.[0-9]{10,})?\.(?:backup|bak|old)", re.DOTALL)
_PLAN = re.compile(r"(?:.*/)?(?:[^/]*\.tfplan|tfplan|plan\.out)", re.DOTALL)
_DEPENDENCY_LOCK = ".terraform.lock.hcl"


@dataclass(frozen=True, slots=True)
class StoredKey:
    """``base`` is the key that this one belongs to: the state beside a sibling, a backup or a lock; its own where it belongs
    to none. ``workspace`` is the sibling's name, empty for the default workspace. ``project_id`` begins the base."""

    kind: KeyKind
    base: str
    workspace: str = ""
    project_id: str | None = None


def stored_key(key: str, filename: str, provider: StorageProvider) -> StoredKey:
    """``filename`` is the core's name for a state, ``storage.terraform_state_filename``; ``provider`` tells which backend of the
    engines writes there."""
    found = _PROJECT.match(key)
    if found is not None and key[found.end() :] == filename:
        return StoredKey("state", key, "", found[1])
    if is_lock_object(key, provider):
        locked = stored_key(key.removesuffix(LOCK_SUFFIX), filename, provider)
        return StoredKey("lock", locked.base, locked.workspace, locked.project_id)
    if (sibling := _sibling(key, filename, provider)) is not None:
        base, workspace = sibling
        return StoredKey("workspace", base, workspace, project_id_of(base))
    kind, base = _named(key, filename)
    return StoredKey(kind, base, "", project_id_of(base))


def is_lock_object(key: str, provider: StorageProvider) -> bool:
    """Whether an engine takes an object at this key for a lock."""
    return key.endswith(LOCK_SUFFIX) and provider is not StorageProvider.STORAGE_ACCOUNT


def project_id_of(key: str) -> str | None:
    """The digest that a key begins with."""
    found = _PROJECT.match(key)
    return found[1] if found is not None else None


def _sibling(key: str, filename: str, provider: StorageProvider) -> tuple[str, str] | None:
    if provider is StorageProvider.STORAGE_ACCOUNT:
        found = _AZURE_SIBLING.fullmatch(key)
        base, workspace = (found[1], found[2]) if found is not None else ("", "")
    else:
        found = _S3_SIBLING.fullmatch(key)
        base, workspace = (found[2], found[1]) if found is not None else ("", "")
    return (base, workspace) if found is not None and _names_a_state(base, filename) else None


def _names_a_state(key: str, filename: str) -> bool:
    return key.endswith(_STATE) or key.rpartition("/")[2] == filename


def _named(key: str, filename: str) -> tuple[KeyKind, str]:
    if key.endswith("/"):
        return "folder", key
    if key.endswith(_DEPENDENCY_LOCK):
        return "dependency_lock", key
    if _PLAN.fullmatch(key):
        return "plan", key
    if (found := _BACKUP.fullmatch(key)) is not None and _names_a_state(found[1], filename):
        return "backup", found[1]
    return ("elsewhere", key) if _names_a_state(key, filename) else ("other", key)
