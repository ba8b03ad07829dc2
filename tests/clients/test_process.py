"""Children of this process, real ones."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from kumoss_console.clients import process
from tests.waiting import wait_until

SHELL = ("/bin/sh", "-c")
ENV = {"PATH": os.defpath}


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
    # A zombie that waits for its parent runs nothing any more.
    return stat.rpartition(")")[2].split()[0] != "Z"


async def run(script: str, cwd: Path, *, grace: float = 5.0) -> process.Completed:
    return await process.run((*SHELL, script), cwd=cwd, env=ENV, grace=grace)


async def started(script: str, cwd: Path, *, grace: float, writes: str = "pid") -> tuple[asyncio.Task[process.Completed], int]:
    """The task, and the pid that the script wrote into the file ``pid``."""
    task = asyncio.create_task(run(script, cwd, grace=grace))
    record = cwd / writes
    await wait_until(lambda: record.exists() and record.read_text().endswith("\n"))
    return task, int(record.read_text())


async def test_a_child_gives_its_exit_code_and_both_outputs_apart(tmp_path: Path) -> None:
    completed = await run("echo out; echo err >&2; exit 3", tmp_path)
    assert completed == process.Completed(3, b"out\n", b"err\n")


async def test_a_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    assert (await run("kill -TERM $$", tmp_path)).exit_code == -signal.SIGTERM


async def test_a_child_runs_in_its_folder_with_its_environment_and_no_input(tmp_path: Path) -> None:
    completed = await process.run((*SHELL, "pwd; echo $NAME; cat"), cwd=tmp_path, env={**ENV, "NAME": "value"})
    assert completed.stdout.decode() == f"{tmp_path}\nvalue\n"


async def test_an_argument_is_never_read_by_a_shell(tmp_path: Path) -> None:
    text = "$(touch x) `touch x`; touch x"
    completed = await process.run(("/bin/echo", text), cwd=tmp_path, env=ENV)
    assert completed.stdout.decode() == f"{text}\n"
    assert not (tmp_path / "x").exists()


async def test_output_far_beyond_a_pipes_capacity_arrives_whole(tmp_path: Path) -> None:
    script = "import sys; [(sys.stdout.write('o' * 65536), sys.stderr.write('e' * 65536)) for _ in range(256)]"
    completed = await process.run((sys.executable, "-IS", "-c", script), cwd=tmp_path, env=ENV)
    assert (len(completed.stdout), len(completed.stderr)) == (16 * 2**20, 16 * 2**20)


async def test_a_program_or_a_folder_that_is_not_there_is_an_os_error_and_leaks_no_descriptor(tmp_path: Path) -> None:
    await run("true", tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(FileNotFoundError):
        await process.run(("/no/such/program",), cwd=tmp_path, env=ENV)
    with pytest.raises(FileNotFoundError):
        await run("true", tmp_path / "absent")
    await wait_until(lambda: len(os.listdir("/proc/self/fd")) == before)


async def test_what_a_command_leaves_behind_is_killed_with_it(tmp_path: Path) -> None:
    completed = await run("sleep 1000 & echo $!; echo done", tmp_path)
    pid, done = completed.stdout.split()
    assert done == b"done"
    await wait_until(lambda: not alive(int(pid)))


async def test_a_process_that_left_the_group_does_not_hold_the_answer(tmp_path: Path) -> None:
    escaped = "setsid sh -c 'echo $$ > pid; exec sleep 1000' & while ! test -s pid; do :; done; echo done"
    completed = await run(escaped, tmp_path)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert completed == process.Completed(0, b"done\n", b"")


async def test_a_cancelled_child_is_asked_first_and_may_end_in_order(tmp_path: Path) -> None:
    task, pid = await started(
        "trap 'echo ended > goodbye; exit 0' TERM; echo $$ > pid; while :; do sleep 0.05; done", tmp_path, grace=10
    )
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (tmp_path / "goodbye").read_text() == "ended\n"
    assert not alive(pid)


async def test_a_cancelled_child_that_will_not_listen_is_killed_with_its_children(tmp_path: Path) -> None:
    script = "trap '' TERM; sleep 1000 & echo $! > child; echo $$ > pid; wait"
    task, pid = await started(script, tmp_path, grace=0.2)
    child = int((tmp_path / "child").read_text())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(pid)
    await wait_until(lambda: not alive(child))


async def test_a_second_cancellation_ends_the_grace(tmp_path: Path) -> None:
    task, pid = await started("trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done", tmp_path, grace=1000)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await wait_until(lambda: not alive(pid))
