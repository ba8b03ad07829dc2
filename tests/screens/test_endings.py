"""However the console ends, the terminal is given back, and nothing that was on the screen or in memory is left on it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.terminal import Terminal, terminal

PROGRAM = (sys.executable, "-m", "kumoss_console")
LEFT = "\x1b[?1049l"
MOUSE_OFF = "\x1b[?1000l"
TOKEN = "a-token-that-only-a-frame-holds"

CRASHING = f"""
import sys
from textual.worker import WorkerFailed
from kumoss_console.cli.main import run
from screens.overview.screen import OverviewScreen

async def breaks(self):
    token = "{TOKEN}"
    raise RuntimeError(f"no such thing as {{len(token)}}")

setattr(OverviewScreen, sys.argv.pop(1), breaks)
run()
"""


@pytest.fixture
def loop_stays_free() -> None:
    """Nothing runs on this process's loop here; starting a child blocks, as it should."""


def environ() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name.startswith(("XDG_", "HOME", "PATH", "LANG", "TEXTUAL"))}
    # Nothing listens on these: a dead service must not change how the console ends.
    return kept | {"STORAGE_ENDPOINT_URL": "http://127.0.0.1:9", "KUMOSS_IAC_TOKEN": "a-bearer-token"}


def given_back(program: Terminal) -> bool:
    return LEFT in program.seen and MOUSE_OFF in program.seen


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_gives_the_terminal_back_and_ends_with_130(isolated: Path, number: signal.Signals) -> None:
    with terminal(PROGRAM, env=environ(), cwd=isolated, columns=80, lines=24) as program:
        program.wait_for("Ownership")
        program.process.send_signal(number)

        assert program.wait() == 130
        assert given_back(program)
        assert "Traceback" not in program.seen


def test_a_terminal_that_closes_says_so_twice_and_the_console_still_ends_in_order(isolated: Path) -> None:
    with terminal(PROGRAM, env=environ(), cwd=isolated, columns=80, lines=24) as program:
        program.wait_for("Ownership")
        program.process.send_signal(signal.SIGHUP)
        program.process.send_signal(signal.SIGHUP)

        assert program.wait() == 130
        assert given_back(program)


@pytest.mark.parametrize("where", ["load", "on_mount", "_on_key"])
def test_a_crash_gives_the_terminal_back_and_is_reported_once_without_local_variables(isolated: Path, where: str) -> None:
    argv = (sys.executable, "-c", CRASHING, where)
    with terminal(argv, env=environ(), cwd=isolated, columns=80, lines=24) as program:
        if where == "_on_key":
            program.wait_for("Ownership")
            program.press("x")

        assert program.wait() == 70
        assert given_back(program)
        after = program.seen.rpartition(LEFT)[2]
        assert after.count("has a bug: RuntimeError: no such thing as 31") == 1
        assert "in breaks" in after
        assert "Please report this" in after
        for never in ("Traceback", "╭", "locals", TOKEN):
            assert never not in program.seen
