from __future__ import annotations

import os
from pathlib import Path

import pytest

from kumoss_console.config import load
from kumoss_console.errors import ConfigError, InputError
from tests.config.conftest import TOKEN, Desk


def console(name: str) -> str:
    return f"console: {{contexts: [{{name: {name}}}]}}\n"


def test_without_any_file_there_is_one_context_with_the_cores_defaults(desk: Desk) -> None:
    config = desk.load()
    assert [context.name for context in config.contexts] == ["default"]
    context = config.context()
    assert context.iac.endpoint == "http://iac:8082"
    assert context.storage.terraform_state_bucket == "kumoss-terraform-state"
    assert context.core_file is None
    assert config.warnings == ()
    assert [(Path(file.path).name, file.exists) for file in config.files] == [
        ("kumoss-console.yaml", False),
        ("config.yaml", False),
        ("config.yaml", False),
    ]


def test_the_places_of_the_console_file_are_tried_in_order(desk: Desk) -> None:
    xdg = desk.write(console("xdg"), "xdg/kumoss-console/config.yaml")
    environ = {"XDG_CONFIG_HOME": str(desk.folder / "xdg")}
    assert desk.load(None, environ).default == "xdg"
    desk.write(console("local"), "kumoss-console.yaml")
    assert desk.load(None, environ).default == "local"
    variable = desk.write(console("variable"), "variable.yaml")
    environ["KUMOSS_CONSOLE_CONFIG"] = str(variable)
    assert desk.load(None, environ).default == "variable"
    assert desk.load(console("option"), environ).default == "option"
    assert xdg.exists()


def test_each_file_says_who_named_it(desk: Desk) -> None:
    desk.write("storage: {}", "core.yaml")
    config = desk.load(console("prod"), {**TOKEN, "KUMOSS_CONFIG": "core.yaml"})
    assert [(file.role, file.found_by, file.exists) for file in config.files] == [
        ("console", "--config", True),
        ("core", "KUMOSS_CONFIG", True),
    ]


def test_the_config_folder_is_under_home_where_xdg_is_silent_or_relative(desk: Desk) -> None:
    folder = desk.home / ".config/kumoss-console"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(console("home"))
    assert desk.load().default == "home"
    assert desk.load(None, {"XDG_CONFIG_HOME": "relative"}).default == "home"


def test_a_missing_file_of_the_option_is_an_error(desk: Desk) -> None:
    with pytest.raises(ConfigError) as raised:
        load(config=Path("nope.yaml"), environ={"HOME": str(desk.home)}, cwd=desk.folder)
    assert "nope.yaml: does not exist, and --config names it" in raised.value.title
    assert raised.value.code == "config.missing"
    assert raised.value.hint


def test_a_missing_file_of_the_variable_is_an_error_that_names_the_variable(desk: Desk) -> None:
    fault = desk.fault(None, {"KUMOSS_CONSOLE_CONFIG": "/no/such/file.yaml"})
    assert "KUMOSS_CONSOLE_CONFIG names it" in fault.title


def test_a_blank_variable_names_nothing(desk: Desk) -> None:
    assert desk.load(None, {"KUMOSS_CONSOLE_CONFIG": " ", "KUMOSS_CONFIG": ""}).default == "default"


def test_a_tilde_in_the_variable_is_the_home_directory(desk: Desk) -> None:
    (desk.home / "mine.yaml").write_text(console("mine"))
    assert desk.load(None, {"KUMOSS_CONSOLE_CONFIG": "~/mine.yaml"}).default == "mine"


def test_a_folder_in_place_of_the_console_file_is_an_error(desk: Desk) -> None:
    (desk.folder / "kumoss-console.yaml").mkdir()
    assert "is a folder" in desk.fault().title


def test_a_link_into_nothing_is_an_error_and_never_the_next_place(desk: Desk) -> None:
    (desk.folder / "kumoss-console.yaml").symlink_to("gone.yaml")
    assert "kumoss-console.yaml: cannot be read" in desk.fault().title


def test_the_variable_names_the_cores_file(desk: Desk) -> None:
    core = desk.write("storage: {terraform_state_bucket: of-the-core}", "core.yaml")
    context = desk.context(None, {"KUMOSS_CONFIG": str(core)})
    assert context.storage.terraform_state_bucket == "of-the-core"
    assert context.core_file == str(core)


def test_a_wrong_path_to_the_cores_file_gives_the_defaults_and_a_warning(desk: Desk) -> None:
    config = desk.load(None, {**TOKEN, "KUMOSS_CONFIG": "/wrong/config.yaml"})
    assert config.context().core_file is None
    (warning,) = config.warnings
    assert "KUMOSS_CONFIG names /wrong/config.yaml, which does not exist" in warning


def test_a_folder_in_place_of_the_cores_file_gives_the_defaults_and_a_warning(desk: Desk) -> None:
    (warning,) = desk.load(None, {**TOKEN, "KUMOSS_CONFIG": str(desk.folder)}).warnings
    assert "which is no file" in warning


def test_the_cores_variable_does_not_reach_a_context_with_settings_of_its_own(desk: Desk) -> None:
    core = desk.write("storage: {terraform_state_bucket: of-the-core}", "core.yaml")
    text = "console: {contexts: [{name: a, storage: {terraform_state_bucket: inline}}, {name: b}]}"
    config = desk.load(text, {"KUMOSS_CONFIG": str(core)})
    assert [context.storage.terraform_state_bucket for context in config.contexts] == ["inline", "of-the-core"]


def test_a_context_file_is_relative_to_the_file_that_names_it(desk: Desk) -> None:
    desk.write("storage: {region: eu-west-1}", "conf/core/config.yaml")
    path = desk.write("console: {contexts: [{name: a, config: core/config.yaml}]}", "conf/console.yaml")
    context = load(config=Path("conf/console.yaml"), environ={"HOME": "/"}, cwd=desk.folder).context()
    assert context.storage.region == "eu-west-1"
    assert context.core_file == str(path.parent / "core/config.yaml")


def test_a_context_file_that_is_missing_is_an_error_at_its_line(desk: Desk) -> None:
    fault = desk.fault("console:\n  contexts:\n    - name: a\n      config: nope.yaml\n")
    assert (fault.line, fault.key) == (4, "console.contexts[0].config")
    assert "nope.yaml does not exist" in fault.hint


def test_a_core_file_with_a_console_section_serves_its_own_contexts(desk: Desk) -> None:
    text = "storage: {region: eu-west-1}\nconsole: {contexts: [{name: a}]}\n"
    context = desk.context(text)
    assert context.name == "a"
    assert context.storage.region == "eu-west-1"
    assert context.core_file == str(desk.folder / "config.yaml")


def test_the_cores_variable_beside_a_core_file_with_a_section_is_not_read_and_this_is_said(desk: Desk) -> None:
    desk.write("storage: {region: other}", "core.yaml")
    text = "storage: {region: eu-west-1}\nconsole: {contexts: [{name: a}]}\n"
    config = desk.load(text, {**TOKEN, "KUMOSS_CONFIG": "core.yaml"})
    assert config.context().storage.region == "eu-west-1"
    (warning,) = config.warnings
    assert "KUMOSS_CONFIG names core.yaml, which is not read" in warning


def test_a_plain_core_file_is_recognised_and_becomes_the_default_context(desk: Desk) -> None:
    config = desk.load("llm: {model: x}\nstorage: {region: eu-west-1}\n")
    assert config.default == "default"
    assert config.context().storage.region == "eu-west-1"
    assert [file.role for file in config.files] == ["core"]


def test_an_empty_file_sets_nothing_and_says_so(desk: Desk) -> None:
    config = desk.load("# storage: {}\n")
    assert config.default == "default"
    assert "sets nothing" in config.warnings[0]


def test_keys_of_the_console_at_the_top_level_are_an_error_that_shows_where_they_belong(desk: Desk) -> None:
    fault = desk.fault("contexts: []\nrefresh_interval: 3\n")
    assert fault.key == "contexts"
    assert "begin the file with console:" in fault.hint


def test_a_file_of_neither_kind_is_an_error_that_names_its_keys(desk: Desk) -> None:
    fault = desk.fault("services_: 1\nfoo: 2\n")
    assert "its keys are services_, foo" in fault.title
    assert "console:" in fault.detail


def test_a_misspelt_console_key_is_recognised(desk: Desk) -> None:
    assert "did you mean console" in desk.fault("consoel: {contexts: []}").hint
    assert any("did you mean console?" in warning for warning in desk.load("consol: {}\nstorage: {}\n").warnings)


def test_a_local_file_that_others_can_write_is_pointed_out(desk: Desk) -> None:
    path = desk.write(console("local"), "kumoss-console.yaml")
    assert desk.load().warnings == ()
    os.chmod(path, 0o666)  # noqa: S103 - that is the point
    assert "can be written by others" in desk.load().warnings[0]


def test_an_unknown_context_names_the_nearest(desk: Desk) -> None:
    config = desk.load("console: {contexts: [{name: production}, {name: staging}]}")
    assert config.context("staging").name == "staging"
    with pytest.raises(InputError) as raised:
        config.context("prodution")
    assert raised.value.hint == "did you mean production?"
    assert raised.value.detail == "contexts: production, staging"


def test_an_unreadable_core_file_is_an_error_and_never_the_defaults(desk: Desk) -> None:
    core = desk.write("storage: {}", "core.yaml")
    core.chmod(0)
    if os.access(core, os.R_OK):
        pytest.skip("this user can read everything")
    assert "cannot be read" in desk.fault(None, {"KUMOSS_CONFIG": str(core)}).title
