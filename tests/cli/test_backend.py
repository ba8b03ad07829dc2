"""``backend``: the effective backend of a folder, as a table and as JSON, with secrets masked and an exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.model.storage import StorageSettings
from tests.cli.harness import Console

_SECRET = "k3y-that-nobody-may-see"


@pytest.fixture
def workspace(isolated: Path) -> Path:
    folder = isolated / "ws"
    folder.mkdir()
    (folder / "main.tf").write_text(
        'terraform {\n  backend "s3" {\n    bucket = "base"\n    key = "k.tfstate"\n    region = "eu-west-1"\n'
        f'    secret_key = "{_SECRET}"\n    access_key = "AKIA-WRITTEN"\n  }}\n}}\n'
    )
    (folder / "prod.hcl").write_text('bucket = "prod"\n')
    return folder


def test_json_has_the_shape_value_by_value(console: Console, workspace: Path) -> None:
    run = console.run("backend", "ws", "--backend-config", "prod.hcl", "--engine", "terraform", "--json")

    assert run.code == 0
    assert list(run.data)[:5] == ["type", "model", "engine", "attributes", "findings"]
    assert (run.data["type"], run.data["engine"]) == ("s3", "terraform")
    bucket = run.data["attributes"][0]
    assert list(bucket)[:5] == ["name", "value", "origin", "shadows", "bound"]
    assert (bucket["name"], bucket["value"], bucket["bound"]) == ("bucket", "prod", None)
    assert (bucket["origin"]["layer"], bucket["origin"]["file"], bucket["origin"]["line"]) == ("backend-config", "prod.hcl", 1)
    assert [(shadow["value"], shadow["origin"]["line"]) for shadow in bucket["shadows"]] == [("base", 3)]


def test_credentials_are_masked_until_asked_for(console: Console, workspace: Path) -> None:
    hidden, shown = console.run("backend", "ws", "--json"), console.run("backend", "ws", "--json", "--reveal")
    table = console.run("backend", "ws")

    assert _SECRET not in hidden.out + hidden.err + table.out + table.err
    assert "AKIA-WRITTEN" not in hidden.out + table.out
    assert _SECRET in shown.out
    assert "backend.credentials_in_files" in {finding["code"] for finding in hidden.data["findings"]}


def test_a_credential_in_an_option_is_masked_too(console: Console, workspace: Path) -> None:
    run = console.run("backend", "ws", "--backend-config", f"secret_key={_SECRET}2", "--json")

    assert _SECRET not in run.out + run.err


def test_a_refusal_of_the_engine_is_exit_code_1_in_its_words(console: Console, workspace: Path) -> None:
    (workspace / "main.tf").write_text('terraform {\n  backend "local" {\n    path = var.where\n  }\n}\n')

    refused = console.run("backend", "ws", "--engine", "terraform", "--json")
    table = console.run("backend", "ws", "--engine", "terraform")

    assert (refused.code, refused.data["type"], refused.data["attributes"]) == (1, None, [])
    error = next(finding for finding in refused.data["findings"] if finding["severity"] == "error")
    assert error["subject"] == "main.tf:3"
    assert error["message"].startswith("Variables not allowed: ")
    assert "var.where" in error["message"]
    assert error["remedy"]
    assert "the engine refuses local" in table.out


def test_a_file_without_a_backend_block_is_bad_news_although_init_ends_with_0(console: Console, workspace: Path) -> None:
    (workspace / "main.tf").write_text('output "x" {\n  value = 1\n}\n')

    run = console.run("backend", "ws", "--backend-config", "prod.hcl", "--json")

    assert (run.code, run.data["type"], run.data["attributes"]) == (1, "local", [])
    assert "backend.silent_local" in {finding["code"] for finding in run.data["findings"]}


def test_what_the_engine_bound_stands_beside_what_is_written(console: Console, workspace: Path) -> None:
    pointer = workspace / ".terraform" / "terraform.tfstate"
    pointer.parent.mkdir()
    config = {"bucket": "old", "key": "k.tfstate", "region": "eu-west-1", "secret_key": "another", "encrypt": None}
    pointer.write_text(json.dumps({"version": 3, "terraform_version": "1.11.4", "backend": {"type": "s3", "config": config}}))

    run, table = console.run("backend", "ws", "--json"), console.run("backend", "ws")

    assert run.data["bound"]["differs"] == ["bucket", "secret_key", "access_key"]
    assert [item["bound"] for item in run.data["attributes"]] == ["old", "k.tfstate", "eu-west-1", "********", None]
    assert "another" not in run.out + table.out
    assert "differs in bucket" in table.out


def test_an_unknown_engine_and_a_missing_folder_are_input_errors(console: Console, workspace: Path) -> None:
    engine = console.run("backend", "ws", "--engine", "pulumi", "--json")
    folder = console.run("backend", "absent", "--json")

    assert (engine.code, engine.error["code"]) == (2, "engine.unknown")
    assert (folder.code, folder.error["code"]) == (2, "workspace.missing")


def test_hostile_names_and_values_reach_the_terminal_as_text(console: Console, workspace: Path) -> None:
    (workspace / "\x1b]0;x\x07_override.tf").write_text('terraform {\n  backend "local" {\n    path = "\x1b[2J\u202e"\n  }\n}\n')

    table, machine = console.run("backend", "ws"), console.run("backend", "ws", "--json")

    assert "\x1b" not in table.out + machine.out
    assert "\u202e" not in table.out + machine.out
    assert machine.data["attributes"][0]["value"] == "\x1b[2J\u202e"


def test_a_state_that_nobody_keeps_ends_with_1_in_backend_and_in_trace(console: Console, isolated: Path) -> None:
    off = replace(console.contexts[0], storage=StorageSettings(terraform_state_bucket=""), projects=())
    console.contexts = (off, *console.contexts[1:])
    (isolated / "own").mkdir()
    (isolated / "own" / "main.tf").write_text('resource "terraform_data" "one" {}\n')
    backend, trace = console.run("backend", "own"), console.run("trace", "own", "--json")

    assert backend.code == 1
    assert "is lost with it" in backend.out
    assert (trace.code, trace.data["verdict"]) == (1, "disagree")
    assert "Nobody keeps this state" in trace.data["summary"]
