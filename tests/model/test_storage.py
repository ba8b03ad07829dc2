from __future__ import annotations

from dataclasses import replace

import pytest

from kumoss_console.model.storage import (
    OwnershipModel,
    StorageCredentials,
    StorageProvider,
    StorageSettings,
    object_url,
    ownership,
)
from kumoss_console.text import Secret

RUSTFS = StorageSettings()
S3 = StorageSettings(provider=StorageProvider.S3, terraform_state_bucket="acme-tfstate", region="eu-west-1")
ACCOUNT = StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url="https://acme.blob.core.windows.net")


def test_the_defaults_are_the_cores() -> None:
    assert (RUSTFS.provider, RUSTFS.terraform_state_bucket, RUSTFS.terraform_state_filename) == (
        StorageProvider.RUSTFS,
        "kumoss-terraform-state",
        "terraform.tfstate",
    )
    assert RUSTFS.managed
    assert not replace(RUSTFS, terraform_state_bucket="").managed


@pytest.mark.parametrize(
    ("endpoint", "account"),
    [
        ("https://acme.blob.core.windows.net", "acme"),
        ("https://acme.blob.core.usgovcloudapi.net/", "acme"),
        ("http://azurite:10000/devstoreaccount1", "devstoreaccount1"),
        ("http://127.0.0.1:10000/devstoreaccount1/", "devstoreaccount1"),
        ("https://acme.example", None),
        ("https://acme.example/a/b", None),
        ("https://.blob.core.windows.net", None),
        ("https://[::1", None),
        ("", None),
    ],
)
def test_the_account_is_read_from_the_endpoint(endpoint: str, account: str | None) -> None:
    assert replace(ACCOUNT, endpoint_url=endpoint).account_name == account


@pytest.mark.parametrize(
    ("access", "secret", "static"),
    [(None, None, False), ("a", None, False), (None, "s", False), ("", "s", False), ("a", "s", True)],
)
def test_keys_count_only_where_both_are_set(access: str | None, secret: str | None, static: bool) -> None:
    keys = (None if text is None else Secret(text) for text in (access, secret))
    assert StorageCredentials(access_key=next(keys), secret_key=next(keys)).static_keys is static


@pytest.mark.parametrize(
    ("managed", "backend_config", "model", "certain"),
    [
        (True, "", "managed", True),
        (True, "  ", "managed", True),
        (True, None, "managed", False),
        (True, "/etc/backend.hcl", "mixed", True),
        (False, "", "repository", True),
        (False, None, "repository", False),
        (False, "backend.hcl", "sidecar", True),
    ],
)
def test_the_ownership_model_follows_from_core_and_sidecar(
    managed: bool, backend_config: str | None, model: OwnershipModel, certain: bool
) -> None:
    found = ownership(replace(RUSTFS, terraform_state_bucket="state" if managed else ""), backend_config)
    assert (found.model, found.certain) == (model, certain)
    assert found.explanation


@pytest.mark.parametrize(
    ("storage", "url"),
    [
        (RUSTFS, "http://object-storage:9000/kumoss-terraform-state/id/terraform.tfstate"),
        (
            replace(RUSTFS, endpoint_url="https://store.acme/s3/"),
            "https://store.acme/s3/kumoss-terraform-state/id/terraform.tfstate",
        ),
        (
            replace(RUSTFS, endpoint_url="http://ops:s3cr3t@[::1]:9000?sig=x#y"),
            "http://[::1]:9000/kumoss-terraform-state/id/terraform.tfstate",
        ),
        (S3, "https://acme-tfstate.s3.eu-west-1.amazonaws.com/id/terraform.tfstate"),
        (replace(S3, region="cn-north-1"), "https://acme-tfstate.s3.cn-north-1.amazonaws.com.cn/id/terraform.tfstate"),
        (ACCOUNT, "https://acme.blob.core.windows.net/kumoss-terraform-state/id/terraform.tfstate"),
        (
            replace(ACCOUNT, endpoint_url="https://acme.blob.core.windows.net/?sv=1&sig=s3cr3t"),
            "https://acme.blob.core.windows.net/kumoss-terraform-state/id/terraform.tfstate",
        ),
        (replace(RUSTFS, terraform_state_bucket=""), ""),
        (replace(RUSTFS, endpoint_url="store:9000"), ""),
        (replace(RUSTFS, endpoint_url="http://[::1"), ""),
        (replace(RUSTFS, endpoint_url=""), ""),
    ],
)
def test_the_url_of_an_object_has_no_credentials_and_no_signature(storage: StorageSettings, url: str) -> None:
    assert object_url(storage, "id/terraform.tfstate") == url


def test_the_url_of_an_odd_key_is_escaped() -> None:
    assert object_url(RUSTFS, "a b/ü?#").endswith("/a%20b/%C3%BC%3F%23")
