"""What lies at a key, as far as the key tells: the core's own, what an engine puts beside it, and what others left."""

from __future__ import annotations

import pytest

from kumoss_console.model.storage import StorageProvider
from kumoss_console.model.storedkey import StoredKey, stored_key
from tests.hostile import HOSTILE

A = "a" * 64
NAME = "terraform.tfstate"
ACCOUNT = StorageProvider.STORAGE_ACCOUNT
CORE = f"{A}/{NAME}"

KEYS = [
    (CORE, StoredKey("state", CORE, "", A)),
    (f"env:/prod/{CORE}", StoredKey("workspace", CORE, "prod", A)),
    (f"{CORE}env:prod", StoredKey("other", f"{CORE}env:prod", "", A)),
    ("env:/prod/envs/net.tfstate", StoredKey("workspace", "envs/net.tfstate", "prod", None)),
    (f"{CORE}.tflock", StoredKey("lock", CORE, "", A)),
    (f"env:/prod/{CORE}.tflock", StoredKey("lock", CORE, "prod", A)),
    (f"{CORE}.backup", StoredKey("backup", CORE, "", A)),
    (f"{CORE}.1700000000.backup", StoredKey("backup", CORE, "", A)),
    (f"{A}/other.tfstate", StoredKey("elsewhere", f"{A}/other.tfstate", "", A)),
    ("envs/prod/terraform.tfstate", StoredKey("elsewhere", "envs/prod/terraform.tfstate")),
    (NAME, StoredKey("elsewhere", NAME)),
    ("plans/net.tfplan", StoredKey("plan", "plans/net.tfplan")),
    ("tfplan", StoredKey("plan", "tfplan")),
    (f"{A}/.terraform.lock.hcl", StoredKey("dependency_lock", f"{A}/.terraform.lock.hcl", "", A)),
    (f"{A}/", StoredKey("folder", f"{A}/", "", A)),
    (A, StoredKey("other", A)),
    (f"{A.upper()}/{NAME}", StoredKey("elsewhere", f"{A.upper()}/{NAME}")),
    (f"{A[1:]}/{NAME}", StoredKey("elsewhere", f"{A[1:]}/{NAME}")),
    (f"{A}{A}/{NAME}", StoredKey("elsewhere", f"{A}{A}/{NAME}")),
    (f"{A}/sub/{NAME}", StoredKey("elsewhere", f"{A}/sub/{NAME}", "", A)),
    ("env:/prod/readme.md", StoredKey("other", "env:/prod/readme.md")),
    ("env:/prod/", StoredKey("folder", "env:/prod/")),
    ("env:/", StoredKey("folder", "env:/")),
    ("xenv:y", StoredKey("other", "xenv:y")),
    ("notes.backup", StoredKey("other", "notes.backup")),
    ("", StoredKey("other", "")),
]


S3_ONLY = {"workspace", "lock"}
IN_AN_ACCOUNT = [
    *((key, told) for key, told in KEYS if told.kind not in S3_ONLY and "env:" not in key),
    (f"{CORE}env:prod", StoredKey("workspace", CORE, "prod", A)),
    ("envs/net.tfstateenv:prod", StoredKey("workspace", "envs/net.tfstate", "prod", None)),
    (f"env:/prod/{CORE}", StoredKey("elsewhere", f"env:/prod/{CORE}")),
    (f"env:/prod/{CORE}env:dev", StoredKey("workspace", f"env:/prod/{CORE}", "dev")),
    (f"{CORE}.tflock", StoredKey("other", f"{CORE}.tflock", "", A)),
    (f"{CORE}env:a/b", StoredKey("other", f"{CORE}env:a/b", "", A)),
    ("xenv:y", StoredKey("other", "xenv:y")),
]


@pytest.mark.parametrize("provider", [StorageProvider.S3, StorageProvider.RUSTFS])
@pytest.mark.parametrize(("key", "told"), KEYS, ids=[key[-40:] for key, _ in KEYS])
def test_a_key_tells_what_lies_there(key: str, told: StoredKey, provider: StorageProvider) -> None:
    assert stored_key(key, NAME, provider) == told


@pytest.mark.parametrize(("key", "told"), IN_AN_ACCOUNT, ids=[key[-40:] for key, _ in IN_AN_ACCOUNT])
def test_a_key_tells_what_lies_there_in_a_storage_account(key: str, told: StoredKey) -> None:
    assert stored_key(key, NAME, ACCOUNT) == told


def test_the_name_of_a_state_is_the_settings() -> None:
    assert stored_key(f"{A}/net.json", "net.json", ACCOUNT).kind == "state"
    assert stored_key(f"{A}/net.jsonenv:prod", "net.json", ACCOUNT) == StoredKey("workspace", f"{A}/net.json", "prod", A)
    assert stored_key(CORE, "net.json", ACCOUNT).kind == "elsewhere"


@pytest.mark.parametrize("provider", [StorageProvider.RUSTFS, ACCOUNT])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_key_is_too_strange_to_be_told(hostile: str, provider: StorageProvider) -> None:
    for key in (hostile, f"{hostile}/{NAME}", f"env:/{hostile}/{CORE}", f"{CORE}env:{hostile}", f"{CORE}{hostile}"):
        assert stored_key(key, NAME, provider).base in key
