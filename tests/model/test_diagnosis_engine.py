"""What a real engine printed (Terraform 1.11.4), of kinds no case holds: the right family or unknown, never a wrong answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.config.rulebook import load_rules
from kumoss_console.model.diagnosis import Diagnosis, Rules, diagnose

TEXTS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "fixtures" / "engine_texts.json").read_text())


@pytest.fixture(scope="module")
def rules() -> Rules:
    return load_rules({"HOME": "/nonexistent"})


def found(name: str, rules: Rules) -> Diagnosis:
    text = TEXTS[name]
    return diagnose(text["stdout"], text["stderr"], rules=rules, exit_code=text["exit"])


@pytest.mark.parametrize("name", TEXTS)
def test_the_engine_is_understood(name: str, rules: Rules) -> None:
    assert [finding.code for finding in found(name, rules).findings] == TEXTS[name]["expect"]


@pytest.mark.parametrize("name", [name for name in TEXTS if TEXTS[name]["exit"] == 0])
def test_a_command_that_succeeded_has_no_error(name: str, rules: Rules) -> None:
    diagnosis = found(name, rules)
    assert not diagnosis.unknown
    assert all(finding.severity == "warning" for finding in diagnosis.findings)


# The lines of a JSON document are not those of the texts in it.
@pytest.mark.parametrize("name", [name for name in TEXTS if TEXTS[name]["expect"] and not name.startswith("json_")])
def test_the_evidence_stands_in_the_output_at_the_line_it_names(name: str, rules: Rules) -> None:
    for finding in found(name, rules).findings:
        lines = TEXTS[name][finding.stream].split("\n")
        first = finding.evidence.splitlines()[0].strip("…").split()[-1]
        assert first in lines[finding.line - 1]


def test_an_error_that_no_rule_knows_is_told_even_beside_one_that_is_known(rules: Rules) -> None:
    text = "Error: Saved plan is stale\n\nx\n\nError: The moon is in the way\n\nPlease wait."
    diagnosis = diagnose("", text, rules=rules)
    assert [finding.code for finding in diagnosis.findings] == ["plan.stale"]
    assert not diagnosis.unknown
    assert diagnosis.unrecognised == ("Error: The moon is in the way",)
