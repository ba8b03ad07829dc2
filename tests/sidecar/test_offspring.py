"""Whatever a job started ends with it, also what left its group: the service finds it below itself."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.sidecar.running import Running, close, start
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a process that inherits orphans")

# Starts what leaves the engine's group: in a session of its own, without its parent, and without its environment as well.
LEAVING = """#!/bin/sh
here=$PWD
setsid sh -c "echo \\$\\$ >> $here/pids; exec sleep 1000" &
setsid sh -c "sh -c 'echo \\$\\$ >> $here/pids; exec sleep 1000' &"
env -i /usr/bin/setsid /bin/sh -c "/bin/sh -c 'echo \\$\\$ >> $here/pids; exec /bin/sleep 1000' &"
while [ "$(wc -l < pids)" -lt 3 ]; do sleep 0.02; done
case "$1" in validate) while :; do sleep 0.1; done;; esac
"""


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def left(workspace: Path) -> list[int]:
    """Those of the three that a job started which still run."""
    pids = [int(line) for line in (workspace / "pids").read_text().split()]
    assert len(pids) == 3
    return [pid for pid in pids if runs(pid)]


@pytest.fixture
async def sidecar(tmp_path: Path) -> AsyncIterator[Running]:
    engine = tmp_path / "engine"
    engine.write_text(LEAVING)
    engine.chmod(0o755)
    environ = {"IAC_BINARY": str(engine), "IAC_COMMAND_TIMEOUT": "5", "IAC_STOP_GRACE": "0.1"}
    running = start(environ, tmp_path / "sidecar.log")
    yield running
    await close(running)


async def test_what_left_the_group_is_gone_when_its_job_has_ended(sidecar: Running, workspace: Path) -> None:
    job = await sidecar.outcome("/v1/show", workspace_path=str(workspace), plan_file="p")
    assert job["result"]["exit_code"] == 0
    assert left(workspace) == []


async def test_what_left_the_group_is_gone_when_a_timeout_is_told(sidecar: Running, workspace: Path) -> None:
    job = await sidecar.outcome("/v1/validate", workspace_path=str(workspace))
    assert job["error"]["status"] == 504
    assert "ended with all it had started" in job["error"]["detail"]
    assert left(workspace) == []


async def test_what_left_the_group_is_gone_when_the_service_has_stopped(sidecar: Running, workspace: Path) -> None:
    await sidecar.submit("/v1/validate", workspace_path=str(workspace))
    await wait_until(lambda: (workspace / "pids").exists() and len(left_or_none(workspace)) == 3)
    sidecar.stop()
    assert left(workspace) == []


def left_or_none(workspace: Path) -> list[str]:
    return (workspace / "pids").read_text().split()


async def test_a_job_beside_it_loses_nothing_and_what_shows_no_owner_ends_with_the_last_that_could_be(
    sidecar: Running, workspace: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    beside = await sidecar.submit("/v1/validate", workspace_path=str(other))
    await wait_until(lambda: (other / "pids").exists() and len(left_or_none(other)) == 3)
    await sidecar.outcome("/v1/show", workspace_path=str(workspace), plan_file="p")
    assert len(left(other)) == 3
    # The one without an environment might be the other's: it is left alone until that has ended as well.
    assert len(left(workspace)) == 1
    ended = await sidecar.job_at(beside)
    assert "ended with all it had started" in ended["error"]["detail"]
    assert left(other) == left(workspace) == []
