"""Diagnosis rules are data: the package's are sound; an operator's are added, replace others, or are refused with their line."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from kumoss_console.config.rulebook import FILE, PACKAGE_RULES, RULE, load_rules
from kumoss_console.config.xdg import config_dir
from kumoss_console.errors import ConfigError
from kumoss_console.model.diagnosis import Role, Rules, diagnose
from kumoss_console.model.finding import Severity

OWN = """\
family: acme
label: our gateway
rules:
  - id: acme.gateway
    severity: warning
    any:
      - 'gateway (?P<name>\\w{1,40}) is asleep'
    subject: [name]
    title: 'The gateway {name} sleeps'
    cause: 'it does so at night'
    remedy: 'Call the gateway team.'
"""


@pytest.fixture
def folder(isolated: Path) -> Path:
    found = config_dir(os.environ) / "rules"
    found.mkdir(parents=True)
    return found


def rules() -> Rules:
    return load_rules(os.environ)


def failed() -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        rules()
    return caught.value


def test_the_package_has_its_rules() -> None:
    found = rules()
    assert len(found) > 250
    assert len({rule.id for rule in found.rules}) == len(found)


def test_every_rule_of_the_package_is_short_and_says_what_to_do() -> None:
    for rule in rules().rules:
        assert 0 < len(rule.title) <= 110, rule.id
        assert rule.cause, rule.id
        assert len(rule.cause) <= 330, rule.id
        assert rule.remedy.endswith((".", "?")), rule.id
        assert len(rule.remedy) <= 330, rule.id
        assert not re.search(r"  |\n", rule.title + rule.cause + rule.remedy), rule.id


def test_what_a_rule_supersedes_exists() -> None:
    found = rules()
    for rule in found.rules:
        for glob in rule.supersedes:
            assert any(other.id == glob or ("*" in glob and other.id.startswith(glob.rstrip("*"))) for other in found.rules), (
                rule.id,
                glob,
            )


def test_summaries_weigh_less_than_causes() -> None:
    for rule in rules().rules:
        if rule.role is Role.FALLBACK:
            assert rule.weight <= 40, rule.id
        elif rule.role is Role.CAUSE:
            assert rule.weight >= 40, rule.id


def test_an_operators_rule_is_added(folder: Path) -> None:
    (folder / "acme.yaml").write_text(OWN)
    [finding] = diagnose("", "gateway north is asleep", rules=rules()).findings
    assert (finding.code, finding.severity, finding.subject) == ("acme.gateway", Severity.WARNING, "north")
    assert finding.title == "The gateway north sleeps"


def test_an_operators_rule_replaces_the_one_of_the_same_id(folder: Path) -> None:
    (folder / "acme.yaml").write_text(OWN.replace("acme.gateway", "plan.stale"))
    assert diagnose("", "Saved plan is stale", rules=rules()).unknown
    assert [rule.family for rule in rules().rules if rule.id == "plan.stale"] == ["acme"]


def test_a_rule_can_be_switched_off(folder: Path) -> None:
    (folder / "acme.yaml").write_text("disable: [plan.stale]\n")
    assert diagnose("", "Saved plan is stale", rules=rules()).unknown


def test_files_are_told(folder: Path) -> None:
    (folder / "acme.yaml").write_text(OWN)
    assert rules().files[-1] == str(folder / "acme.yaml")
    assert rules().files[0] == str(PACKAGE_RULES / "azure.yaml")


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("'gateway (?P<name>\\w{1,40}) is asleep'", "'gateway .* is asleep'"), 7, "without an end"),
        (("'gateway (?P<name>\\w{1,40}) is asleep'", "'(unclosed'"), 7, "no regular expression"),
        (("'gateway (?P<name>\\w{1,40}) is asleep'", "'[a-z]{1,9}'"), 7, "no plain words"),
        (("'gateway (?P<name>\\w{1,40}) is asleep'", "404"), 7, "found the number 404"),
        (("'gateway (?P<name>\\w{1,40}) is asleep'", "'gateway is asleep'"), 9, "{name} is not in every text"),
        (("severity: warning", "severity: wraning"), 5, "warning"),
        (("acme.gateway", "Acme Gateway"), 4, "dotted words"),
        (("    remedy: 'Call the gateway team.'\n", ""), 4, "has no remedy"),
        (("    subject: [name]", "    subjekt: [name]"), 8, "did you mean subject?"),
        (("    subject: [name]", "    kinds: [aply]"), 8, "did you mean apply?"),
        (("    subject: [name]", "    exit_codes: ['1']"), 8, "a whole number"),
        (("    subject: [name]", "    weight: 1000"), 8, "from 0 to 100"),
        (("family: acme\n", ""), 1, "has rules and no family"),
        (("rules:", "disable: [plan.stael]\nrules:"), 3, "did you mean plan.stale?"),
        (("    any:\n      - 'gateway (?P<name>\\w{1,40}) is asleep'\n", ""), 4, "nothing to be recognised by"),
    ],
)
def test_a_fault_is_told_with_file_and_line(folder: Path, change: tuple[str, str], line: int, words: str) -> None:
    file = folder / "acme.yaml"
    assert change[0] in OWN
    file.write_text(OWN.replace(*change))
    error = failed()
    told = str(error)
    assert (error.file, words in told) == (str(file), True), told
    assert f"{file}:{line}" in told, told


def test_an_id_twice_in_a_file_is_a_fault(folder: Path) -> None:
    (folder / "acme.yaml").write_text(OWN + OWN[OWN.index("  - id") :])
    assert "also on line 4" in str(failed())


def test_a_file_that_is_no_yaml_is_told_with_its_line(folder: Path) -> None:
    (folder / "acme.yaml").write_text("family: acme\nrules: [\n")
    assert "is not valid YAML" in failed().title


def test_an_empty_file_is_no_fault(folder: Path) -> None:
    (folder / "acme.yaml").write_text("# nothing yet\n")
    assert len(rules()) > 250


def test_the_documentation_names_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs" / "diagnosis.md").read_text()
    for known in (*FILE.fields, *RULE.fields):
        assert f"| `{known.name}` |" in page, known.name
