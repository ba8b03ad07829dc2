"""Configuration: which files, what they say, and what the console makes of them.

    config = load(config=None, environ=os.environ, cwd=Path.cwd())
    context = config.context("prod")

Importing this package costs nothing: YAML and the domain's types are loaded when :func:`load` is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kumoss_console.config.loaded import ConfigFile, LoadedConfig

__all__ = ["ConfigFile", "LoadedConfig", "load"]


def load(*, config: Path | None = None, environ: Mapping[str, str], cwd: Path) -> LoadedConfig:
    """Find, read and check the configuration.

    The console's file is the first of: ``config`` (the ``--config`` option), ``KUMOSS_CONSOLE_CONFIG``,
    ``kumoss-console.yaml`` in ``cwd``, ``kumoss-console/config.yaml`` in the XDG config folder. The core's file is the one a
    context names, else the one ``KUMOSS_CONFIG`` names, else ``/etc/kumoss/config.yaml``.

    Raises :class:`~kumoss_console.errors.ConfigError` with every fault of every file in it, the first one as its title.
    """
    from kumoss_console.config.loading import load as read

    return read(config=config, environ=environ, cwd=cwd)


def __getattr__(name: str) -> Any:
    if name in {"ConfigFile", "LoadedConfig"}:
        from kumoss_console.config import loaded

        return getattr(loaded, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
