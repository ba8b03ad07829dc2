"""The console's own folders, by the XDG base directory rules.

A variable that is unset, blank or not an absolute path is ignored, as the specification demands; then the folder under the
home directory stands. Nothing here creates a folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kumoss_console.errors import ConfigError

APPLICATION = "kumoss-console"


def config_dir(environ: Mapping[str, str]) -> Path:
    """``$XDG_CONFIG_HOME/kumoss-console``, by default ``~/.config/kumoss-console``."""
    return _folder(environ, "XDG_CONFIG_HOME", ".config")


def state_dir(environ: Mapping[str, str]) -> Path:
    """``$XDG_STATE_HOME/kumoss-console``, by default ``~/.local/state/kumoss-console``: the journal, logs."""
    return _folder(environ, "XDG_STATE_HOME", ".local/state")


def cache_dir(environ: Mapping[str, str]) -> Path:
    """``$XDG_CACHE_HOME/kumoss-console``, by default ``~/.cache/kumoss-console``: what may be deleted at any time."""
    return _folder(environ, "XDG_CACHE_HOME", ".cache")


def home(environ: Mapping[str, str]) -> Path:
    """The home directory: ``HOME`` where it is an absolute path, else the user database.

    Raises :class:`~kumoss_console.errors.ConfigError` for a user who has neither, as in a container with a foreign uid.
    """
    named = environ.get("HOME", "")
    if named.startswith("/"):
        return Path(named)
    # A handful of runs has no HOME; only they pay for these.
    import os
    import pwd

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise ConfigError(
            "there is no home directory to keep the console's files in",
            detail=f"HOME is not set, and the user database does not know uid {os.getuid()}",
            hint="set HOME, or XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME, to folders this user may write",
            code="config.no_home",
        ) from None


def _folder(environ: Mapping[str, str], variable: str, under_home: str) -> Path:
    named = environ.get(variable, "")
    base = Path(named) if named.startswith("/") else home(environ) / under_home
    return base / APPLICATION
