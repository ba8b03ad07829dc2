"""Doubts about a workspace's backend that come from outside of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumoss_console.cli.backend_view import backend_blocks
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.backend.doubts import endpoint_unreachable_finding
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.services.backend.effective import WorkspaceBackend, WorkspaceBackendService
from kumoss_console.services.backend.shape import backend_data
from kumoss_console.workspace import read_workspace
from tests.model.backends import s3


async def _inspect(
    folder: Path,
    provider: StorageProvider = StorageProvider.S3,
    *,
    stated: str | None = "",
    options: tuple[str, ...] | None = None,
) -> WorkspaceBackend:
    context = Context(name="test", storage=StorageSettings(provider=provider), backend_config=stated)
    return await WorkspaceBackendService(context, read_workspace, {}, run_blocking).inspect(folder, options=options)


def _found(found: WorkspaceBackend, code: str) -> list[Finding]:
    return [one for one in found.findings if one.code == f"backend.{code}"]


async def test_the_bundled_stores_keys_in_an_override_for_s3_are_told_and_never_shown(tmp_path: Path) -> None:
    text = s3('access_key = "rustfsadmin"', 'secret_key = "rustfsadmin"')
    (tmp_path / "backend_override.tf").write_text(text)
    found = await _inspect(tmp_path)

    subjects = [one.subject for one in _found(found, "bundled_store_keys")]
    assert subjects == ["access_key (backend_override.tf:6)", "secret_key (backend_override.tf:7)"]
    assert "rustfsadmin" not in repr(found.findings)
    assert all(one.remedy for one in _found(found, "bundled_store_keys"))


async def test_the_bundled_stores_keys_are_told_where_another_layer_beats_them(tmp_path: Path) -> None:
    (tmp_path / "backend_override.tf").write_text(s3('access_key = "rustfsadmin"'))
    (tmp_path / "zz_override.tf").write_text(s3())
    assert len(_found(await _inspect(tmp_path), "bundled_store_keys")) == 1
    (tmp_path / "zz_override.tf").unlink()
    assert len(_found(await _inspect(tmp_path, options=("access_key=x",)), "bundled_store_keys")) == 1


async def test_the_bundled_stores_keys_are_right_for_the_bundled_store(tmp_path: Path) -> None:
    (tmp_path / "backend_override.tf").write_text(s3('access_key = "rustfsadmin"'))
    assert _found(await _inspect(tmp_path, StorageProvider.RUSTFS), "bundled_store_keys") == []
    (tmp_path / "backend_override.tf").write_text(s3('access_key = "AKIA"'))
    assert _found(await _inspect(tmp_path), "bundled_store_keys") == []


@pytest.mark.parametrize(("stated", "certain"), [(None, False), ("", True)])
async def test_a_setting_of_the_sidecar_that_nobody_stated_makes_the_model_a_guess(
    tmp_path: Path, stated: str | None, certain: bool
) -> None:
    (tmp_path / "main.tf").write_text(s3())
    found = await _inspect(tmp_path, stated=stated)

    assert backend_data(found, reveal=False)["certain"] is certain
    assert ("IAC_BACKEND_CONFIG" in repr(backend_blocks(found, reveal=False)[0])) is not certain
    told = _found(found, "sidecar_setting_unknown")
    assert [(one.severity, bool(one.remedy)) for one in told] == ([] if certain else [(Severity.INFO, True)])


async def test_s3_without_keys_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(s3())
    assert [bool(one.remedy) for one in _found(await _inspect(tmp_path), "ambient_credentials")] == [True]


def test_a_store_out_of_reach_says_nothing_about_the_sidecar() -> None:
    finding = endpoint_unreachable_finding("http://object-storage:9000\x1b", "name not known")
    assert "\x1b" not in finding.subject
    assert "does not answer this console (name not known)" in finding.message
    assert finding.severity is Severity.INFO
