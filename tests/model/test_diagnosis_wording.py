"""What the rules say is a sentence, with what was found in the text and without."""

from __future__ import annotations

import re

import pytest

from kumoss_console.config.rulebook import load_rules
from kumoss_console.model.diagnosis import Rule
from kumoss_console.model.diagnosis.wording import demanded, worded

RULES = load_rules({"HOME": "/nonexistent"}).rules
NAME = re.compile(r"\{([a-z_]{1,40})(?:\|[^{}]{0,200})?\}")
# Two quotes of YAML, a place left open, a place that was filled with nothing.
BROKEN = re.compile(r"''|\{[a-z_]+(\|[^}]*)?\}|  |\(\)|\"\"| [,:;.] | [,:;]|^ | $|\b([A-Za-z]{2,}) \2\b")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_reads_well_with_and_without_what_was_found(rule: Rule) -> None:
    for text in (rule.title, rule.cause, rule.remedy):
        names = set(NAME.findall(text))
        for attributes in ({name: f"X{name}" for name in names}, {name: f"X{name}" for name in demanded(text)}):
            said = worded(text, attributes)
            assert not BROKEN.search(said.replace("{ ... }", "{}")), said
        if text is not rule.cause:
            assert not re.match(r"\{[a-z_]+\|[a-z]", text), f"without what was found it begins small: {text}"
