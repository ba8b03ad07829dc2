"""Every sample is loaded, and says what its comment says."""

from __future__ import annotations

import io
from importlib.resources import files
from pathlib import Path

import hcl2
import pytest

from kumoss_console.config import LoadedConfig, load
from kumoss_console.model.storage import StorageProvider, ownership
from kumoss_console.text import Secret
from tests.config.conftest import TOKEN, Desk

# A folder without code is a namespace, which has no single path; a file in it has one.
SAMPLES = Path(str(files("sample_configs") / "README.md")).parent
CONSOLE_FILES = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.yaml") if path.parent.name != "core")


def sample(desk: Desk, name: str, **environ: str) -> LoadedConfig:
    return load(config=SAMPLES / name, environ={"HOME": str(desk.home), **TOKEN, **environ}, cwd=desk.folder)


@pytest.mark.parametrize("name", CONSOLE_FILES)
def test_every_sample_loads_and_is_commented(desk: Desk, name: str) -> None:
    assert sample(desk, name).contexts
    assert (SAMPLES / name).read_text().startswith("# ")


def test_the_readme_lists_every_sample() -> None:
    readme = (SAMPLES / "README.md").read_text()
    assert [name for name in (*CONSOLE_FILES, "sidecar-supplied/backend.hcl") if f"({name})" not in readme] == []


def test_rustfs_is_managed_in_the_bundled_store(desk: Desk) -> None:
    config = sample(desk, "rustfs.yaml")
    context = config.context()
    assert (context.storage.provider, context.storage.managed) == (StorageProvider.RUSTFS, True)
    assert context.credentials.source == "the core's default rustfsadmin"
    assert ownership(context.storage, context.backend_config).certain
    assert config.warnings == ()


def test_s3_with_static_keys_takes_them_from_its_own_variables(desk: Desk) -> None:
    config = sample(desk, "s3-static-keys.yaml", KUMOSS_S3_ACCESS_KEY="access", KUMOSS_S3_SECRET_KEY="secret")
    assert config.context().storage.provider is StorageProvider.S3
    assert config.context().credentials.secret_key == Secret("secret")
    assert config.warnings == ()


def test_s3_without_static_keys_leaves_signing_to_the_sdk(desk: Desk) -> None:
    config = sample(desk, "s3-credential-chain.yaml", RUSTFS_ACCESS_KEY="", RUSTFS_SECRET_KEY="")
    assert not config.context().credentials.static_keys
    assert config.context().projects[0].scope == "123456789012"
    assert config.warnings == ()


def test_a_storage_account_is_named_by_its_endpoint(desk: Desk) -> None:
    config = sample(desk, "storage-account.yaml", STORAGE_ACCOUNT_KEY="a2V5")
    assert config.context().storage.account_name == "acmekumoss"
    assert config.warnings == ()


def test_repository_declared_is_managed_state_off(desk: Desk) -> None:
    context = sample(desk, "repository-declared.yaml").context()
    assert ownership(context.storage, context.backend_config).model == "repository"


def test_sidecar_supplied_names_the_file_and_the_file_has_no_key(desk: Desk) -> None:
    context = sample(desk, "sidecar-supplied/kumoss-console.yaml").context()
    assert ownership(context.storage, context.backend_config).model == "sidecar"
    backend = hcl2.load(io.StringIO((SAMPLES / "sidecar-supplied/backend.hcl").read_text()))
    assert "bucket" in backend
    assert "key" not in backend


def test_several_contexts_have_a_default_a_guarded_one_and_one_of_this_machine(desk: Desk) -> None:
    config = sample(desk, "several-contexts/kumoss-console.yaml")
    assert (config.default, [context.name for context in config.contexts]) == ("staging", ["staging", "production", "here"])
    production = config.context("production")
    assert production.read_only
    assert production.storage.provider is StorageProvider.STORAGE_ACCOUNT
    assert len(production.projects) == 2
    assert config.context("here").core_file is None
