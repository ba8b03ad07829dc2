"""Families, not samples: what stores, clouds, networks and engines say in words that no case holds."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kumoss_console.config.rulebook import load_rules
from kumoss_console.model.diagnosis import Rules, diagnose

TEXTS = yaml.safe_load((Path(__file__).parent / "fixtures" / "family_texts.yaml").read_text())
KNOWN = [(text["expect"], text["text"]) for text in TEXTS["known"]]


@pytest.fixture(scope="module")
def rules() -> Rules:
    return load_rules({"HOME": "/nonexistent"})


@pytest.mark.parametrize(("expected", "text"), KNOWN, ids=[f"{index}-{code}" for index, (code, _) in enumerate(KNOWN)])
def test_the_family_is_recognised(expected: str, text: str, rules: Rules) -> None:
    codes = [finding.code for finding in diagnose("", text, rules=rules).findings]
    assert codes[:1] == [expected], codes


@pytest.mark.parametrize("text", TEXTS["unrelated"])
def test_what_is_not_known_is_unknown(text: str, rules: Rules) -> None:
    found = diagnose("", text, rules=rules)
    assert found.findings == ()
    assert found.unknown
