"""One table of settings: the documentation, both command lines and the environment say the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kumoss_console.sidecar.variables import OPTIONS, TOKEN, VARIABLES, overlaid
from tests.sidecar.conftest import Serving
from tests.sidecar.running import COMMAND

DOCS = Path(__file__).parents[2] / "docs" / "sidecar.md"


def row_of(name: str, option: str, default: str, meaning: str) -> str:
    shown = f"`{default}`" if default else "unset"
    return f"| `{name}` | {f'`{option}`' if option else 'none'} | {shown} | {meaning} |"


def test_the_documentation_has_every_setting_as_the_service_reads_it() -> None:
    documented = [line for line in DOCS.read_text().splitlines() if re.match(r"\| `(IAC|KUMOSS)_", line)]
    assert documented == [row_of(each.name, each.option, each.default, each.meaning) for each in VARIABLES]


def test_a_secret_has_no_option() -> None:
    assert TOKEN not in OPTIONS
    assert len(OPTIONS) == len(VARIABLES) - 1


def test_an_option_goes_before_its_variable(serving: Serving) -> None:
    environ = overlaid({"IAC_JOB_TTL": "1", "IAC_STOP_WAIT": "2"}, {"IAC_JOB_TTL": "3", "IAC_STOP_WAIT": None})
    settings = serving.settings(**environ)
    assert (settings.job_ttl, settings.stop_wait) == (3, 2)


@pytest.mark.parametrize("program", [COMMAND, (sys.executable, "-m", "kumoss_console", "sidecar", "serve")])
def test_both_command_lines_have_every_option(program: tuple[str, ...]) -> None:
    helped = subprocess.run((*program, "--help"), capture_output=True, text=True, check=True, timeout=60)
    words = helped.stdout.split()
    for variable in OPTIONS:
        assert variable.option in words


def test_a_setting_given_as_an_option_is_named_by_both_where_it_is_wrong() -> None:
    refused = subprocess.run(
        (*COMMAND, "--binary", "/bin/true", "--command-timeout", "soon"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PATH": os.defpath},
    )
    assert refused.returncode == 2
    assert "IAC_COMMAND_TIMEOUT" in refused.stderr
    assert "--command-timeout" in refused.stderr
