"""Files that are no configuration, or one made to hurt: an error, at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kumoss_console.config import load
from kumoss_console.errors import ConfigError
from tests.config.conftest import Desk


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < 10, "an operator would wait for this"


def refused(desk: Desk, path: Path) -> ConfigError:
    with pytest.raises(ConfigError) as raised:
        load(config=path, environ={"HOME": str(desk.home)}, cwd=desk.folder)
    return raised.value


def test_a_pipe_is_refused_without_waiting_for_a_writer(desk: Desk) -> None:
    path = desk.folder / "pipe"
    os.mkfifo(path)
    assert "is not a regular file" in refused(desk, path).title


def test_a_device_is_refused(desk: Desk) -> None:
    assert "is not a regular file" in refused(desk, Path("/dev/zero")).title


def test_a_huge_file_is_refused_unread(desk: Desk) -> None:
    path = desk.folder / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 33)
    assert "larger than 4 MiB" in refused(desk, path).title


def test_a_binary_file_is_refused(desk: Desk) -> None:
    path = desk.folder / "binary"
    path.write_bytes(b"\x7fELF\0\0")
    assert "is binary" in refused(desk, path).title


def test_a_file_in_another_encoding_is_refused_at_the_line(desk: Desk) -> None:
    path = desk.folder / "latin.yaml"
    path.write_bytes(b"storage:\n  region: caf\xe9\n")
    error = refused(desk, path)
    assert "is not UTF-8 text" in error.title
    assert error.line == 2


def test_a_byte_order_mark_is_no_fault(desk: Desk) -> None:
    path = desk.folder / "bom.yaml"
    path.write_bytes(b"\xef\xbb\xbfstorage: {region: x}\n")
    assert load(config=path, environ={"HOME": "/"}, cwd=desk.folder).context().storage.region == "x"


def test_a_path_that_is_none_is_refused(desk: Desk) -> None:
    for path in (Path("a\0b"), Path("x" * 5000), Path("loop")):
        if path.name == "loop":
            (desk.folder / path).symlink_to("loop")
        assert refused(desk, path).code == "config.unreadable"


def test_a_context_file_with_a_nul_is_refused(desk: Desk) -> None:
    assert desk.fault('console: {contexts: [{name: a, config: "a\\0b"}]}').key == "console.contexts[0].config"


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 50_000, "- " * 100_000, "? " * 100_000, "!a" * 100_000, "&a " * 50_000])
def test_deep_nesting_is_refused(desk: Desk, text: str) -> None:
    assert desk.fault(text).code in {"config.syntax", "config.invalid"}


def test_aliases_that_multiply_cost_no_more_than_their_bytes(desk: Desk) -> None:
    levels = "\n".join(f"x{level}: &x{level} [{', '.join([f'*x{level - 1}'] * 9)}]" for level in range(1, 40))
    text = f"x0: &x0 [lol]\n{levels}\nstorage: {{region: here}}\nconsole: {{contexts: *x39}}\n"
    assert desk.fault(text).key == "console.contexts[0]"


def test_merge_keys_that_multiply_are_refused(desk: Desk) -> None:
    levels = "\n".join(f"x{level}: &x{level} {{<<: [*x{level - 1}, *x{level - 1}]}}" for level in range(1, 60))
    fault = desk.fault(f"x0: &x0 {{region: a}}\n{levels}\nstorage: *x59\n")
    assert fault.key == "storage"
    assert "merge keys" in fault.title


def test_a_mapping_that_merges_itself_is_refused(desk: Desk) -> None:
    assert "merge keys" in desk.fault("storage: &a {<<: *a}").title


def test_a_list_that_holds_itself_is_no_trap(desk: Desk) -> None:
    assert desk.fault("console: {contexts: &a [*a]}").key == "console.contexts[0]"


def test_a_merge_of_no_mapping_is_refused(desk: Desk) -> None:
    assert "merge keys" in desk.fault("storage: {<<: text}").title
