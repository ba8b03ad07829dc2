"""Another workspace of the engine is selected: its key is none that the core wrote, and the default one may hold the state."""

from __future__ import annotations

import pytest

from kumoss_console.model.trace import Place
from kumoss_console.model.trace.place import default_place, place_of
from kumoss_console.model.trace.wording import short
from tests.screens.objects import resource, state
from tests.services.trace.test_service import KEY, Desk, desk

__all__ = ["desk"]

BLUE = f"env:/blue/{KEY}"


async def test_an_empty_workspace_of_the_engine_is_traced_to_the_default_one_that_holds_the_state(desk: Desk) -> None:
    folder = desk.workspace()
    (folder / ".terraform" / "environment").write_text("blue")
    desk.objects[KEY] = state(41, resources=[resource("a")])
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "workspace_selected"), trace.summary
    assert "holds serial 41, 1 resource" in trace.summary
    assert [step.command for step in trace.steps] == [
        f"tofu -chdir={folder} workspace select default",
        f"tofu -chdir={folder} plan",
    ]
    assert trace.evidence.project is not None  # found by the key, whatever is selected
    core, engine, store = trace.layers
    assert core.place is not None
    assert (core.place.key, core.status) == (KEY, "wrote")
    assert "the core knows no workspaces of the engine" in core.detail
    assert "the override on disk names key" not in core.detail
    assert engine.place is not None
    assert engine.place.key == BLUE
    assert {one.key: one.role for one in store.stored} == {
        KEY: "the core writes, the override names",
        BLUE: "the engine bound, the files name",
    }


async def test_where_nothing_is_bound_the_selection_is_said_beside_what_the_core_writes(desk: Desk) -> None:
    folder = desk.unbound()
    (folder / ".terraform" / "environment").write_text("blue")
    nothing = await desk.trace(folder)
    desk.objects[BLUE] = state(5)
    own = await desk.trace(folder)
    key = f"key env:/blue/{short(KEY)}"
    said = "the next init binds what the core writes, and of that the engine's workspace blue, which is selected, reads: bucket"
    assert own.verdict == nothing.verdict == "agree"
    for trace in (nothing, own):
        assert said in trace.summary
        assert key in trace.summary
    assert (
        "an init selects the default workspace where there is no other, and ends with an error where there is one"
        in nothing.summary
    )
    assert "an init selects" not in own.summary


async def test_a_selection_is_changed_once_something_is_bound(desk: Desk) -> None:
    folder = desk.unbound()
    (folder / ".terraform" / "environment").write_text("blue")
    desk.objects[KEY] = state(41)
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "workspace_selected"), trace.summary
    assert "nothing is bound yet, and the engine's workspace blue is selected" in trace.summary
    assert [step.command for step in trace.steps] == [
        f"TF_WORKSPACE=default tofu -chdir={folder} init -input=false",
        f"tofu -chdir={folder} workspace select default",
        f"tofu -chdir={folder} plan",
    ]


async def test_a_workspace_of_the_engine_with_a_state_of_its_own_agrees(desk: Desk) -> None:
    folder = desk.workspace()
    (folder / ".terraform" / "environment").write_text("blue")
    desk.objects.update({KEY: state(41), BLUE: state(5)})
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.cause) == ("agree", "")
    assert "serial 5" in trace.summary


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("s3", {"bucket": "b", "key": "a/k"}),
        ("s3", {"bucket": "b", "key": "a/k", "workspace_key_prefix": "team/x"}),
        ("azurerm", {"container_name": "c", "key": "k", "storage_account_name": "s"}),
        ("gcs", {"bucket": "b", "prefix": "p"}),
        ("gcs", {"bucket": "b"}),
        ("local", {"path": "x.tfstate"}),
    ],
)
def test_the_default_place_is_that_of_no_workspace(type_: str, values: dict[str, str]) -> None:
    plain: Place = place_of(type_, values)
    assert default_place(place_of(type_, values, selected="blue"), "blue") == plain
    assert default_place(plain, "default") == plain
