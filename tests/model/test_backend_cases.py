"""Small workspaces with what the engines make of them: type, values, origins and errors, for every engine that is named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.model.backend import EffectiveBackend, effective_backend, option_files, parse_engine
from kumoss_console.workspace import read_workspace
from tests.model.backends import values

CASES = Path(__file__).parent / "fixtures" / "hcl"
_ENGINES = {"terraform": "terraform", "opentofu": "tofu"}


def _expectations() -> list[Any]:
    found = []
    for file in sorted(CASES.glob("*.expected.json")):
        case = json.loads(file.read_text())
        for expected in case["expected"]:
            versions = re.findall(r"[0-9]+(?:\.[0-9]+)+", expected["version"])
            for version in dict.fromkeys((versions[-1], "")):
                name = f"{_ENGINES[expected['engine']]}@{version}".rstrip("@")
                found.append(pytest.param(case, expected, name, id=f"{case['case']}-{name}"))
    return found


def inspect(case: dict[str, Any], engine: str) -> EffectiveBackend:
    options = [arg.removeprefix("-backend-config=") for arg in case["args"] if arg.startswith("-backend-config=")]
    snapshot = read_workspace(CASES / case["case"], option_files(options))
    return effective_backend(snapshot, parse_engine(engine), options=options, environ=case["env"])


@pytest.mark.parametrize(("case", "expected", "engine"), _expectations())
def test_type_values_and_errors_are_the_engines(case: dict[str, Any], expected: dict[str, Any], engine: str) -> None:
    effective = inspect(case, engine)

    assert (effective.bound.type if effective.bound else None) == expected["effective_backend"]
    assert values(effective.bound) == {name: item["value"] for name, item in expected["config"].items()}
    told = [(problem.summary, problem.at) for problem in effective.problems if problem.kind == "error"]
    assert sorted(told) == sorted((error["summary"], error["at"]) for error in expected["errors"])


@pytest.mark.parametrize(("case", "expected", "engine"), _expectations())
def test_every_value_names_the_line_it_comes_from(case: dict[str, Any], expected: dict[str, Any], engine: str) -> None:
    bound = inspect(case, engine).bound

    for attribute in bound.attributes if bound else ():
        # What follows the first place are the inputs of the expression there.
        first, *inputs = re.split(r" <- | \(template\), |, ", expected["config"][attribute.name]["from"])
        assert attribute.origin.at == first
        assert [via.at for via in attribute.origin.via] == [re.sub(r" \(.*\)", "", text) for text in inputs]


@pytest.mark.parametrize(("case", "expected", "engine"), _expectations())
def test_what_init_binds_in_spite_of_its_error_is_told(case: dict[str, Any], expected: dict[str, Any], engine: str) -> None:
    kept = inspect(case, engine).kept
    cached = expected.get("cached_despite_error")

    assert (kept.type if kept else None) == (cached["type"] if cached else None)
    assert values(kept) == {name: item["value"] for name, item in (cached["config"] if cached else {}).items()}


@pytest.mark.parametrize(("case", "expected", "engine"), _expectations())
def test_deprecations_are_warnings(case: dict[str, Any], expected: dict[str, Any], engine: str) -> None:
    if "warnings" in expected:
        warned = {problem.summary for problem in inspect(case, engine).problems if problem.kind == "warning"}
        assert warned == set(expected["warnings"])
