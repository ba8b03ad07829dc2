from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.model.importdiff import state_ids
from kumoss_console.model.state import DocumentKind, parse_state
from tests.model.discovery.states import document, state

STATES = sorted((Path(__file__).parents[1] / "fixtures" / "state").glob("*.tfstate"))


@pytest.mark.parametrize("file", STATES, ids=lambda file: file.stem)
def test_a_state_has_the_identifiers_that_the_contract_says(file: Path) -> None:
    raw = file.read_bytes()
    parsed, found = parse_state(raw, name=file.name), state_ids(raw, key=file.name)
    if parsed.readable and parsed.kind is DocumentKind.STATE:
        assert (found.status, found.contract_ids) == ("read", parsed.ids)
    else:
        # An engine refuses it; whatever it manages is told or said to be unknown, and never taken for nothing.
        assert found.objects or found.status != "read"


def test_addresses_are_those_of_the_engines() -> None:
    raw = (Path(__file__).parents[1] / "fixtures" / "state" / "s01-nested-modules.tfstate").read_bytes()
    addresses = {row.address for one in parse_state(raw, name="x").resources if one.mode == "managed" for row in one.instances}
    assert {held.address for held in state_ids(raw, key="x").objects} == addresses


@pytest.mark.parametrize("name", ["resources", "instances", "attributes", "mode"])
def test_a_member_in_other_case_is_read_as_engines_read_it(name: str) -> None:
    raw = document(("aws_x", "a", {"id": "a"})).replace(f'"{name}"'.encode(), f'"{name.capitalize()}"'.encode())
    assert state_ids(raw, key="k").contract_ids == ("a",)


def test_a_value_that_is_marked_sensitive_is_not_read() -> None:
    raw = document(("aws_x", "a", {"arn": "arn:secret", "id": "public"}))
    marked = raw.replace(b'"attributes"', b'"sensitive_attributes": [[{"type": "get_attr", "value": "arn"}]], "attributes"')
    assert state_ids(marked, key="k").contract_ids == ("public",)


@pytest.mark.parametrize("tags", [{"aws:x": "1"}, {"goog-x": "1"}, {"hidden-link:/x": "1"}, {"k8s.io/x": None}])
def test_tags_whose_bearers_a_listing_leaves_out_are_seen_and_not_kept(tags: dict[str, str | None]) -> None:
    (held,) = state(("aws_x", "a", {"id": "a", "tags": tags})).objects
    assert held.hidden is True
    (held,) = state(("aws_x", "a", {"id": "a", "tags": {"Name": "goog-x kubernetes.io/"}})).objects
    assert held.hidden is False


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_said_to_be_unreadable(raw: bytes) -> None:
    assert state_ids(raw, key="k").status in {"read", "not_a_state", "could_not_look"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["arn", "id", "tags", "x"]), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_attributes_of_any_type_are_read_as_the_contract_says(attributes: object, tags: object) -> None:
    raw = document(("aws_x", "a", {"tags": tags})).replace(b'{"tags"', b'{"more": 1, "tags"')
    assert state_ids(raw, key="k").status == "read"
    decoded = json.loads(document(("aws_x", "a", {})))
    decoded["resources"][0]["instances"][0]["attributes"] = attributes
    changed = json.dumps(decoded).encode()
    parsed, found = parse_state(changed, name="k"), state_ids(changed, key="k")
    assert found.contract_ids == parsed.ids
