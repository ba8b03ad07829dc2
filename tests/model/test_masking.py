"""No value that is marked sensitive is left in what ``show`` printed, wherever it stands; what changes still reads as changed."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kumoss_console.local.sidecar import engine_environ
from kumoss_console.model.chain import digest
from kumoss_console.model.masking import MEMBER, mask_shown
from kumoss_console.model.plan import Change, OutputChange, diff, parse_plan, words
from kumoss_console.sidecar.engine import Engine
from tests.hostile import HOSTILE
from tests.model.plan_documents import document, resource
from tests.model.plan_generated import generated
from tests.model.plan_worlds import FIXTURES, planned

SECRET = "hunter2-before"
MADE = sorted(path.relative_to(FIXTURES).with_suffix("").as_posix() for path in FIXTURES.rglob("*.json"))


def shown(name: str) -> str:
    return (FIXTURES / f"{name}.json").read_text(encoding="utf-8")


def masked(*resources: dict[str, Any], **rest: Any) -> str:
    return mask_shown(document(*resources, **rest).decode()).text


def as_read(text: str) -> list[tuple[object, ...]]:
    """All that the console shows of a plan."""
    plan = parse_plan(text)
    lines: list[tuple[object, ...]] = [(plan.headline, plan.unchanged, plan.outputs_unchanged, plan.checks)]
    changes: list[Change | OutputChange] = [*plan.changes, *plan.drift, *plan.outputs]
    for change in changes:
        leaves = [(leaf.name, leaf.sign, words(leaf), leaf.forces, leaf.lines) for leaf in diff(change, unchanged=True).leaves]
        lines.append((repr(change), *leaves))
    return lines


@pytest.mark.parametrize("name", MADE)
def test_a_plan_reads_the_same_with_its_values_masked(name: str) -> None:
    text = shown(name)
    assert as_read(mask_shown(text).text) == as_read(text)


@pytest.mark.parametrize("name", MADE)
def test_no_secret_of_the_fixtures_is_left_and_a_plan_without_any_stays_byte_for_byte(name: str) -> None:
    text = shown(name)
    found = mask_shown(text)
    assert "hunter2" not in found.text
    assert (found.text == text) is ("hunter2" not in text)
    assert found.note == ""


@pytest.mark.parametrize("name", MADE)
def test_only_values_are_replaced(name: str) -> None:
    before, after = json.loads(shown(name)), json.loads(mask_shown(shown(name)).text)
    after.pop(MEMBER, None)

    def compare(one: Any, other: Any) -> None:
        if isinstance(other, str) and "(sensitive value " in other:
            assert "hunter2" in json.dumps(one)
        elif isinstance(one, dict):
            assert list(one) == list(other)
            for key in one:
                compare(one[key], other[key])
        elif isinstance(one, list):
            assert len(one) == len(other)
            for pair in zip(one, other, strict=True):
                compare(*pair)
        else:
            assert one == other

    compare(before, after)


def test_a_real_plan_of_the_engine_at_hand_keeps_no_secret(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    made = planned("mixed", folder, engine=engine.argv0, environ=engine_environ(os.environ, tmp_path)).document.decode()
    assert "hunter2" in made
    assert "hunter2" not in mask_shown(made).text
    assert as_read(mask_shown(made).text) == as_read(made)


def test_equal_values_get_one_number_and_a_changed_one_another() -> None:
    text = masked(
        resource(before={"p": SECRET}, after={"p": "another"}, before_sensitive={"p": True}, after_sensitive={"p": True}),
        resource("t.y", before={"q": "another"}, after={"q": "another"}, after_sensitive={"q": True}),
    )
    first, second = (entry["change"] for entry in json.loads(text)["resource_changes"])
    assert first["before"]["p"] != first["after"]["p"] == second["before"]["q"] == second["after"]["q"]


def test_a_sensitive_variable_is_masked_with_its_default_and_where_it_is_used() -> None:
    text = masked(
        resource(before={}, after={"url": f"postgres://app:{SECRET}@db"}),
        variables={"p": {"value": SECRET}, "region": {"value": "eu"}},
        configuration={
            "root_module": {
                "variables": {"p": {"default": SECRET, "sensitive": True}, "region": {"default": "eu"}},
                "outputs": {"o": {"sensitive": True, "expression": {"constant_value": "in the open"}}},
                "resources": [{"address": "t.x", "expressions": {"url": {"constant_value": SECRET}}}],
            }
        },
    )
    assert SECRET not in text
    assert "in the open" not in text
    found = json.loads(text)
    assert found["variables"] == {"p": {"value": "(sensitive value 1)"}, "region": {"value": "eu"}}
    assert found["resource_changes"][0]["change"]["after"]["url"] == "postgres://app:(sensitive value 1)@db"


def test_variables_are_all_masked_where_the_document_does_not_say_which_are_sensitive() -> None:
    assert SECRET not in masked(variables={"p": {"value": {"deep": [SECRET]}}})


@pytest.mark.parametrize(
    "where",
    [
        lambda body: {"planned_values": {"root_module": {"child_modules": [{"child_modules": [{"resources": [body]}]}]}}},
        lambda body: {"prior_state": {"values": {"root_module": {"resources": [body]}}}},
        lambda body: {"values": {"root_module": {"resources": [body]}}},
        lambda body: {"action_invocations": [{"address": "a", **body}]},
        lambda body: {"something_new": [{"inside": body}]},
        lambda body: {"resource_changes": {"not": "a list", "but": [body]}},
        lambda body: {"planned_values": [body]},
    ],
)
def test_marks_are_found_in_every_part(where: Any) -> None:
    body = {"values": {"p": SECRET, "copy": SECRET, "n": 1}, "sensitive_values": {"p": True}}
    text = mask_shown(json.dumps({"format_version": "1.2", **where(body)})).text
    assert SECRET not in text
    assert '"n":1' in text.replace(" ", "")


@pytest.mark.parametrize("part", ["planned_values", "values"])
def test_outputs_of_a_state_are_masked(part: str) -> None:
    text = masked(**{part: {"outputs": {"o": {"sensitive": True, "value": {"a": SECRET}}, "sensitive": {"value": "plain"}}}})
    assert SECRET not in text
    assert "plain" in text


def test_copies_in_messages_drift_put_off_changes_and_generated_configuration_go_too() -> None:
    copy = resource("t.copy", before={"c": SECRET}, after=None)
    text = masked(
        resource(before={"p": SECRET}, after=None, before_sensitive={"p": True}, importing={"id": SECRET}),
        resource("t.g", before=None, after={}, generated=1),
        resource_drift=[copy],
        deferred_changes=[{"reason": "absent_prereq", "resource_change": copy}],
        checks=[{"address": {"to_display": "t.x"}, "instances": [{"problems": [{"message": f"{SECRET} is bad"}]}]}],
        output_changes={"o": {"actions": ["create"], "before": None, "after": [SECRET]}},
    )
    assert SECRET not in text
    assert "(sensitive value 1) is bad" in text


WORDS = ['with "quotes" in it', "back\\slash", "two\nlines\n", "ümläut-\u2028", "<a href=&>", *HOSTILE]


@pytest.mark.parametrize("secret", [word for word in WORDS if len(word) >= 4])
def test_a_secret_is_found_however_it_is_escaped(secret: str) -> None:
    inner = json.dumps({"p": secret})
    for ascii_only in (True, False):
        raw = json.dumps(
            {
                "format_version": "1.2",
                "resource_changes": [
                    resource(before=None, after={"p": secret, "copy": secret}, after_sensitive={"p": True}),
                    resource("t.y", before=None, after={"json": inner, "stripped": f"x{secret.strip()}x", "other": 'a "b" c'}),
                ],
            },
            ensure_ascii=ascii_only,
        ).replace("<", "\\u003c")
        found = mask_shown(raw).text
        first, second = (entry["change"]["after"] for entry in json.loads(found)["resource_changes"])
        assert first["p"] == first["copy"] == "(sensitive value 1)"
        assert second["other"] == 'a "b" c'
        if len(secret.strip()) >= 6:
            assert second["stripped"] == "x(sensitive value 1)x"
            assert json.loads(second["json"])["p"].strip() == "(sensitive value 1)"


def test_a_word_as_a_secret_breaks_no_address_and_no_name() -> None:
    entry = resource("random_password.password", before=None, after={"password": "password"}, after_sensitive={"password": True})
    text = masked({**entry, "type": "password", "name": "password"}, relevant_attributes=[{"resource": "x.password"}])
    found = json.loads(text)["resource_changes"][0]
    assert (found["address"], found["type"], found["name"]) == ("random_password.password", "password", "password")
    assert found["change"]["after"] == {"password": "(sensitive value 1)"}


def test_numbers_and_containers_that_repeat_a_marked_one_go_where_it_is_marked() -> None:
    values = {"pin": 48151, "copy": 48151, "o": {"user": "app", "n": 1}, "o2": {"user": "app", "n": 1}, "port": 443}
    text = masked(resource(before=None, after=values, after_sensitive={"pin": True, "o": True}))
    after = json.loads(text)["resource_changes"][0]["change"]["after"]
    assert after["copy"] == after["pin"]
    assert after["o2"] == after["o"]
    assert after["port"] == 443


def test_short_values_hide_no_word_that_happens_to_hold_them() -> None:
    text = masked(resource(before=None, after={"pin": "app", "note": "an application"}, after_sensitive={"pin": True}))
    assert json.loads(text)["resource_changes"][0]["change"]["after"] == {"pin": "(sensitive value 1)", "note": "an application"}


def test_numbers_that_no_double_holds_come_out_as_they_went_in() -> None:
    number = "12345678901234567890.123456789012345678901234567890"
    raw = document(resource(after={"n": 17, "p": "x"}, after_sensitive={"p": True})).decode().replace("17", number)
    assert number in mask_shown(raw).text


def test_the_digest_tells_plans_apart_that_differ_in_a_secret_alone() -> None:
    """Both read ``(sensitive value 1) → (sensitive value 2)``, and only one of them was reviewed."""

    def one(after: str) -> str:
        marks = {"p": True}
        return masked(resource(before={"p": SECRET}, after={"p": after}, before_sensitive=marks, after_sensitive=marks))

    assert digest(one("reviewed")) == digest(one("reviewed"))
    assert digest(one("reviewed")) != digest(one("swapped"))
    assert json.loads(one("reviewed"))["resource_changes"] == json.loads(one("swapped"))["resource_changes"]


def test_a_masked_document_is_masked_again_without_harm() -> None:
    once = mask_shown(shown("mixed")).text
    twice = mask_shown(once).text
    assert as_read(twice) == as_read(once)


@pytest.mark.parametrize("cut", [2_000, 5_000, 30_000])
def test_a_plan_that_was_cut_off_shows_none_of_its_values_and_says_so(cut: int) -> None:
    found = mask_shown("a warning first\n" + shown("mixed")[:cut])
    assert "hunter2" not in found.text
    assert found.text.startswith('a warning first\n{"format_version":"********"')
    assert '"terraform_version"' in found.text
    assert "damaged" in found.note


def test_a_plan_without_its_beginning_is_left_out_whole() -> None:
    text = shown("mixed")
    found = mask_shown(text[text.index("hunter2") + 3 :])
    assert "hunter2" not in found.text
    assert len(found.text) < 40
    assert "no beginning" in found.note


@pytest.mark.parametrize("text", ["Error: no such plan", "Bearer abcdefghij", "[1]", *HOSTILE])
def test_what_is_no_json_loses_what_looks_like_a_secret_and_says_so(text: str) -> None:
    found = mask_shown(text)
    assert "abcdefghij" not in found.text
    assert "no JSON" in found.note


@pytest.mark.parametrize("text", ["", "  \n", "{}", '{"format_version":"3.0"}'])
def test_what_holds_nothing_stays(text: str) -> None:
    assert mask_shown(text).text == text


@pytest.mark.parametrize("depth", [150, 300, 2_000, 50_000])
def test_what_nests_beyond_reason_keeps_no_secret(depth: int) -> None:
    deep = "[" * depth + f'"{SECRET}"' + "]" * depth
    marks = deep.replace(f'"{SECRET}"', "true")
    text = (
        f'{{"format_version":"1.2","output_changes":{{"o":{{"actions":["create"],"after":{deep},"after_sensitive":{marks}}}}}}}'
    )
    assert SECRET not in mask_shown(text).text


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


_MARKS = st.recursive(
    st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=80, deadline=None)
@example(before=None, after=None, marks={"<<<<<": True}, secret="<" * 12)
@example(before="<" * 12, after=["<" * 12], marks=False, secret="<" * 12)
@given(before=_JSON, after=_JSON, marks=_MARKS, secret=st.text(alphabet='abcdef"\\\n<é', min_size=12, max_size=20))
def test_whatever_the_values_the_marked_text_is_gone_and_the_rest_is_json(
    before: Any, after: Any, marks: Any, secret: str
) -> None:
    raw = json.dumps(
        {
            "format_version": "1.2",
            "resource_changes": [
                resource(
                    before={"x": before, "s": secret}, after={"x": after, "s": secret}, after_sensitive={"s": True, "x": marks}
                ),
                resource("t.y", before=before, after=[after, f"<{secret}>"]),
            ],
        }
    )
    found = mask_shown(raw, cost=2)
    assert found.note == ""
    assert secret not in json.dumps(json.loads(found.text)["resource_changes"], ensure_ascii=False).encode().decode(
        "unicode_escape"
    )
    assert json.dumps(secret)[1:-1] not in found.text


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


def test_fifteen_thousand_resources_take_no_more_than_twice_the_decoding() -> None:
    """On a tenth of them, each third with secrets of its own. Twice is what it takes; a busy machine may need more."""
    plan = json.loads(generated(1_500))
    for number, entry in enumerate(plan["resource_changes"]):
        for side in ("before", "after"):
            if entry["change"][side] and number % 3 == 0:
                entry["change"][side]["user_data"] = base64.b64encode(f"secret {number} {side}".encode()).decode()
                entry["change"][f"{side}_sensitive"] = {"user_data": True}
    raw = json.dumps(plan)

    def seconds(work: Any) -> float:
        best = 60.0
        for _ in range(3):
            began = time.process_time()
            work(raw)
            best = min(best, time.process_time() - began)
        return best

    assert seconds(mask_shown) < 4 * seconds(json.loads)
