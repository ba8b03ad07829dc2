"""What an operator reads when a file is wrong."""

from __future__ import annotations

import pytest
import yaml

from kumoss_console.errors import ExitCode
from tests.config.conftest import Desk
from tests.hostile import HOSTILE


def test_an_error_names_file_line_key_found_and_accepted(desk: Desk) -> None:
    fault = desk.fault("# comment\nstorage:\n  provider: MINIO\n")
    path = str(desk.folder / "config.yaml")
    assert (fault.file, fault.line, fault.key) == (path, 3, "storage.provider")
    assert fault.title == f'{path}:3: storage.provider: found "MINIO"'
    assert fault.detail == "accepted: RUSTFS, S3, STORAGE_ACCOUNT, rustfs, s3, storage_account"
    assert fault.exit_code is ExitCode.INPUT


def test_all_faults_are_told_at_once_the_first_in_file_order_as_the_title(desk: Desk) -> None:
    fault = desk.fault("""
        paths: {session_plan_filename: a/b}
        storage: {provider: X, terraform_state_bucket: }
        services: {iac: {timeout: 0}}
        """)
    assert fault.key == "paths.session_plan_filename"
    assert [line.split(": ")[1] for line in fault.detail.splitlines()[2:]] == [
        "storage.provider",
        "storage.terraform_state_bucket",
        "services.iac.timeout",
    ]


def test_faults_of_several_files_come_file_by_file(desk: Desk) -> None:
    desk.write("storage: {provider: X}", "core.yaml")
    fault = desk.fault("console:\n  contexts:\n    - {name: a, config: core.yaml}\n    - {name: b, color: red}\n")
    assert fault.file is not None
    assert fault.file.endswith("config.yaml")
    assert "core.yaml:1: storage.provider" in fault.detail


def test_a_flood_of_faults_is_counted_not_listed(desk: Desk) -> None:
    keys = "\n".join(f"  unknown_{number}: 1" for number in range(100))
    fault = desk.fault(f"console:\n{keys}\n")
    assert len(fault.detail.splitlines()) == 23
    assert "and 79 more" in fault.detail


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers an installation may have."""
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    elif not hasattr(yaml, "CSafeLoader"):
        pytest.skip("this PyYAML was built without libyaml")


@pytest.mark.usefixtures("parser")
def test_broken_yaml_names_file_and_line(desk: Desk) -> None:
    fault = desk.fault("storage:\n  provider: S3\n region: x\n")
    assert fault.line == 3
    assert fault.code == "config.syntax"
    assert "is not valid YAML" in fault.title


@pytest.mark.usefixtures("parser")
def test_a_tab_a_second_document_and_an_unknown_alias_are_syntax(desk: Desk) -> None:
    for text in ("storage:\n\tprovider: S3\n", "storage: {}\n---\nstorage: {}\n", "storage: *nobody\n", "storage: {\n"):
        assert desk.fault(text).code == "config.syntax"


@pytest.mark.usefixtures("parser")
def test_a_control_character_is_told_with_its_line(desk: Desk) -> None:
    fault = desk.fault("# ééééé\nstorage:\n  region: '\x07'\n\n\n")
    assert "control character" in fault.title
    assert fault.line == 3


@pytest.mark.usefixtures("parser")
def test_the_line_of_an_empty_value_is_that_of_its_key(desk: Desk) -> None:
    assert desk.fault("storage:\n  region:\n\n\n  # comment\nllm: {}\n").line == 2


def test_hostile_values_are_shown_and_never_obeyed(desk: Desk) -> None:
    for value in HOSTILE:
        quoted = "".join(f"\\U{ord(char):08X}" for char in value)
        fault = desk.fault(f'console: {{default_context: "{quoted}", "{quoted}": 1, contexts: [{{name: "{quoted}"}}]}}')
        assert str(fault).replace("\n", "").isprintable() or "👩" in str(fault)
        assert max(map(len, str(fault).splitlines())) < 600


@pytest.mark.usefixtures("parser")
def test_a_value_with_a_surrogate_is_refused(desk: Desk) -> None:
    assert desk.fault('storage: {region: "\\uD800"}').code in {"config.syntax", "config.invalid"}
