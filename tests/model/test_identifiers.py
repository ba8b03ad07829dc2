from __future__ import annotations

import pytest

from kumoss_console.model.identifiers import resource_ids


def managed(*attributes: object) -> dict[str, object]:
    return {"mode": "managed", "instances": [{"attributes": each} for each in attributes]}


def test_the_arn_is_preferred_to_the_id() -> None:
    assert resource_ids({"resources": [managed({"arn": "arn:aws:s3:::logs", "id": "logs"})]}) == ("arn:aws:s3:::logs",)


@pytest.mark.parametrize("arn", [None, "", 7, ["arn"], {"arn": "x"}])
def test_an_arn_that_is_no_text_gives_way_to_the_id(arn: object) -> None:
    assert resource_ids({"resources": [managed({"arn": arn, "id": "www"})]}) == ("www",)


def test_an_instance_without_either_counts_for_nothing() -> None:
    assert resource_ids({"resources": [managed({"name": "x"}, {"id": ""}, {"id": 3}, {"id": "f-1"})]}) == ("f-1",)


def test_repeated_identifiers_appear_once_where_they_appeared_first() -> None:
    document = {"resources": [managed({"id": "b"}, {"id": "a"}), managed({"id": "b"}, {"id": "c"})]}
    assert resource_ids(document) == ("b", "a", "c")


@pytest.mark.parametrize("mode", ["data", "Managed", "", None, 1])
def test_only_the_mode_managed_counts(mode: object) -> None:
    assert resource_ids({"resources": [{"mode": mode, "instances": [{"attributes": {"id": "x"}}]}]}) == ()


def test_resources_of_child_modules_are_flat_and_count_alike() -> None:
    inner = {**managed({"id": "inner"}), "module": "module.a.module.b[0]"}
    assert resource_ids({"resources": [managed({"id": "outer"}), inner]}) == ("outer", "inner")


@pytest.mark.parametrize(
    "document",
    [
        None,
        42,
        "text",
        [],
        {},
        {"version": 4},
        {"resources": None},
        {"resources": {"mode": "managed"}},
        {"resources": ["text", 7, None, []]},
        {"resources": [{"mode": "managed"}]},
        {"resources": [{"mode": "managed", "instances": "text"}]},
        {"resources": [{"mode": "managed", "instances": [{}, "text", None, {"attributes": []}, {"attributes": "x"}]}]},
    ],
)
def test_whatever_is_malformed_is_passed_over_in_silence(document: object) -> None:
    assert resource_ids(document) == ()
