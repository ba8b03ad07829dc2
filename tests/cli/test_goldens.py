"""The bytes are the contract: what scripts parse is compared as a whole. A changed golden is a changed promise.

``UPDATE_GOLDENS=1 pytest tests/cli/test_goldens.py`` writes them anew; read the difference before you commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import DIGEST, REPO, SCOPE
from tests.cli.harness import Console
from tests.cli.test_state import LOCK, STATE
from tests.fakes.store import FakeStore

GOLDENS = Path(__file__).with_name("goldens")
KEY = f"{DIGEST}/terraform.tfstate"
CASES = {
    "key": ("key", "--repo", "https://GitHub.com:8443/acme/infra.git", "--scope", SCOPE, "--path", "/net/"),
    "key-check": ("key", "--repo", REPO, "--scope", SCOPE, "--check"),
    "key-owner": ("key", "--owner", KEY),
    "key-refused": ("key", "--repo", "git@github.com:acme/infra", "--scope", SCOPE),
    "override": ("override", "--repo", REPO, "--scope", SCOPE),
    "contexts": ("contexts",),
    "state-list": ("state", "list"),
    "state-show": ("state", "show", KEY),
    "state-absent": ("state", "show", "0" * 64),
    "jobs-submit": ("jobs", "submit", "plan", "--workspace", "/w", "--scope", "s", "--provider", "gcp", "--plan-file", "p"),
    "jobs-unconfirmed": (
        *("jobs", "submit", "apply", "--workspace", "/w/net", "--scope", "s", "--provider", "gcp", "--plan-file", "p"),
    ),
    "jobs-unknown": ("jobs", "show", "abcdef"),
    "overview": ("overview",),
    "usage": ("jobs", "sumbit"),
}


@pytest.fixture
def filled(console: Console, store: FakeStore) -> Console:
    store.objects = {KEY: json.dumps(STATE).encode(), f"{KEY}.tflock": json.dumps(LOCK).encode(), "read\x1bme": b"x"}
    return console


@pytest.mark.parametrize("form", ["json", "txt"])
@pytest.mark.parametrize("name", CASES)
def test_the_output_is_what_was_promised(filled: Console, name: str, form: str) -> None:
    run = filled.run(*CASES[name], *(("--json",) if form == "json" else ()))
    told = f"{run.out}--- stderr ---\n{run.err}--- exit {int(run.code)}\n"
    golden = GOLDENS / f"{name}.{form}"
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(told)
        pytest.skip(f"{golden.name} was written")

    assert told == golden.read_text(), f"{golden.name} is not what it was"


def test_no_golden_is_left_over() -> None:
    assert {path.stem for path in GOLDENS.iterdir()} == set(CASES)
