"""Reading a folder: nothing in it can block, loop or fill the memory, and what is not read is said."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kumoss_console.errors import InputError, Refused
from kumoss_console.model.backend import EffectiveBackend, effective_backend, parse_engine
from kumoss_console.workspace import LARGEST, read_workspace

_BLOCK = b'terraform {\n  backend "local" {\n    path = "a"\n  }\n}\n'
_PATIENCE = 2.0


def _effective(folder: Path) -> EffectiveBackend:
    return effective_backend(read_workspace(folder), parse_engine("tofu"))


def _told(effective: EffectiveBackend) -> str:
    return " ".join(f"{problem.at} {problem.summary} {problem.detail}" for problem in effective.problems)


def test_files_come_in_byte_order_with_their_bytes(tmp_path: Path) -> None:
    for name in ("b.tf", "a.tf", "Z.tf", "x.tf.json", "terraform.tfvars", "notes.md"):
        (tmp_path / name).write_bytes(name.encode())

    snapshot = read_workspace(tmp_path)

    assert [(entry.name, entry.raw) for entry in snapshot.entries] == [
        (name, name.encode()) for name in ("Z.tf", "a.tf", "b.tf", "terraform.tfvars", "x.tf.json")
    ]


def test_option_files_are_relative_to_the_folder_or_absolute(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "shared.hcl").write_bytes(b"shared")
    (tmp_path / "ws" / "own.hcl").write_bytes(b"own")

    shared = str(tmp_path / "shared.hcl")
    options = read_workspace(tmp_path / "ws", ["own.hcl", shared, "absent.hcl", "\0"]).options

    assert {name: entry.raw for name, entry in options.items()} == {
        "own.hcl": b"own",
        shared: b"shared",
        "absent.hcl": None,
        "\0": None,
    }
    assert options["absent.hcl"].error == "not found"


def test_the_selected_workspace_is_the_environments_then_the_files(tmp_path: Path) -> None:
    assert read_workspace(tmp_path).selected == "default"
    (tmp_path / ".terraform").mkdir()
    (tmp_path / ".terraform" / "environment").write_text("blue\n")
    assert read_workspace(tmp_path).selected == "blue"
    assert read_workspace(tmp_path, environ_workspace="green").selected == "green"


def test_a_folder_that_is_not_there_and_one_that_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "absent", tmp_path / "file"):
        with pytest.raises(InputError, match="is not a folder"):
            read_workspace(path)
    with pytest.raises(Refused, match="cannot be looked into"):
        read_workspace(Path("\0"))


def _fifo(folder: Path) -> None:
    os.mkfifo(folder / "x.tf")


def _socket(folder: Path) -> None:
    here = Path.cwd()
    os.chdir(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("x.tf")
    os.chdir(here)


def _device(folder: Path) -> None:
    (folder / "x.tf").symlink_to("/dev/zero")


def _loop(folder: Path) -> None:
    (folder / "x.tf").symlink_to("y.tf")
    (folder / "y.tf").symlink_to("x.tf")


def _link_to_folder(folder: Path) -> None:
    (folder / "x.tf").symlink_to(folder)


def _dangling(folder: Path) -> None:
    (folder / "x.tf").symlink_to("nowhere")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_fifo, "a FIFO: the engine would wait for it forever"),
        (_socket, "a socket"),
        (_device, "a device"),
        (_loop, "a symbolic link that leads to itself"),
        (_link_to_folder, "a folder"),
        (_dangling, "not found"),
    ],
)
def test_what_is_no_file_ends_in_a_message_at_once(tmp_path: Path, make: Callable[[Path], None], reason: str) -> None:
    (tmp_path / "main.tf").write_bytes(_BLOCK)
    make(tmp_path)

    before = time.monotonic()
    effective = _effective(tmp_path)

    assert time.monotonic() - before < _PATIENCE
    assert effective.bound is None
    assert "x.tf Failed to read file" in _told(effective)
    assert reason in _told(effective)


def test_a_folder_named_like_a_file_and_a_link_to_a_file_are_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "b.tf").write_bytes(_BLOCK)
    ws = tmp_path / "ws"
    (ws / "dir.tf").mkdir(parents=True)
    (ws / "main.tf").symlink_to("../real/b.tf")

    bound = _effective(ws).bound

    assert bound is not None
    assert bound.at is not None
    assert bound.at.file == "main.tf"


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(_BLOCK + b"# " + b"x" * 10_000_000, id="a line of 10 MB"),
        pytest.param(_BLOCK + b'x = "' + b"y" * 3_000_000 + b'"\n', id="a string of 3 MB"),
        pytest.param(_BLOCK + b"a " * 1_900_000, id="a million words"),
        pytest.param(_BLOCK + b"x {\n" * 10_000, id="10,000 blocks in each other"),
        pytest.param(_BLOCK + b"x = " + b"{a=" * 10_000 + b"1" + b"}" * 10_000 + b"\n", id="10,000 braces"),
        pytest.param(_BLOCK + b"x = " + b"[" * 10_000 + b"]" * 10_000 + b"\n", id="10,000 brackets"),
        pytest.param(_BLOCK + b"x = " + b"(" * 10_000 + b"\n", id="10,000 parentheses"),
        pytest.param(_BLOCK + b'x = "' + b'${"' * 10_000 + b"\n", id="10,000 templates"),
        pytest.param(_BLOCK + b"x = " + b"-" * 50_000 + b"1\n", id="50,000 signs"),
        pytest.param(_BLOCK + b"x = 1" + b"+1" * 40_000 + b"\n", id="40,000 terms"),
        pytest.param(_BLOCK + b"x = " + b"1 ? " * 10_000 + b"1\n", id="10,000 conditions"),
        pytest.param(_BLOCK + b"\0" * 100_000, id="NUL bytes"),
        pytest.param(_BLOCK + b"\xff\xfe\x80" * 30_000, id="not UTF-8"),
        pytest.param(_BLOCK + b"/*" * 1_000_000, id="comments without an end"),
        pytest.param(_BLOCK + b"x = <<E\n" + b"a\n" * 1_000_000, id="a heredoc without an end"),
        pytest.param(_BLOCK + b"x = 1\n" * 20_000, id="one argument 20,000 times"),
        pytest.param("terraform {}\n".encode("utf-16"), id="UTF-16"),
    ],
)
def test_hostile_text_ends_within_two_seconds(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "main.tf").write_bytes(raw)
    (tmp_path / "x.tf.json").write_bytes(b'{"terraform":' + b"[" * 10_000)

    before = time.process_time()
    effective = _effective(tmp_path)

    assert time.process_time() - before < _PATIENCE
    assert effective.problems


def test_the_backend_is_read_beside_nesting_that_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_bytes(_BLOCK + b"x = " + b"[" * 10_000 + b"]" * 10_000 + b"\n" + b'output "a" {\n}\n')

    effective = _effective(tmp_path)

    assert effective.written is not None
    assert [attribute.value for attribute in effective.written.attributes] == ["a"]
    assert effective.incomplete
    assert "Nested too deeply" in _told(effective)


@pytest.mark.parametrize(
    "expression",
    [
        "1" + "+1" * 20_000,
        "a" + "[0]" * 20_000,
        "[for a in [1,2,3,4,5,6,7,8,9,0] : " * 8 + "1" + "]" * 8,
        '"' + "${1}" * 30_000 + '"',
        "9" * 300 + "*" + "9" * 300,
        "1e999999999",
        "!" * 60 + "true",
    ],
)
def test_expressions_that_explode_are_left_to_the_engine(tmp_path: Path, expression: str) -> None:
    (tmp_path / "main.tf").write_text(f'terraform {{\n  backend "local" {{\n    path = {expression}\n  }}\n}}\n')

    before = time.process_time()
    _effective(tmp_path)

    assert time.process_time() - before < _PATIENCE


def test_a_file_that_grows_beyond_all_measure_is_named_not_read(tmp_path: Path) -> None:
    with (tmp_path / "main.tf").open("wb") as file:
        file.truncate(LARGEST + 1)

    entry = read_workspace(tmp_path).entries[0]

    assert (entry.raw, entry.error) == (None, "more than 16 MiB")


def _module(folder: Path) -> None:
    body = "".join(
        f'resource "aws_instance" "n{i}" {{\n  ami = "x"\n}}\n\n'
        f'module "m{i}" {{\n  source = "terraform-aws-modules/vpc/aws"\n}}\n'
        for i in range(20)
    )
    for index in range(2000):
        (folder / f"f{index:04}.tf").write_text(body)
    (folder / "backend.tf").write_bytes(_BLOCK)


def test_two_thousand_files_take_less_than_twice_the_time_of_reading_them(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    _module(folder)

    def plain() -> None:
        for name in sorted(os.listdir(folder)):
            (folder / name).read_bytes()

    def whole() -> None:
        assert _effective(folder).bound is not None

    def best(work: Callable[[], None]) -> float:
        times = []
        for _ in range(7):
            before = time.process_time()
            work()
            times.append(time.process_time() - before)
        return min(times)

    assert best(whole) < 2 * best(plain) + 0.02


def test_a_snapshot_shows_no_content_of_files_it_has_no_business_with(tmp_path: Path) -> None:
    (tmp_path / ".env.tf").write_text("secret")
    (tmp_path / "main.tf.bak").write_text("secret")

    snapshot = read_workspace(tmp_path)

    assert [(entry.name, entry.raw) for entry in snapshot.entries] == [(".env.tf", None), ("main.tf.bak", None)]
