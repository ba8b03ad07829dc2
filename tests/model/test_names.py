"""Short names: as much as tells one thing from its neighbours, and no more."""

from __future__ import annotations

import pytest

from kumoss_console.model.names import operation_name, workspace_name


@pytest.mark.parametrize(
    ("path", "root", "name"),
    [
        ("/workspaces/acme-net_a1b2", "/workspaces", "acme-net_a1b2"),
        ("/workspaces/payments_dde4e90a/infra", "/workspaces", "payments_dde4e90a/infra"),
        ("/workspaces/payments_dde4e90a/infra/", "/workspaces/", "payments_dde4e90a/infra"),
        ("/workspaces/a/b/c/d", "/workspaces", "a/b/c/d"),
        ("/workspaces2/a/b", "/workspaces", "a/b"),
        ("/workspaces/../etc/shadow/x", "/workspaces", "shadow/x"),
        ("/workspaces", "/workspaces", "workspaces"),
        ("/srv/deep/payments_dde4e90a/infra", None, "payments_dde4e90a/infra"),
        ("/infra", None, "infra"),
        ("/", None, "/"),
        ("/a", "/", "a"),
        ("", "/workspaces", ""),
    ],
)
def test_a_workspace_is_named_below_the_root_and_else_by_its_last_two_parts(path: str, root: str | None, name: str) -> None:
    assert workspace_name(path, root) == name


@pytest.mark.parametrize(
    ("operation", "word"),
    [
        ("OperationTypeApply", "apply"),
        ("OperationTypePlan", "plan"),
        ("apply", "apply"),
        ("state-mv", "state-mv"),
        ("Migrate State", "Migrate State"),
        ("OperationType", "OperationType"),
        ("", ""),
    ],
)
def test_an_operation_is_told_in_the_operators_word(operation: str, word: str) -> None:
    assert operation_name(operation) == word
