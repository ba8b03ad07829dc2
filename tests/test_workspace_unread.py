"""What was not read is never told as a fact: the backend is unknown, and the file is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumoss_console.cli.backend_view import backend_blocks
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import StorageSettings
from kumoss_console.services.backend.effective import WorkspaceBackend, WorkspaceBackendService
from kumoss_console.services.backend.shape import backend_data
from kumoss_console.workspace import LARGEST, read_workspace
from tests.model.backends import s3

_S3 = s3("use_lockfile = true")
_LINE = b'x = "' + b"a" * 5_000_000 + b'"\n' + _S3.encode()


async def _inspect(folder: Path, options: tuple[str, ...] = ()) -> WorkspaceBackend:
    context = Context(name="test", storage=StorageSettings(terraform_state_bucket=""), backend_config="")
    return await WorkspaceBackendService(context, read_workspace, {}, run_blocking).inspect(folder, options=options)


def _unknown(found: WorkspaceBackend) -> list[str]:
    return [one.subject for one in found.findings if one.code == "backend.unknown" and one.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("main.tf", _LINE),
        ("main.tf", b"\0" * 5_000_000),
        ("main.tf", b"/*" * 2_500_000),
        ("main.tf", b"x = " + b"{a=" * 10_000),
        ("main.tf", b'x = "' + b'${"' * 10_000),
        ("main.tf", b'terraform { backend "local" { path = ' + b"!" * 1_000_000 + b" } }"),
        ("main.tf.json", b'{"a":' * 10_000),
        ("main.tf.json", b"[" * 5_000_000),
    ],
)
async def test_a_file_that_was_not_read_leaves_the_backend_unknown(tmp_path: Path, name: str, raw: bytes) -> None:
    (tmp_path / name).write_bytes(raw)
    found = await _inspect(tmp_path)

    assert _unknown(found) == [name]
    data = backend_data(found, reveal=False)
    assert (data["type"], data["attributes"], data["unread"]) == (None, [], [name])
    assert f"unknown: {name} was not read" in repr(backend_blocks(found, reveal=False)[0])
    assert not any(one.code == "backend.none" for one in found.findings)


async def test_a_file_beyond_what_is_read_at_all_is_not_said_to_be_refused_by_the_engine(tmp_path: Path) -> None:
    with (tmp_path / "main.tf").open("wb") as file:
        file.truncate(LARGEST + 1)
    found = await _inspect(tmp_path)

    assert _unknown(found) == ["main.tf"]
    assert [one.code for one in found.findings if one.code.startswith(("engine.", "reader."))] == ["reader.too_large_to_read"]


@pytest.mark.parametrize("raw", [b"\0" * 100_000, b"/*" * 50_000, b"/*" + b" " * 100_000, b"{" * 70_000])
async def test_a_file_that_is_no_configuration_is_an_error_in_a_large_module_too(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "main.tf").write_bytes(raw)
    found = await _inspect(tmp_path)

    assert found.effective.bound is None
    assert any(one.severity is Severity.ERROR and one.subject.startswith("main.tf") for one in found.findings)


async def test_an_override_stands_whatever_the_files_before_it_say(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_bytes(_LINE)
    (tmp_path / "backend_override.tf").write_text(_S3)
    found = await _inspect(tmp_path)
    assert found.effective.bound is not None
    assert _unknown(found) == []

    (tmp_path / "zz_override.tf").write_bytes(_LINE)
    assert _unknown(await _inspect(tmp_path)) == ["zz_override.tf"]


async def test_a_block_that_was_read_is_in_doubt_only_where_another_may_stand_in_what_was_not(tmp_path: Path) -> None:
    (tmp_path / "a.tf").write_text(_S3)
    (tmp_path / "b.tf").write_bytes(b'x = "' + b"a" * 5_000_000 + b'"\n')
    assert _unknown(await _inspect(tmp_path)) == []

    (tmp_path / "b.tf").write_bytes(_LINE)
    found = await _inspect(tmp_path)
    assert _unknown(found) == ["b.tf"]
    assert found.effective.written is not None


async def test_a_file_of_options_that_was_not_read_leaves_the_values_unknown(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(_S3)
    (tmp_path / "big.hcl").write_bytes(b'key = "' + b"a" * 5_000_000 + b'"\n')
    assert _unknown(await _inspect(tmp_path, ("big.hcl",))) == ["big.hcl"]
