"""The second reading: a parser that is not ours reads what the console writes, and finds the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kumoss_console.errors import InputError
from kumoss_console.hcl import LARGEST, second_reading
from kumoss_console.model.backend import Entry, Snapshot, effective_backend, parse_engine
from tests.model.backends import plain

FIXTURES = Path(__file__).parent / "model" / "fixtures"


@pytest.mark.parametrize("file", sorted(FIXTURES.glob("override_*.tf")), ids=lambda file: file.stem)
def test_overrides_come_back_the_same_from_both_readers(file: Path) -> None:
    raw = file.read_bytes()
    ours = effective_backend(
        Snapshot(folder="ws", entries=(Entry(name=file.name, raw=raw),)), parse_engine("tofu"), environ={"AWS_REGION": "x"}
    )
    theirs = second_reading(raw.decode())

    assert ours.written is not None
    assert theirs.type == ours.written.type
    assert dict(theirs.values) == {attribute.name: plain(attribute.value) for attribute in ours.written.attributes}
    assert theirs.unread == ()


def test_expressions_are_said_to_be_unread_not_given_as_values() -> None:
    reading = second_reading(
        'terraform {\n  backend "s3" {\n    bucket = var.b\n    key = "a-${1 + 1}"\n    region = "r"\n'
        '    endpoints = {\n      s3 = "http://${var.h}"\n    }\n  }\n}'
    )

    assert dict(reading.values) == {"region": "r"}
    assert reading.unread == ("bucket", "key", "endpoints")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('terraform {\n  backend "s3" {\n    key = "a"b"\n  }\n}\n', "hcl.invalid"),
        ("terraform {\n", "hcl.invalid"),
        ("x = " + "[" * 3000, "hcl.invalid"),
        ("terraform {}\n", "hcl.no_backend"),
        ('terraform {\n  backend "a" {}\n  backend "b" {}\n}\n', "hcl.no_backend"),
        ("", "hcl.no_backend"),
        ("#" * (LARGEST + 1), "hcl.too_large"),
    ],
)
def test_what_cannot_be_proved_is_an_input_error(text: str, code: str) -> None:
    with pytest.raises(InputError) as raised:
        second_reading(text)
    assert raised.value.code == code


def test_a_syntax_error_names_its_line() -> None:
    with pytest.raises(InputError) as raised:
        second_reading('terraform {\n  backend "s3" {\n    key = "a"b"\n  }\n}\n')
    assert raised.value.detail.startswith("line 3")


def test_the_grammar_is_kept_in_the_folder_that_is_given(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from kumoss_console.hcl import second_reading; "
        "print(second_reading('terraform {\\n  backend \"local\" {}\\n}\\n', cache=Path(sys.argv[1])).type)"
    )
    cache = tmp_path / "cache" / "kumoss-console"
    done = subprocess.run([sys.executable, "-c", code, str(cache)], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.strip() == "local"
    assert list(cache.iterdir())
    assert cache.stat().st_mode & 0o077 == 0


def test_the_library_is_imported_here_only_and_only_when_it_is_used() -> None:
    package = Path(__file__).parent.parent / "kumoss_console"
    importers = [file for file in package.rglob("*.py") if "import hcl2" in file.read_text()]
    assert [file.name for file in importers] == ["hcl.py"]
    used = "kumoss_console.hcl, kumoss_console.services.backend.effective"
    code = f"import sys, {used}; print('hcl2' in sys.modules, 'lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["False", "False"]
