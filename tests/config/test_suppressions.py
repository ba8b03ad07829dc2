from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from kumoss_console.config.suppressions import load_suppressions, suppressions_file
from kumoss_console.errors import ConfigError
from kumoss_console.model.contract import CloudProvider

GOOD = """\
suppressions:
  - pattern: "arn:aws:logs:*"
    reason: log groups that services make
    author: ops@acme
    expires: 2027-01-31
  - pattern: "*/resourceGroups/legacy/*"
    reason: goes with the move
    author: ann
    provider: azure
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "suppressions.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_is_read_with_the_place_of_each(tmp_path: Path) -> None:
    file = written(tmp_path, GOOD)
    first, second = load_suppressions({}, file)
    assert (first.pattern, first.author, first.expires) == ("arn:aws:logs:*", "ops@acme", date(2027, 1, 31))
    assert (second.provider, second.expires, second.place) == (CloudProvider.AZURE, None, f"{file}:6")


def test_the_configuration_folder_is_looked_in_where_no_file_is_named(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert load_suppressions(environ) == ()
    suppressions_file(environ).parent.mkdir()
    written(suppressions_file(environ).parent, GOOD)
    assert len(load_suppressions(environ)) == 2


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_suppressions({}, tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("suppressions:\n  - pattern: x\n    reason: y\n", 2, "needs an author"),
        ("suppressions:\n  - pattern: x\n    reason: ''\n    author: a\n", 3, "reason"),
        ("suppressions:\n  - pattern: x\n    reason: y\n    author: a\n    expires: soon\n", 5, "expires"),
        ("suppressions:\n  - pattern: x\n    reason: y\n    author: a\n    expires: 2027-02-30\n", 5, "expires"),
        ("suppressions:\n  - pattern: x\n    reason: y\n    author: a\n    expires: [1]\n", 5, "expires"),
        ("suppressions:\n  - patern: x\n    reason: y\n    author: a\n", 2, "patern"),
        ("suppressions:\n  - pattern: x\n    reason: y\n    author: a\n    provider: alibaba\n", 5, "provider"),
        ("suppressions: 3\n", 1, "suppressions"),
        ("supressions: []\n", 1, "supressions"),
        ("- pattern: x\n", 1, "mapping|list"),
        ("suppressions: [\n", 2, "YAML"),
    ],
)
def test_a_malformed_file_is_refused_with_file_and_line(text: str, line: int, said: str, tmp_path: Path) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ConfigError, match=said) as refused:
        load_suppressions({}, file)
    assert (refused.value.file, refused.value.line) == (str(file), line)
