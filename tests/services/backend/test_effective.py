"""The backend of a folder with its surroundings: who owns the state, what was bound, and what an operator should know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import InputError, Refused
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import StorageSettings
from kumoss_console.services.backend.effective import WorkspaceBackend, WorkspaceBackendService
from kumoss_console.services.backend.shape import backend_data
from kumoss_console.workspace import read_workspace
from tests.model.backends import local, s3

_OFF = StorageSettings(terraform_state_bucket="")
_LOCKED = "use_lockfile = true"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "ws"
    path.mkdir()
    return path


def _service(
    storage: StorageSettings = _OFF, *, sidecar: str | None = "", environ: Mapping[str, str] | None = None
) -> WorkspaceBackendService:
    context = Context(name="test", storage=storage, backend_config=sidecar)
    return WorkspaceBackendService(context, read_workspace, environ or {}, run_blocking)


async def _inspect(folder: Path, files: Mapping[str, str], service: WorkspaceBackendService | None = None) -> WorkspaceBackend:
    for name, text in files.items():
        (folder / name).write_text(text)
    return await (service or _service()).inspect(folder)


def _codes(found: WorkspaceBackend, *least: Severity) -> set[str]:
    return {finding.code for finding in found.findings if finding.severity in (least or tuple(Severity))}


async def test_the_sidecars_file_is_taken_as_the_context_states_it_relative_to_the_workspace(folder: Path) -> None:
    (folder / "env.hcl").write_text('key = "from-the-sidecar"\n')
    found = await _inspect(folder, {"main.tf": s3(_LOCKED)}, _service(sidecar="  env.hcl \n"))

    assert found.options == ("env.hcl",)
    assert found.effective.bound is not None
    assert {attribute.name: attribute.value for attribute in found.effective.bound.attributes}["key"] == "from-the-sidecar"
    assert found.ownership.model == "sidecar"


@pytest.mark.parametrize("stated", ["", "  \n", None])
async def test_a_blank_setting_is_none_at_all(folder: Path, stated: str | None) -> None:
    found = await _inspect(folder, {"main.tf": s3(_LOCKED)}, _service(sidecar=stated))
    assert found.options == ()
    assert found.ownership.model == "repository"
    assert _codes(found, Severity.ERROR, Severity.WARNING) == set()


async def test_options_that_were_typed_take_the_place_of_the_stated_ones(folder: Path) -> None:
    (folder / "main.tf").write_text(s3())
    service = _service(sidecar="absent.hcl")

    assert (await service.inspect(folder)).effective.bound is None
    assert (await service.inspect(folder, options=())).effective.bound is not None


async def test_the_engine_is_the_named_one_else_iac_binarys_else_the_sidecars_default(folder: Path) -> None:
    (folder / "main.tf").write_text(local('"a"'))
    for environ, named, name in (
        ({}, None, "tofu"),
        ({"IAC_BINARY": "/usr/local/bin/terraform"}, None, "terraform"),
        ({"IAC_BINARY": "/opt/wrapper.sh"}, None, "tofu"),
        ({"IAC_BINARY": "terraform"}, "tofu@1.7", "tofu"),
    ):
        found = await _service(environ=environ).inspect(folder, engine=named)
        assert found.engine.name == name


async def test_mixed_ownership_is_an_error_where_it_is_stated_and_a_warning_where_it_was_typed(folder: Path) -> None:
    (folder / "f.hcl").write_text("")
    (folder / "main.tf").write_text(s3(_LOCKED))
    stated = await _service(StorageSettings(), sidecar="f.hcl").inspect(folder)
    typed = await _service(StorageSettings()).inspect(folder, options=["f.hcl"])

    assert "backend.mixed_ownership" in _codes(stated, Severity.ERROR)
    assert "backend.mixed_ownership" in _codes(typed, Severity.WARNING)


async def test_no_block_loses_the_state_silently_with_a_file_and_openly_without(folder: Path) -> None:
    (folder / "f.hcl").write_text("")
    (folder / "main.tf").write_text("")

    silent = await _service(sidecar="f.hcl").inspect(folder)
    openly = await _service().inspect(folder)
    managed = await _service(StorageSettings()).inspect(folder)

    assert "backend.silent_local" in _codes(silent, Severity.ERROR)
    assert "backend.none" in _codes(openly, Severity.ERROR)
    assert {"backend.none", "backend.override_not_written"} <= _codes(managed, Severity.INFO)


async def test_an_override_that_sorts_after_the_cores_is_an_error(folder: Path) -> None:
    files = {"main.tf": s3(), "backend_override.tf": s3(_LOCKED), "zz_override.tf": s3(_LOCKED)}
    found = await _inspect(folder, files, _service(StorageSettings()))

    assert "backend.core_override_beaten" in _codes(found, Severity.ERROR)
    assert "backend.override_not_written" not in _codes(found)


async def test_layers_of_two_types_and_erased_values_are_told(folder: Path) -> None:
    found = await _inspect(folder, {"main.tf": local('"a"'), "override.tf": s3(_LOCKED)})
    assert {"backend.type_differs", "backend.erased"} <= _codes(found, Severity.WARNING)


async def test_hidden_files_that_hold_a_backend_are_told(folder: Path) -> None:
    files = {"a.tf": local('"a"'), "a.tofu": local('"b"'), "b.tf": "", "b.tofu": ""}
    found = await _inspect(folder, files)
    assert [finding.subject for finding in found.findings if finding.code == "backend.hidden_file"] == ["a.tf", "b.tf"]
    assert [one.subject for one in found.findings if one.severity is Severity.WARNING and "hidden" in one.code] == ["a.tf"]


async def test_a_key_in_a_file_that_all_workspaces_share_is_told(folder: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared.hcl"
    shared.write_text('key = "one-for-all"\n')
    found = await _inspect(folder, {"main.tf": s3(_LOCKED)}, _service(sidecar=str(shared)))
    assert "backend.key_in_shared_file" in _codes(found, Severity.WARNING)


async def test_credentials_in_files_are_told_but_not_those_of_the_cores_own_override(folder: Path) -> None:
    keys = ('access_key = "a"', 'secret_key = "s3cret"', _LOCKED)
    committed = await _inspect(folder, {"main.tf": s3(*keys)})
    (folder / "main.tf").unlink()
    managed = await _inspect(folder, {"backend_override.tf": s3(*keys)}, _service(StorageSettings()))

    assert "backend.credentials_in_files" in _codes(committed, Severity.WARNING)
    assert "backend.credentials_in_files" not in _codes(managed)
    assert "s3cret" not in repr(committed) + repr(managed)


async def test_what_the_engine_drops_silently_is_told_by_line(folder: Path) -> None:
    (folder / "main.tf").write_text(s3(_LOCKED, "nonsense = 1"))
    found = await _service().inspect(folder, options=["key=k"])
    assert [finding.subject for finding in found.findings if finding.code == "backend.dropped_silently"] == ["main.tf:7"]


async def test_what_is_bound_and_no_longer_written_is_told(folder: Path) -> None:
    pointer = folder / ".terraform" / "terraform.tfstate"
    pointer.parent.mkdir()
    pointer.write_text(json.dumps({"version": 3, "backend": {"type": "local", "config": {"path": "old"}}}))

    differs = await _inspect(folder, {"main.tf": local('"new"')})
    stale = await _inspect(folder, {"main.tf": ""})
    pointer.write_text("{")
    damaged = await _service().inspect(folder)

    assert [item.name for item in differs.differences] == ["path"]
    assert "backend.bound_differs" in _codes(differs)
    assert "backend.bound_stale" in _codes(stale)
    assert "backend.bound_unreadable" in _codes(damaged)


async def test_smaller_doubts_each_have_a_remedy_or_explain_themselves(folder: Path) -> None:
    files = {
        "main.tf": s3("profile = timestamp()", 'acl = "x "', "force_path_style = true"),
        "terragrunt.hcl": "",
    }
    found = await _inspect(folder, files)
    assert {
        "backend.unresolved",
        "backend.invisible_characters",
        "backend.no_lock",
        "backend.terragrunt",
        "engine.deprecated_parameter",
    } <= _codes(found)
    assert all(finding.message and finding.subject for finding in found.findings)


async def test_azure_without_a_subscription_looks_in_the_jobs_scope(folder: Path) -> None:
    block = (
        'terraform {\n  backend "azurerm" {\n    storage_account_name = "a"\n    container_name = "c"\n    key = "k"\n%s  }\n}\n'
    )
    without = await _inspect(folder, {"main.tf": block % ""})
    with_one = await _inspect(folder, {"main.tf": block % '    subscription_id = "s"\n'})
    assert "backend.azure_subscription" in _codes(without, Severity.WARNING)
    assert "backend.azure_subscription" not in _codes(with_one)


async def test_a_missing_folder_an_unknown_engine_and_no_entry(folder: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        await _service().inspect(folder / "absent")
    with pytest.raises(InputError, match="No engine is called"):
        await _service().inspect(folder, engine="x")
    with pytest.raises(Refused):
        await _service().inspect(Path("\0"))


async def test_an_absolute_path_of_the_sidecars_that_is_not_here_leaves_the_rest_known_and_says_so(folder: Path) -> None:
    (folder / "main.tf").write_text(s3(_LOCKED))
    stated = await _service(sidecar="/etc/kumoss/backend.hcl").inspect(folder)
    typed = await _service().inspect(folder, options=["/etc/kumoss/backend.hcl"])

    assert stated.effective.bound is not None
    assert stated.effective.incomplete
    assert "reader.file_not_seen_from_here" in _codes(stated, Severity.WARNING)
    assert typed.effective.bound is None
    assert "engine.failed_to_read_file" in _codes(typed, Severity.ERROR)


async def test_a_file_that_the_sidecars_user_may_not_read_is_told(folder: Path) -> None:
    (folder / "main.tf").write_text(s3(_LOCKED))
    for mode, told in ((0o600, True), (0o644, False)):
        (folder / "f.hcl").write_text("")
        (folder / "f.hcl").chmod(mode)
        found = await _service(sidecar="f.hcl").inspect(folder)
        assert ("backend.file_not_readable" in _codes(found)) == told


async def test_a_version_that_the_module_does_not_allow_is_an_error_once_the_version_is_named(folder: Path) -> None:
    (folder / "main.tf").write_text('terraform {\n  required_version = "~> 1.5.0"\n}\n' + local('"a"'))
    named = await _service().inspect(folder, engine="terraform@1.11.4")
    assumed = await _service().inspect(folder, engine="terraform")
    fits = await _service().inspect(folder, engine="terraform@1.5.7")

    assert (named.effective.bound, named.effective.kept is None) == (None, False)
    assert "engine.unsupported_terraform_core_version" in _codes(named, Severity.ERROR)
    assert "engine.unsupported_terraform_core_version" in _codes(assumed, Severity.WARNING)
    assert fits.findings == ()


async def test_a_tofu_file_that_hides_one_without_a_backend_is_told_all_the_same(folder: Path) -> None:
    (folder / "main.tf").write_text("")
    (folder / "main.tofu").write_text("")
    found = await _service().inspect(folder, engine="tofu")
    assert "backend.hidden_file" in _codes(found, Severity.INFO)


async def test_the_external_id_of_a_role_is_masked(folder: Path) -> None:
    block = 'terraform {\n  backend "s3" {\n    bucket = "b"\n    key = "k"\n    region = "r"\n    assume_role = {\n'
    (folder / "main.tf").write_text(
        block + '      role_arn = "arn:aws:iam::1:role/x"\n      external_id = "0nly-w3-know"\n    }\n  }\n}\n'
    )
    found = await _service().inspect(folder, engine="terraform")
    assert found.effective.written is not None or found.effective.bound is not None
    assert "0nly-w3-know" not in repr(found)
    assert "0nly-w3-know" not in repr(backend_data(found, reveal=False))
