"""What people and commands said inside of an error is shown and never searched. The texts are Terraform 1.11.4's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumoss_console.config.rulebook import load_rules
from kumoss_console.model.diagnosis import Diagnosis, diagnose

TEXTS = json.loads((Path(__file__).parent / "fixtures" / "authored_texts.json").read_text())
RULES = load_rules({"HOME": "/nonexistent"})


def explained(text: str) -> Diagnosis:
    return diagnose("", text, rules=RULES)


def codes(text: str) -> list[str]:
    return list(dict.fromkeys(finding.code for finding in explained(text).findings))


@pytest.mark.parametrize("text", TEXTS, ids=[text["name"] for text in TEXTS])
def test_an_engines_text_means_this_and_nothing_else(text: dict[str, object]) -> None:
    found = explained(str(text["text"]))
    assert list(dict.fromkeys(finding.code for finding in found.findings)) == text["expect"]
    assert found.unrecognised == ()


def test_a_condition_still_tells_where_it_stands() -> None:
    [finding] = [found for found in explained(TEXTS[2]["text"]).findings if found.severity.value == "error"]
    assert finding.subject == "main.tf:17"


def test_what_is_said_after_a_condition_in_an_error_of_its_own_is_searched() -> None:
    text = "Error: Resource precondition failed\n\nSay what?\n\nError: Saved plan is stale\n\nThe plan.\n"
    assert set(codes(text)) == {"language.assertion", "plan.stale"}


def test_an_error_after_a_commands_output_is_searched() -> None:
    text = (
        "Error: local-exec provisioner error\n\nError running command 'x': exit status 3. Output: no\n\n"
        "Error: Saved plan is stale\n"
    )
    assert set(codes(text)) == {"language.provisioner", "plan.stale"}


def test_an_error_that_a_command_printed_is_known_from_the_other_stream() -> None:
    stdout = "\x1b[1mnull_resource.a (local-exec):\x1b[0m \x1b[0mError: No space left on device\n"
    stderr = (
        "Error: local-exec provisioner error\n\nError running command 'x': exit status 3. Output:\n\n"
        "Error: No space left on device\n"
    )
    found = diagnose(stdout, stderr, rules=RULES, exit_code=1)
    assert [finding.code for finding in found.findings] == ["language.provisioner"]


def test_narration_of_a_provisioners_command_is_not_searched() -> None:
    assert codes("terraform_data.a (local-exec): no space left on device\n") == []


def test_a_repository_that_refuses_is_a_matter_of_the_login() -> None:
    text = (
        "Error: Failed to download module\n\ngit@h: Permission denied (publickey).\n"
        "fatal: Could not read from remote repository.\n"
    )
    assert codes(text) == ["module.git_login"]


def test_a_file_that_does_not_parse_is_still_that() -> None:
    assert codes("Error: Invalid character\n\n  on main.tf line 3:\n   3: a = #\n\nNo.\n") == ["language.syntax"]


@pytest.mark.parametrize("place", ["on  line 1:", "on line 1, source code not available"])
def test_an_address_of_the_command_line_is_no_file(place: str) -> None:
    text = f"Error: Invalid character\n\n  {place}\n  (source code not available)\n\nExpected an attribute access.\n"
    assert codes(text) == ["language.address"]
