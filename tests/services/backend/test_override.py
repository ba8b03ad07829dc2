from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.errors import InputError, Refused
from kumoss_console.model.context import Context, PathSettings
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.services.backend.override import BackendService, OverridePreview
from kumoss_console.text import MASK, Secret

REPO = "https://github.com/acme/infra"
SCOPE = "11111111-2222-3333-4444-555555555555"
KEYS = StorageCredentials(access_key=Secret("AKIAEXAMPLE"), secret_key=Secret("s3cr3t-key"))
CONTEXT = Context(name="prod", credentials=KEYS, backend_config="")
OFF = replace(CONTEXT, storage=StorageSettings(terraform_state_bucket=""))


def preview(context: Context = CONTEXT) -> OverridePreview:
    return BackendService(context).preview(REPO, SCOPE)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "main.tf").write_text('resource "terraform_data" "probe" {}\n')
    return folder


def test_a_preview_is_what_the_core_would_write_for_the_derived_key() -> None:
    seen = preview()
    assert seen.object_key == f"{seen.key.project_id}/terraform.tfstate"
    assert seen.content is not None
    assert f'key    = "{seen.object_key}"' in seen.content.reveal()
    assert (seen.ownership.model, seen.ownership.certain) == ("managed", True)


def test_the_data_has_the_promised_shape_and_hides_the_secrets_until_asked() -> None:
    data = preview().as_data()
    assert list(data)[:5] == ["filename", "content", "model", "masked", "findings"]
    assert (data["filename"], data["model"], data["masked"]) == ("backend_override.tf", "managed", True)
    assert f'secret_key = "{MASK}"' in data["content"]
    assert "s3cr3t-key" not in json.dumps(data)
    revealed = preview().as_data(reveal=True)
    assert 'secret_key = "s3cr3t-key"' in revealed["content"]
    assert revealed["masked"] is False
    assert "s3cr3t-key" not in repr(preview())


def test_a_file_without_secrets_is_not_called_masked() -> None:
    assert preview(replace(CONTEXT, credentials=StorageCredentials())).as_data()["masked"] is False


def test_managed_state_off_shows_nothing_and_says_why() -> None:
    seen = preview(OFF)
    assert (seen.content, seen.masked, seen.ownership.model) == (None, None, "repository")
    assert "override.not_managed" in {finding.code for finding in seen.findings}
    assert seen.as_data()["content"] is None


@pytest.mark.parametrize(
    ("backend_config", "code", "severity"),
    [
        ("/etc/backend.hcl", "override.mixed_ownership", Severity.ERROR),
        (None, "override.unknown_sidecar", Severity.INFO),
    ],
)
def test_who_else_decides_is_a_finding(backend_config: str | None, code: str, severity: Severity) -> None:
    found = {finding.code: finding.severity for finding in preview(replace(CONTEXT, backend_config=backend_config)).findings}
    assert found[code] is severity


def test_a_doubt_about_the_key_is_a_doubt_about_the_override() -> None:
    seen = BackendService(CONTEXT).preview(f"{REPO}.GIT", SCOPE)
    assert "key.ambiguous_git_suffix" in {finding.code for finding in seen.findings}


def test_the_override_is_written_for_its_owner_only(workspace: Path) -> None:
    written = BackendService(CONTEXT).write(preview(), workspace)
    content = preview().content
    assert content is not None
    assert written == workspace / "backend_override.tf"
    assert written.read_bytes() == content.reveal().encode()
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert sorted(entry.name for entry in workspace.iterdir()) == ["backend_override.tf", "main.tf"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_the_override_belongs_to_the_owner_of_the_workspace(workspace: Path) -> None:
    os.chown(workspace, 10001, 10001)
    written = BackendService(CONTEXT).write(preview(), workspace).stat()
    assert (written.st_uid, written.st_gid) == (10001, 10001)


def test_a_file_that_could_not_be_given_to_the_owner_is_not_left_there(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, user: int, group: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    monkeypatch.setattr(os, "geteuid", lambda: workspace.stat().st_uid + 1)
    with pytest.raises(Refused, match="was not written") as caught:
        BackendService(CONTEXT).write(preview(), workspace)
    assert caught.value.detail == "Operation not permitted"
    assert [entry.name for entry in workspace.iterdir()] == ["main.tf"]


def test_an_override_that_is_there_is_replaced_and_a_link_is_not_followed(workspace: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (workspace / "backend_override.tf").symlink_to(elsewhere)
    written = BackendService(CONTEXT).write(preview(), workspace)
    assert not written.is_symlink()
    assert elsewhere.read_text() == "mine"


def test_a_read_only_context_writes_nothing(workspace: Path) -> None:
    with pytest.raises(Refused, match="read-only"):
        BackendService(replace(CONTEXT, read_only=True)).write(preview(), workspace)
    assert [entry.name for entry in workspace.iterdir()] == ["main.tf"]


def test_nothing_is_written_where_the_core_writes_nothing(workspace: Path) -> None:
    with pytest.raises(Refused, match="managed state is off"):
        BackendService(OFF).write(preview(OFF), workspace)


def test_a_folder_that_is_missing_or_a_file_is_refused(workspace: Path) -> None:
    for folder in (workspace / "missing", workspace / "main.tf"):
        with pytest.raises(InputError, match="is not a folder"):
            BackendService(CONTEXT).write(preview(), folder)


def test_a_folder_without_a_module_is_refused_even_with_an_override_in_it(workspace: Path) -> None:
    (workspace / "main.tf").rename(workspace / "backend_override.tf")
    (workspace / "modules.tf").mkdir()
    with pytest.raises(InputError, match=r"holds no \.tf file"):
        BackendService(CONTEXT).write(preview(), workspace)


def test_a_write_that_fails_leaves_nothing_behind(workspace: Path) -> None:
    (workspace / "backend_override.tf").mkdir()
    (workspace / "backend_override.tf" / "in the way").touch()
    with pytest.raises(Refused, match="was not written"):
        BackendService(CONTEXT).write(preview(), workspace)
    assert sorted(entry.name for entry in workspace.iterdir()) == ["backend_override.tf", "main.tf"]


def test_the_configured_file_name_is_used(workspace: Path) -> None:
    context = replace(CONTEXT, paths=PathSettings(backend_override_filename="kumoss_override.tf"))
    assert BackendService(context).write(preview(context), workspace).name == "kumoss_override.tf"
