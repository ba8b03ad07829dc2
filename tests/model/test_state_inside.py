"""The values of a state: what is hidden, what a search can find, and what the raw document shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumoss_console.model.state import parse_state
from kumoss_console.model.state.inside import Inside
from kumoss_console.model.state.leaves import leaves, members, path_text, step_text
from kumoss_console.model.state.parse import legible
from kumoss_console.model.state.providers import providers_of
from kumoss_console.model.state.raw import document_pieces
from kumoss_console.model.state.search import described, narrows, search
from kumoss_console.text import MASK
from tests.model.test_state import AWS, instance, resource, state

FIXTURES = Path(__file__).parent / "fixtures" / "state"
DOCUMENTS = sorted(path for path in FIXTURES.iterdir() if not path.name.endswith(".expected.json"))
SECRET = "hunter2-hunter2"


def marked(*steps: Any) -> list[dict[str, Any]]:
    return [
        {"type": "get_attr", "value": step}
        if number == 0
        else {"type": "index", "value": {"value": step, "type": "number" if isinstance(step, int) else "string"}}
        for number, step in enumerate(steps)
    ]


def values(attributes: dict[str, Any], marks: Any = ()) -> Any:
    raw = state(resource(instance(attributes=attributes, sensitive_attributes=marks)))
    held = Inside(raw).object("aws_vpc.v", 0)
    assert held is not None
    return held.values()


def found(raw: bytes, needle: str) -> list[str]:
    document = parse_state(raw)
    rows = {row.address: row for row in document.resources}
    return [described(hit, rows) for hit in search(document, Inside(raw), needle) if hit is not None]


# -- hiding ----------------------------------------------------------------------------------------------------------------


def test_what_is_marked_is_hidden_whole_or_at_its_place() -> None:
    shown = values(
        {"id": "i", "plain": "x", "login": SECRET, "tags": {"a": "1", "b": "22"}, "rules": [{"n": 1}, {"n": 2}]},
        [marked("login"), marked("tags", "b"), marked("rules", 1)],
    )
    assert shown == {"id": "i", "plain": "x", "login": MASK, "tags": {"a": "1", "b": MASK}, "rules": [{"n": 1}, MASK]}


@pytest.mark.parametrize("marks", ["all", {"a": 1}, [["x"]], [[{"type": "later", "value": "x"}]], [[]], [3]])
def test_marks_that_cannot_be_read_hide_everything(marks: Any) -> None:
    assert values({"id": "i", "plain": "x"}, marks) == MASK


def test_a_step_that_is_not_understood_hides_what_lies_above_it() -> None:
    odd = [{"type": "get_attr", "value": "tags"}, {"type": "splat"}]
    assert values({"id": "i", "tags": {"a": "1"}}, [odd]) == {"id": "i", "tags": MASK}


def test_what_repeats_a_marked_value_is_hidden_too() -> None:
    shown = values({"input": SECRET, "output": SECRET, "url": f"x/{SECRET}/y", SECRET: "k"}, [marked("input")])
    assert SECRET not in json.dumps(shown)
    assert [member.why for member in members(shown)] == ["marked", "copy", "copy", ""]


def test_what_reads_like_a_secret_is_hidden_although_nobody_marked_it() -> None:
    shown = values(
        {"master_password": "x", "enabled": True, "url": "https://u:p4ss@db", "key": "-----BEGIN RSA PRIVATE KEY-----"}
    )
    assert shown == {"master_password": MASK, "enabled": True, "url": f"https://{MASK}@db", "key": MASK}
    assert [member.why for member in members(shown)] == ["named", "", "part", "named"]


def test_the_private_data_of_a_provider_is_hidden_with_the_object() -> None:
    held = Inside(state(resource(instance(private="bm90aGluZw==")))).object("aws_vpc.v", 0)
    assert held is not None
    assert held.whole()["private"] == MASK


def test_numbers_keep_every_digit() -> None:
    raw = state(resource(instance(attributes={"id": "i", "n": "HERE"}))).replace(b'"HERE"', b"12345678901234567890.12345")
    held = Inside(raw).object("aws_vpc.v", 0)
    assert held is not None
    assert [member.text for member in members(held.values())] == ['"i"', "12345678901234567890.12345"]
    assert '"n": 12345678901234567890.12345' in "".join(document_pieces(raw, parse_state(raw)))


def test_one_value_is_revealed_as_it_is_written() -> None:
    raw = state(
        resource(instance(attributes={"a": {"b": [SECRET, 7]}}, sensitive_attributes=[marked("a")])),
        outputs={"o": {"value": SECRET, "sensitive": True}},
    )
    held, output = Inside(raw).object("aws_vpc.v", 0), Inside(raw).output("o")
    assert held is not None
    assert output is not None
    for secret, text in ((held.reveal(("a", "b", 0)), SECRET), (held.reveal(("a",)), f'{{"b":["{SECRET}",7]}}')):
        assert secret is not None
        assert secret.reveal() == text
        assert SECRET not in repr(secret)
    assert held.reveal(("nothing",)) is None
    assert (revealed := output.reveal(())) is not None
    assert revealed.reveal() == SECRET
    assert SECRET not in repr((held, output, Inside(raw)))


def test_objects_are_found_by_their_place_where_a_resource_is_written_in_parts() -> None:
    raw = state(
        resource(instance(index_key="a", attributes={"id": "1"})),
        resource(instance(mode="data", attributes={"id": "d"}), mode="data"),
        resource(instance(index_key="b", attributes={"id": "2"}), instance(deposed="abcd1234", attributes={"id": "3"})),
    )
    inside, document = Inside(raw), parse_state(raw)
    for row in document.resources:
        for place, one in enumerate(row.instances):
            held = inside.object(row.address, place)
            assert held is not None
            assert (
                held.values()["id"]
                == {"a": "1", "b": "2", "d": "d", "abcd1234": "3"}[
                    one.deposed or ("d" if row.mode == "data" else one.address[-3])
                ]
            )


# -- the raw document ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_document_of_the_collection_opens_to_its_values_and_shows_no_secret(path: Path) -> None:
    raw = path.read_bytes()
    document, inside = parse_state(raw, name=path.name), Inside(raw)
    for row in document.resources:
        for place in range(len(row.instances)):
            held = inside.object(row.address, place)
            assert held is not None
            list(leaves(held.values()))
    for output in document.outputs:
        assert inside.output(output.name) is not None
    text = "".join(document_pieces(inside.text, document))
    assert text
    assert not [secret for secret in ("not-a-real-password", "not-real", "bm90aGluZw==") if secret in text]
    assert not [hit for hit in search(document, inside, "not-a-real-password") if hit is not None]
    try:
        json.loads(legible(raw))
    except (ValueError, RecursionError):
        return
    json.loads(text)


def test_a_document_without_its_version_is_masked_by_its_marks_all_the_same() -> None:
    whole = json.loads(state(resource(instance(attributes={"login": SECRET}, sensitive_attributes=[marked("login")]))))
    del whole["version"]
    for document in (whole, [whole], {"state": whole}, {"resources": "x", "deep": whole}):
        raw = json.dumps(document).encode()
        assert SECRET not in "".join(document_pieces(raw, parse_state(raw)))


def test_of_a_state_cut_off_in_the_middle_nothing_is_shown_raw() -> None:
    raw = state(resource(instance(attributes={"login": SECRET}, sensitive_attributes=[marked("login")])))[:-30]
    assert "are not shown" in "".join(document_pieces(legible(raw), parse_state(raw)))


# -- searching -------------------------------------------------------------------------------------------------------------

SEARCHED = state(
    resource(
        instance(
            index_key="eu",
            attributes={"id": "vpc-1", "cidr": "10.0.0.0/16", "login": SECRET, "tags": {"Name": "Web <é>", "n": [True]}},
            sensitive_attributes=[marked("login")],
        ),
        module="module.net",
    ),
    outputs={"endpoint": {"value": "https://web"}, "pw": {"value": SECRET, "sensitive": True}},
)


@pytest.mark.parametrize(
    ("needle", "expected"),
    [
        ("MODULE.net", ['module.net.aws_vpc.v["eu"]']),
        ("vpc-1", ['module.net.aws_vpc.v["eu"]']),
        ("cidr", ['module.net.aws_vpc.v["eu"].cidr']),
        ("10.0.0.0/16", ['module.net.aws_vpc.v["eu"].cidr']),
        ("web <É", ['module.net.aws_vpc.v["eu"].tags.Name']),
        ("tags.n[0]", ['module.net.aws_vpc.v["eu"].tags.n[0]']),
        ("login", ['module.net.aws_vpc.v["eu"].login']),
        ("https", ["output.endpoint"]),
        ("hashicorp", [AWS]),
        ("nowhere", []),
        ("", []),
    ],
)
def test_a_search_goes_over_addresses_ids_names_and_values(needle: str, expected: list[str]) -> None:
    assert found(SEARCHED, needle) == expected


@pytest.mark.parametrize("length", range(1, len(SECRET) + 1))
def test_a_search_answers_no_question_about_a_masked_value(length: int) -> None:
    other = SEARCHED.replace(SECRET.encode(), b"z" * len(SECRET))
    for needle in (SECRET[:length], SECRET[-length:], MASK):
        assert found(SEARCHED, needle) == found(other, needle)


TEXTS = st.text(alphabet='aAkKſ.\\/"<é世\U0001f600\n0', max_size=6)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(TEXTS, st.one_of(TEXTS, st.lists(TEXTS, max_size=2), st.integers(0, 100)), max_size=3), TEXTS, st.booleans()
)
def test_passing_over_undecoded_bytes_loses_nothing(attributes: dict[str, Any], needle: str, ascii_only: bool) -> None:
    document = json.loads(state(resource(instance(attributes=attributes), type="t", name="n")))
    raw = json.dumps(document, ensure_ascii=ascii_only).encode()
    held = Inside(raw).object("t.n", 0)
    assert held is not None
    folded = needle.casefold()
    by_hand = any(
        folded in text.casefold()
        for path, value in leaves(held.values())
        if path
        for text in (step_text(path[-1]), value, path_text(path) if "." in folded or "[" in folded else "")
    )
    hits = [hit for hit in search(parse_state(raw), Inside(raw), needle) if hit is not None and hit.where == "object"]
    if folded and folded not in "t.n":
        assert bool(hits) == by_hand


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(TEXTS, st.one_of(TEXTS, st.lists(TEXTS, max_size=2)), max_size=3), TEXTS, TEXTS)
def test_looking_among_what_was_found_before_finds_the_same(attributes: dict[str, Any], before: str, more: str) -> None:
    raw = state(resource(instance(attributes=attributes)), outputs={"a.": {"value": attributes}})
    document, inside, needle = parse_state(raw), Inside(raw), before + more
    if before and narrows(before, needle):
        among = [hit for hit in search(document, inside, before) if hit is not None]
        again = [hit for hit in search(document, inside, needle, among=among) if hit is not None]
        assert again == [hit for hit in search(document, inside, needle) if hit is not None]


# -- providers and checks --------------------------------------------------------------------------------------------------


def test_providers_are_told_with_their_alias_and_how_much_names_them() -> None:
    west = 'module.m.provider["registry.terraform.io/hashicorp/aws"].west'
    rows = providers_of(
        parse_state(
            state(resource(instance(), name="a"), resource(instance(index_key=0), instance(index_key=1), provider=west))
        ).resources
    )
    assert [(row.source, row.alias, row.resources, row.objects) for row in rows] == [
        ("registry.terraform.io/hashicorp/aws", "west", 1, 2),
        ("registry.terraform.io/hashicorp/aws", "", 1, 1),
    ]


def test_check_results_are_read_failed_ones_first_and_odd_ones_passed_over() -> None:
    passed = {"object_kind": "output_value", "config_addr": "output.a", "status": "pass", "objects": None}
    failed = {
        "object_kind": "check",
        "config_addr": "check.h",
        "status": "fail",
        "objects": [{"object_addr": "check.h", "status": "fail", "failure_messages": ["password=hunter2", 3]}, 5],
    }
    document = parse_state(state(check_results=[passed, "x", failed]))
    assert document.readable
    assert [(row.address, row.failed) for row in document.checks] == [("check.h", True), ("output.a", False)]
    assert document.checks[0].objects[0].messages == (f"password={MASK}",)
    for odd in ("x", 5, {"a": 1}, None):
        assert parse_state(state(check_results=odd)).checks == ()
