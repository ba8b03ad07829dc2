"""The chain's values: its steps, its plan file, the engines' cries for init, and when two plans are the same."""

from __future__ import annotations

import re

import pytest

from kumoss_console.model.chain import ChainRequest, Step, asks_for_init, digest, own_plan_file
from kumoss_console.model.contract import ApplyRequest, CloudProvider, ImportRequest, InitRequest, ShowRequest, SubmitRequest
from kumoss_console.model.hazards import hazard

AWS = CloudProvider.AWS


def asked(**changes: object) -> ChainRequest:
    return ChainRequest(**({"workspace": "/w/net", "scope": "s", "provider": AWS} | changes))  # type: ignore[arg-type]


def test_the_whole_chain_is_the_cores_with_a_review_before_the_apply() -> None:
    assert [step.value for step in asked().steps] == ["init", "validate", "plan", "show", "review", "apply"]


@pytest.mark.parametrize(
    ("first", "until", "steps"),
    [
        (Step.INIT, Step.VALIDATE, "init validate"),
        (Step.PLAN, Step.SHOW, "plan show"),
        (Step.APPLY, Step.APPLY, "show review apply"),
        (Step.REVIEW, Step.APPLY, "show review apply"),
        (Step.SHOW, Step.PLAN, ""),
    ],
)
def test_a_chain_is_taken_up_anywhere_and_never_applies_what_was_not_shown(first: Step, until: Step, steps: str) -> None:
    assert " ".join(step.value for step in asked(first=first, until=until).steps) == steps


@pytest.mark.parametrize("usual", ["session.plan", "plan", "x" * 128, ".", "..", "a." + "e" * 126, "-destroy"])
def test_a_plan_file_of_ones_own_keeps_to_the_contract(usual: str) -> None:
    name = own_plan_file(usual, "7f3a2b1c")
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,128}", name)
    assert "7f3a2b1c" in name


def test_a_plan_file_of_ones_own_says_whose_it_is() -> None:
    assert own_plan_file("session.plan", "7f3a2b1c") == "session-7f3a2b1c.plan"


@pytest.mark.parametrize(
    "text",
    [
        'Error: Backend initialization required, please run "terraform init"',
        'Error: Backend initialization required: please run "tofu init"',
        'this module. Run\n"terraform init" to install all modules required by this configuration.',
        '│ all modules. Run "terraform\n│ init" to install them',
        "\x1b[31m│\x1b[0m Run `tofu init` now",
        'please run "TERRAFORM INIT"',
    ],
)
def test_both_engines_ask_for_init_in_their_own_words(text: str) -> None:
    assert asks_for_init(("", text))


@pytest.mark.parametrize("text", ["", "Error: Invalid resource type", "terraform initialises", "run init", "mytofu initial"])
def test_other_errors_do_not_ask_for_init(text: str) -> None:
    assert not asks_for_init((text,))


def test_the_same_plan_has_the_same_digest_in_whatever_order_its_members_come() -> None:
    assert digest('{"a": 1, "b": [1, 2]}') == digest('{"b":[1,2],"a":1}')
    assert digest('{"a": 1, "b": [1, 2]}') != digest('{"a": 1, "b": [2, 1]}')
    assert digest("not json") != digest("not json ")


@pytest.mark.parametrize(
    "request_",
    [
        ApplyRequest(workspace_path="/w", scope_id="s", terraform_provider=AWS, plan_file="-destroy"),
        ShowRequest(workspace_path="/w", plan_file="-json"),
        ImportRequest(workspace_path="/w", scope_id="s", terraform_provider=AWS, address="-help", resource_id="x"),
    ],
)
def test_a_value_that_an_engine_reads_as_an_option_is_a_hazard(request_: SubmitRequest) -> None:
    assert "option" in (hazard(request_) or "")


def test_ordinary_requests_are_none() -> None:
    assert hazard(InitRequest(workspace_path="-w", scope_id="-s", terraform_provider=AWS)) is None
    assert (
        hazard(ImportRequest(workspace_path="/w", scope_id="s", terraform_provider=AWS, address="a.b", resource_id="-x")) is None
    )
