"""A guarded process ends with its owner, whatever ends the owner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kumoss_console.local.guarded import guarded
from tests.local.processes import is_alive, until

# Says its id, then its child's, and hangs. The child leads a group of its own, as an engine under a sidecar does.
_FAMILY = """
import os, signal, subprocess, sys, time
{ignore}
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""
_STUBBORN = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
_ORDERLY = (
    "signal.signal(signal.SIGTERM, lambda *_: (child.kill(), child.wait(), print('ended in order', flush=True), sys.exit(0)))"
)

# An owner that starts the family and never ends it itself.
_OWNER = """
import os, sys, time
from pathlib import Path
from kumoss_console.local.guarded import guarded
folder = Path(sys.argv[1])
with guarded([sys.executable, "-c", sys.argv[2]], cwd=folder, environ=os.environ, stdout=folder / "out", stderr=folder / "err",
             grace=float(sys.argv[3]), leftovers=[str(folder / "leftover")]):
    print("up", flush=True)
    time.sleep(600)
"""


def _family(out: Path) -> list[int]:
    until(lambda: out.exists() and out.read_text().endswith("\n"))
    return [int(word) for word in out.read_text().splitlines()[0].split()]


@pytest.mark.parametrize(("code", "grace"), [(_FAMILY.format(ignore=""), 0.0), (_FAMILY.format(ignore=_STUBBORN), 0.2)])
def test_the_process_and_its_childrens_groups_end_with_the_block(tmp_path: Path, code: str, grace: float) -> None:
    argv = [sys.executable, "-c", code]

    with guarded(argv, cwd=tmp_path, environ=os.environ, stdout=tmp_path / "out", stderr=tmp_path / "err", grace=grace):
        family = _family(tmp_path / "out")
        assert all(map(is_alive, family))

    until(lambda: not any(map(is_alive, family)))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_it_ends_when_its_owner_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "leftover").touch()
    argv = [sys.executable, "-c", _OWNER, str(tmp_path), _FAMILY.format(ignore=""), "0"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as owner:
        family = _family(tmp_path / "out")

        owner.send_signal(number)
        owner.wait(10)

    until(lambda: not any(map(is_alive, family)))
    until(lambda: not (tmp_path / "leftover").exists())


def test_it_has_its_grace_to_end_in_order(tmp_path: Path) -> None:
    code = _FAMILY.format(ignore="").replace("print(os.getpid()", f"{_ORDERLY}\nprint(os.getpid()")
    argv = [sys.executable, "-c", code]

    with guarded(argv, cwd=tmp_path, environ=os.environ, stdout=tmp_path / "out", stderr=tmp_path / "err", grace=10.0) as process:
        _family(tmp_path / "out")

    assert "ended in order" in process.answered()
    assert process.exit_code() == 0


def test_its_own_end_is_seen_with_its_exit_code_and_last_words(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", "import sys; sys.stderr.write('no such \\x1bthing\\n'); sys.exit(7)"]

    with guarded(argv, cwd=tmp_path, environ=os.environ, stdout=tmp_path / "out", stderr=tmp_path / "err") as process:
        until(lambda: process.exit_code() is not None)

        assert process.exit_code() == 7
        assert process.said() == "no such ␛thing"
