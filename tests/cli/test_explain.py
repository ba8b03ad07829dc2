"""``explain``: a text in, its meaning out, with the exit code that says whether it is bad news."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kumoss_console.config.xdg import config_dir
from tests.cli.harness import Console
from tests.hostile import HOSTILE

STALE = (
    "\x1b[31m╷\x1b[0m\n\x1b[31m│\x1b[0m \x1b[1mError: \x1b[0mSaved plan is stale\n\x1b[31m│\x1b[0m\n│ The given plan file\n╵\n"
).encode()


def test_stdin_is_explained_by_default(console: Console) -> None:
    run = console.run("explain", stdin=STALE)

    assert run.code == 1
    assert "The plan is out of date  [plan.stale]" in run.out
    assert "→  Make and review a new plan" in run.out
    assert ">  Error: Saved plan is stale" in run.out
    assert run.err == ""


def test_a_file_is_explained_relative_to_the_current_folder(console: Console, isolated: Path) -> None:
    (isolated / "error.txt").write_bytes(STALE)

    assert console.run("explain", "error.txt").out == console.run("explain", "-", stdin=STALE).out


def test_json_has_the_shape_that_scripts_read(console: Console) -> None:
    run = console.run("explain", "--json", stdin=STALE)

    assert run.code == 1
    assert list(run.data)[:3] == ["findings", "text_lines", "unknown"]
    assert (run.data["text_lines"], run.data["unknown"]) == (5, False)
    [finding] = run.data["findings"]
    assert list(finding)[:5] == ["code", "severity", "subject", "message", "remedy"]
    assert (finding["code"], finding["severity"]) == ("plan.stale", "error")
    assert finding["message"] == f"{finding['title']}: {finding['cause']}"
    assert (finding["evidence"], finding["line"]) == (["Error: Saved plan is stale"], 2)


def test_what_nobody_knows_is_unknown_and_no_bad_news(console: Console) -> None:
    plain, machine = console.run("explain", stdin=b"so be it\n"), console.run("explain", "--json", stdin=b"so be it\n")

    assert (plain.code, machine.code) == (0, 0)
    assert plain.out == "unknown: no rule knows this text\n"
    assert "Unknown does not mean harmless" in plain.err
    assert machine.data == {"findings": [], "text_lines": 1, "unknown": True, "unrecognised": []}


@pytest.mark.parametrize("summary", ["The moon is in the way", "Import to the far side of the moon"])
def test_an_error_that_nobody_knows_is_bad_news_all_the_same(console: Console, summary: str) -> None:
    run = console.run("explain", "--json", stdin=f"Error: {summary}\n\nPlease wait.\n".encode())

    assert run.code == 1
    assert (run.data["unknown"], run.data["unrecognised"]) == (True, [f"Error: {summary}"])


def test_an_error_that_a_rule_takes_for_a_warning_is_bad_news(console: Console) -> None:
    run = console.run("explain", "--json", stdin=b"Error: Unable to open CLI configuration file\n\nIt is not there.\n")

    assert (run.code, [finding["severity"] for finding in run.data["findings"]]) == (1, ["warning"])


def test_an_error_beside_a_known_one_is_listed_as_not_recognised(console: Console) -> None:
    run = console.run("explain", stdin=STALE + b"\nError: The moon is in the way\n\nPlease wait.\n")

    assert run.out.endswith("Not recognised\n\n  Error: The moon is in the way\n")


def test_a_warning_alone_is_no_bad_news(console: Console) -> None:
    text = b'Warning: Deprecated Parameter\n\nThe parameter "endpoint" is deprecated. Use parameter "endpoints.s3" instead.\n'
    run = console.run("explain", stdin=text)

    assert run.code == 0
    assert run.out.startswith("!  The backend's endpoint is deprecated  [backend.deprecated]\n")
    assert "Use endpoints.s3 instead" in run.out


@pytest.mark.parametrize(
    ("mark", "encoding"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8")]
)
def test_what_a_windows_shell_redirected_is_read(console: Console, mark: bytes, encoding: str) -> None:
    assert console.run("explain", stdin=mark + "Error: Saved plan is stale\r\n".encode(encoding)).code == 1


def test_an_empty_input_says_so(console: Console) -> None:
    run = console.run("explain")

    assert run.code == 0
    assert run.err == "There was no text to explain.\n"


def test_a_missing_file_is_an_input_error(console: Console) -> None:
    run = console.run("explain", "nope.txt", "--json")

    assert (run.code, run.error["code"]) == (2, "input.unreadable_file")


def test_a_broken_rule_of_the_operators_is_told_with_its_line(console: Console) -> None:
    folder = config_dir(os.environ) / "rules"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("family: mine\nrules:\n  - id: a.b\n    any: ['x.*y']\n    title: t\n    remedy: r\n")
    run = console.run("explain", "--json", stdin=STALE)

    assert run.code == 2
    assert f"{folder / 'mine.yaml'}:4" in run.error["title"]


def test_no_configuration_and_no_service_is_needed(console: Console) -> None:
    console.run("explain", stdin=STALE)

    assert console.built == []


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_shown_and_never_obeyed(console: Console, hostile: str) -> None:
    text = f'Error: S3 bucket "{hostile}" does not exist\nError: {hostile}\n'.encode()
    run, machine = console.run("explain", stdin=text), console.run("explain", "--json", stdin=text)

    assert not set(run.out) & {"\x1b", "\x9b", "\u202e", "\x00", "\r"}
    assert json.loads(machine.out)["ok"]
