"""The console as a process on a terminal, on real clients, with services that never answer or are not there."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.terminal import terminal

TRIES = 5


@pytest.fixture
def loop_stays_free() -> None:
    """Nothing runs on this process's loop here; starting a child blocks, as it should."""


@pytest.fixture(params=["hangs", "is dead"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """An address that accepts connections and never says a word, or one where nobody listens."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = listener.getsockname()[1]
        if request.param == "is dead":
            listener.close()
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize(("view", "words"), [("1", "Ownership"), ("2", "WORKSPACE"), ("6", "MODIFIED")])
def test_it_opens_and_leaves_within_a_second(address: str, view: str, words: str, isolated: Path) -> None:
    config = isolated / "config.yaml"
    config.write_text(f"storage:\n  endpoint_url: {address}\nservices:\n  iac:\n    endpoint: {address}\n", encoding="utf-8")
    env = {name: value for name, value in os.environ.items() if name.startswith(("XDG_", "HOME", "PATH", "LANG"))}
    env |= {"KUMOSS_CONFIG": str(config), "TEXTUAL_ANIMATIONS": "none"}
    # A loaded machine can make any one exit slow; what would hang, hangs every time.
    assert any(_seconds_to_leave(view, words, env, isolated) < 1.0 for _ in range(TRIES))


def _seconds_to_leave(view: str, words: str, env: dict[str, str], folder: Path) -> float:
    """From the key to the end of the process, while the services have been asked and have not answered."""
    with terminal([sys.executable, "-m", "kumoss_console"], env=env, cwd=folder, columns=80, lines=24) as program:
        program.wait_for("Ownership")
        program.press(view)
        program.wait_for(words)
        started = time.monotonic()
        program.press("\x11")
        assert program.wait() == 0
        took = time.monotonic() - started
    assert "Traceback" not in program.seen
    return took
