"""``trace`` and ``workspaces``: the shapes, the words, and exit codes that a script can rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumoss_console.errors import Unreachable
from kumoss_console.model.project import derive
from tests.cli.conftest import SECRET_KEY
from tests.cli.harness import Console
from tests.fakes.store import FakeStore
from tests.screens.objects import state
from tests.screens.workspaces import bound_workspace

REPO = "https://github.com/acme/infra"
PROJECT = ("--repo", REPO, "--scope", "prod", "--path", "envs/eu")
KEY = derive(REPO, "prod", "envs/eu").object_key()
OLD = derive(REPO, "prod", "eu").object_key()


def workspace(console: Console, folder: Path, *, bound: str = KEY, written: str = KEY) -> Path:
    """A workspace of the console's first context."""
    return bound_workspace(folder, console.contexts[0], console.clock(), bound=bound, written=written)


def test_json_has_the_shape_layer_by_layer(console: Console, store: FakeStore, isolated: Path) -> None:
    store.objects[KEY] = state(41)
    workspace(console, isolated / "ws")
    run = console.run("trace", "ws", "--json")

    assert run.code == 0, run.out
    assert list(run.data)[:4] == ["verdict", "summary", "layers", "findings"]
    assert run.data["verdict"] == "agree"
    assert [list(layer)[:6] for layer in run.data["layers"]] == [["layer", "status", "bucket", "key", "evidence", "detail"]] * 3
    assert [layer["layer"] for layer in run.data["layers"]] == ["core", "engine", "store"]
    assert {layer["key"] for layer in run.data["layers"]} == {KEY}
    assert run.data["layers"][1]["age_seconds"] == 3 * 3600
    [held] = run.data["layers"][2]["objects"]
    assert (held["serial"], held["status"], held["lock_status"]) == (41, "present", "unlocked")


def test_the_sentence_comes_first_and_a_disagreement_ends_with_1(console: Console, store: FakeStore, isolated: Path) -> None:
    store.objects[OLD] = state(41)
    workspace(console, isolated / "ws", bound=OLD)
    plain, machine = console.run("trace", "ws", *PROJECT), console.run("trace", "ws", *PROJECT, "--json")

    assert (plain.code, machine.code) == (1, 1)
    assert plain.out.startswith("✗ They disagree: the engine is bound to the old key")
    assert "the module path changed from eu to envs/eu" in plain.out
    assert "Next, by hand" in plain.out
    assert machine.data["cause"] == "project_changed"
    assert [step["purpose"] for step in machine.data["next"]][-1] == "plan, and expect no changes"
    assert machine.data["findings"][0]["code"] == "trace.project_changed"


def test_a_store_that_gives_no_answer_ends_with_3_and_still_says_the_rest(
    console: Console, store: FakeStore, isolated: Path
) -> None:
    store.errors["head"] = Unreachable("store.test:9000 cannot be reached")
    workspace(console, isolated / "ws")
    run = console.run("trace", "ws", "--json")

    assert (run.code, run.data["verdict"], run.data["layers"][2]["status"]) == (3, "unknown", "unknown")
    assert run.data["layers"][1]["status"] == "bound"


def test_lineage_and_an_assumed_engine_are_said(console: Console, store: FakeStore, isolated: Path) -> None:
    store.objects[KEY] = state(41)
    lineage = json.loads(store.objects[KEY])["lineage"]
    workspace(console, isolated / "ws")
    plain, machine = console.run("trace", "ws"), console.run("trace", "ws", "--json")

    assert f"lineage {lineage}" in " ".join(plain.out.split())
    assert "(assumed)" in plain.out
    assert machine.data["engine_assumed"] is True


def test_a_place_of_the_same_store_at_another_key_says_the_check_before_the_push(
    console: Console, store: FakeStore, isolated: Path
) -> None:
    store.objects[OLD] = state(41)
    workspace(console, isolated / "ws", bound=OLD)
    steps = [step["purpose"] for step in console.run("trace", "ws", *PROJECT, "--json").data["next"]]

    assert steps.index("push to the new place, which must be empty") > next(
        n for n, step in enumerate(steps) if "must show" in step
    )


def test_a_project_alone_is_unknown_which_is_no_failure(console: Console, store: FakeStore) -> None:
    store.objects[KEY] = state(41)
    run = console.run("trace", *PROJECT, "--json")

    assert (run.code, run.data["verdict"]) == (0, "unknown")
    assert run.data["project"]["repo"] == "github.com/acme/infra"


@pytest.mark.parametrize("given", ["-", "core.log"])
def test_a_core_log_is_read_from_a_file_or_from_stdin(console: Console, store: FakeStore, isolated: Path, given: str) -> None:
    store.objects[KEY] = state(41)
    line = f"noise\n2026-01-02 02:04:05,000 INFO core: Terraform state: rustfs bucket=kumoss-terraform-state key={KEY}\n"
    (isolated / "core.log").write_text(line)
    run = console.run("trace", "--log", given, "--json", stdin=line.encode())

    core = run.data["layers"][0]
    assert (core["status"], core["key"], core["evidence"]) == ("wrote", KEY, "the core's log, line 2")
    assert core["age_seconds"] == 3600


@pytest.mark.parametrize(
    "argv",
    [(), ("--repo", REPO), ("--scope", "prod"), ("--path", "x"), ("nowhere",), ("--log", "nowhere.log"), ("",)],
    ids=lambda argv: " ".join(argv) or "nothing",
)
def test_what_is_missing_ends_with_2_and_says_what(console: Console, argv: tuple[str, ...]) -> None:
    run = console.run("trace", *argv, "--json")

    assert run.code == 2
    assert run.error["hint"]


def test_no_credential_is_printed(console: Console, isolated: Path) -> None:
    workspace(console, isolated / "ws", bound=OLD)
    runs = [console.run("trace", "ws", *PROJECT, *more) for more in ((), ("--json",))]

    for run in runs:
        assert SECRET_KEY not in run.out + run.err
        assert "wJalrXUtnFEMI" not in run.out + run.err


def test_workspaces_lists_model_bound_state_owner_and_age(console: Console, isolated: Path) -> None:
    project = console.contexts[0].projects[0]
    key = derive(project.repo, project.scope, project.path).object_key()
    workspace(console, isolated / "root" / "infra_1" / "envs", bound=key, written=KEY)
    plain, machine = console.run("workspaces", "root"), console.run("workspaces", "root", "--json")
    stream = console.run("workspaces", "root", "--stream")

    assert (plain.code, machine.code, stream.code) == (0, 0, 0)
    [row] = machine.data
    assert list(row)[:4] == ["workspace", "name", "model", "bound"]
    assert (row["name"], row["model"], row["bound"]["key"], row["differs"]) == ("infra_1/envs", "managed", key, ["key"])
    assert row["owner"]["name"] == "acme/infra"
    assert stream.items == [row]
    assert "3 h ago" in plain.out
    assert "override names another key" in plain.out


def test_workspaces_without_a_root_is_refused_with_a_next_step(console: Console) -> None:
    run = console.run("workspaces", "--json")

    assert run.code == 5
    assert "workspaces_root" in run.error["hint"]
