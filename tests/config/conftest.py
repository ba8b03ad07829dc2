"""A configuration written as text, loaded as an operator's would be."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from kumoss_console.config import LoadedConfig, load
from kumoss_console.errors import ConfigError
from kumoss_console.model.context import Context

TOKEN = {"KUMOSS_IAC_TOKEN": "token-of-the-sidecar"}
"""Enough of an environment for a load without warnings under RUSTFS."""


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder with configuration files, and an environment with a home of its own."""

    folder: Path
    home: Path

    def write(self, text: str, name: str = "config.yaml") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def load(self, text: str | None = None, environ: Mapping[str, str] = TOKEN, *, name: str = "config.yaml") -> LoadedConfig:
        """Load ``text`` as the file ``--config`` names, or whatever is found where there is none."""
        config = None if text is None else self.write(text, name)
        return load(config=config, environ={"HOME": str(self.home), **environ}, cwd=self.folder)

    def context(self, text: str | None = None, environ: Mapping[str, str] = TOKEN) -> Context:
        return self.load(text, environ).context()

    def fault(self, text: str | None = None, environ: Mapping[str, str] = TOKEN) -> ConfigError:
        with pytest.raises(ConfigError) as raised:
            self.load(text, environ)
        return raised.value


@pytest.fixture
def desk(isolated: Path, tmp_path: Path) -> Desk:
    return Desk(isolated, tmp_path / "home")
