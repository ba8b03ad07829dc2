"""Which file is the console's, and which is the core's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kumoss_console.config.document import Unreadable
from kumoss_console.config.loaded import ConfigFile
from kumoss_console.config.report import Problem
from kumoss_console.config.xdg import config_dir, home
from kumoss_console.errors import ConfigError
from kumoss_console.text import printable

CONSOLE_VARIABLE = "KUMOSS_CONSOLE_CONFIG"
CORE_VARIABLE = "KUMOSS_CONFIG"
LOCAL_NAME = "kumoss-console.yaml"
XDG_NAME = "config.yaml"
CORE_DEFAULT = Path("/etc/kumoss/config.yaml")
CURRENT_FOLDER = "current folder"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place where a file may be. A ``demanded`` one was named by the operator and must exist."""

    path: Path
    found_by: str
    demanded: bool


def console_candidates(config: Path | None, environ: Mapping[str, str], cwd: Path) -> Iterator[Candidate]:
    """Where the console's file may be, first match wins; a demanded place ends the search."""
    if config is not None:
        yield Candidate(cwd / config, "--config", True)
        return
    if named := environ.get(CONSOLE_VARIABLE, "").strip():
        yield Candidate(cwd / expanded(named, environ), CONSOLE_VARIABLE, True)
        return
    yield Candidate(cwd / LOCAL_NAME, CURRENT_FOLDER, False)
    try:
        yield Candidate(config_dir(environ) / XDG_NAME, "XDG config folder", False)
    except ConfigError:  # a user without a home has no such folder, and so no file in it
        return


def find_console_file(
    config: Path | None, environ: Mapping[str, str], cwd: Path
) -> tuple[Candidate | None, tuple[ConfigFile, ...]]:
    """The first candidate that exists, and all that were looked at. Raises :class:`Unreadable` for a demanded, missing one."""
    looked_at: list[ConfigFile] = []
    for candidate in console_candidates(config, environ, cwd):
        there = exists(candidate.path)
        looked_at.append(listed(candidate.path, "console", candidate.found_by, there=there))
        if there:
            return candidate, tuple(looked_at)
        if candidate.demanded:
            raise Unreadable(
                Problem(
                    file=printable(str(candidate.path)),
                    line=0,
                    key="",
                    found=f"does not exist, and {candidate.found_by} names it",
                    accepted="a console file, or the core's config.yaml",
                    hint=f"mend the path in {candidate.found_by}, or leave it out to use the other places",
                    code="config.missing",
                )
            )
    return None, tuple(looked_at)


def core_candidate(environ: Mapping[str, str], cwd: Path) -> Candidate:
    """The core's file where no context names one: ``KUMOSS_CONFIG``, else the default path, as the core itself does."""
    named = environ.get(CORE_VARIABLE, "")
    return Candidate(cwd / named, CORE_VARIABLE, True) if named else Candidate(CORE_DEFAULT, "default path", False)


def expanded(path: str, environ: Mapping[str, str]) -> Path:
    """``~/`` at the beginning is the home directory; everything else stands as it is."""
    return home(environ) / path[2:] if path.startswith("~/") else Path(path)


def exists(path: Path) -> bool:
    """Whether anything is there. A link into nothing, and what cannot be looked at, is: reading it says what is wrong."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


def is_file(path: Path) -> bool:
    """Whether a regular file is there, by the core's rule: a folder in its place counts as nothing."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


def foreign_owner(path: Path) -> bool:
    """Whether somebody other than this user and root can have written the file."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    return status.st_uid not in {0, os.geteuid()} or bool(status.st_mode & stat.S_IWOTH)


def listed(path: Path, role: str, found_by: str, *, there: bool) -> ConfigFile:
    return ConfigFile(path=str(path), role="core" if role == "core" else "console", found_by=found_by, exists=there)
