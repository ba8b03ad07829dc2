"""Plans of the engine at hand, counted as it counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kumoss_console.local.sidecar import engine_environ
from kumoss_console.model.plan import parse_plan
from kumoss_console.sidecar.engine import Engine
from tests.model.plan_worlds import planned


@pytest.mark.parametrize("world", ["mixed", "import_only", "forget_only"])
def test_the_line_of_the_engine_at_hand_is_met(world: str, engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    shown = planned(world, folder, engine=engine.argv0, environ=engine_environ(os.environ, tmp_path))
    line = next(line for line in shown.text.splitlines() if line.startswith("Plan:"))
    # OpenTofu also says how many it forgets.
    assert line.partition(", ")[0] == parse_plan(shown.document).summary.line.partition(", ")[0]
    assert line.startswith(parse_plan(shown.document).summary.line.removesuffix("."))
