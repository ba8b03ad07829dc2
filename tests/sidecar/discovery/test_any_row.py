"""Whatever an inventory sends as a row, the rules pass it over or name it: they never fail."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kumoss_console.sidecar.discovery.aws_rules import resource_arn
from kumoss_console.sidecar.discovery.gcp_rules import asset_id, grants

NAMES = (
    "name",
    "assetType",
    "labels",
    "bindings",
    "role",
    "members",
    "Arn",
    "OwningAccountId",
    "Properties",
    "Name",
    "Data",
    "Key",
)
WORDS = (
    "tags",
    "1",
    "//h/projects/7/x",
    "projects/7",
    "goog-x",
    "user:a",
    "serviceAccount:a.gserviceaccount.com",
    "arn:x",
    "aws:x",
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=12,
)
rows = st.dictionaries(st.sampled_from(NAMES), values, max_size=8)


@given(rows)
@settings(max_examples=150)
def test_any_row_is_passed_over_or_named(row: dict[str, Any]) -> None:
    for told in (asset_id(row, "acme-prod-1", "7"), resource_arn(row, "1")):
        assert told != ""
    assert all(grant.startswith("acme-prod-1 ") for grant in grants(row, "acme-prod-1"))
