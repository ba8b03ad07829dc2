"""The documentation and the loader are one."""

from __future__ import annotations

from pathlib import Path

from kumoss_console.config.core_tables import IAC, PATHS, STORAGE
from kumoss_console.config.reference import SECTIONS, heading, table
from kumoss_console.model.context import IacSettings, PathSettings
from kumoss_console.model.storage import StorageSettings
from tests.config.conftest import Desk

DOCUMENT = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_reference_tables_are_those_the_loader_uses() -> None:
    document = DOCUMENT.read_text()
    for section in SECTIONS:
        expected = f"{heading(section)}\n\n{table(section)}\n"
        assert expected in document, f"docs/configuration.md should hold:\n\n{expected}"


def test_every_setting_of_the_core_has_a_row() -> None:
    for section, settings in ((STORAGE, StorageSettings), (IAC, IacSettings), (PATHS, PathSettings)):
        assert set(section.names) == set(settings.__dataclass_fields__)


def test_the_example_of_the_documentation_loads(desk: Desk) -> None:
    example = DOCUMENT.read_text().split("```yaml\n")[1].split("```")[0]
    desk.write("storage: {}", "core/config.yaml")
    config = desk.load(example)
    assert [context.name for context in config.contexts] == ["prod", "lab"]
    assert config.warnings == ()
