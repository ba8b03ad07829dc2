from __future__ import annotations

import pytest

from kumoss_console.model.rootmodules import root_modules, tells


@pytest.mark.parametrize(
    ("files", "roots"),
    [
        (["main.tf"], ["."]),
        (["x.tf"], ["."]),
        (["README.md", "main.tf.json", "x.tofu"], []),
        (["main.tf", "modules/net/main.tf", "examples/a/main.tf", "example/main.tf", ".terraform/modules/x/main.tf"], ["."]),
        (["Modules/main.tf"], ["Modules"]),
        (["a/main.tf", "a/b/main.tf"], ["a", "a/b"]),
        (["a/main.tf", "a/b/x.tf"], ["a"]),
        (["a/x.tf", "a/b/y.tf"], ["a/b"]),
        (["a/x.tf", "a/b/c/y.tf"], ["a/b/c"]),
        (["x.tf", "a/b.tf"], [".", "a"]),
        (["main.tf", "a/b.tf"], [".", "a"]),
        (["a/x.tf", "a/modules/y/main.tf"], ["a"]),
        (["a/x.tf", "a/prod.tfvars", "a/b/y.tf"], ["a"]),
        (["a/x.tf", "a/prod.tfvars.json"], ["a"]),
        (["a/prod.tfvars", "b/x.tf"], ["b"]),
        (["a/b/x.tf", "a-b/x.tf"], ["a-b", "a/b"]),
        (["b/main.tf", "a/versions.tf", "c/backend.tf"], ["a", "b", "c"]),
        ([], []),
    ],
)
def test_the_core_offers_exactly_these_folders(files: list[str], roots: list[str]) -> None:
    assert list(root_modules(files)) == roots


@pytest.mark.parametrize(("name", "has"), [("x.tf", True), ("prod.tfvars", True), ("x.tfvars.json", True), ("x.tf.json", False)])
def test_only_names_that_have_a_say_need_to_be_collected(name: str, has: bool) -> None:
    assert tells(name) is has
