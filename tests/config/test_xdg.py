from __future__ import annotations

from pathlib import Path

import pytest

from kumoss_console.config.xdg import cache_dir, config_dir, home, state_dir


def test_the_variables_name_the_folders() -> None:
    environ = {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k", "HOME": "/h"}
    assert config_dir(environ) == Path("/c/kumoss-console")
    assert state_dir(environ) == Path("/s/kumoss-console")
    assert cache_dir(environ) == Path("/k/kumoss-console")


@pytest.mark.parametrize("value", ["", "relative", "./x", "~/x"])
def test_a_variable_that_is_no_absolute_path_is_ignored(value: str) -> None:
    environ = {"XDG_CONFIG_HOME": value, "XDG_STATE_HOME": value, "XDG_CACHE_HOME": value, "HOME": "/h"}
    assert config_dir(environ) == Path("/h/.config/kumoss-console")
    assert state_dir(environ) == Path("/h/.local/state/kumoss-console")
    assert cache_dir(environ) == Path("/h/.cache/kumoss-console")


def test_without_home_the_user_database_knows_it() -> None:
    assert home({}).is_absolute()
