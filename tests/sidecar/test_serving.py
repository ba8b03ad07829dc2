"""The program: how it starts, what it says, how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.sidecar.conftest import SCOPED, TOKEN
from tests.sidecar.recording import RecordingEngine
from tests.sidecar.running import COMMAND, Running, close, start
from tests.waiting import wait_until

CLOUD_SECRET = "a secret of the cloud"
Start = Callable[..., Running]

# Notes its group, then waits for ever, deaf to SIGTERM, with a child as deaf as itself.
STUBBORN = """#!/bin/sh
trap '' TERM INT
sleep 1000 &
echo $$ > "$PWD/group"
while :; do sleep 0.1; done
"""


@pytest.fixture
async def begin(engine: RecordingEngine, tmp_path: Path) -> AsyncIterator[Start]:
    running: list[Running] = []

    def start_one(*arguments: str, **environ: str) -> Running:
        environ = {"IAC_BINARY": str(engine.binary), **environ}
        running.append(start(environ, tmp_path / f"sidecar-{len(running)}.log", *arguments))
        return running[-1]

    yield start_one
    for each in running:
        await close(each)


def loopback_has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def group_is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


async def test_it_says_where_it_listens_in_one_line_and_nothing_else_on_stdout(begin: Start) -> None:
    sidecar = begin()
    assert sidecar.url.startswith("http://127.0.0.1:")
    assert (await sidecar.client.get("/healthz")).json() == {"status": "ok"}
    sidecar.stop()
    assert sidecar.process.stdout is not None
    assert sidecar.process.stdout.read() == ""


async def test_it_listens_on_ipv6_too(begin: Start) -> None:
    if not loopback_has_ipv6():
        pytest.skip("no IPv6 on the loopback of this machine")
    sidecar = begin("--host", "::1")
    assert sidecar.url.startswith("http://[::1]:")
    assert (await sidecar.client.get("/healthz")).status_code == 200


@pytest.mark.parametrize("wish", [signal.SIGTERM, signal.SIGINT])
async def test_a_wish_to_stop_ends_it_cleanly(wish: signal.Signals, begin: Start) -> None:
    sidecar = begin()
    await sidecar.client.get("/healthz")
    assert sidecar.stop(wish) < 3
    assert sidecar.process.returncode == 0


@pytest.fixture
def stubborn(tmp_path: Path) -> str:
    program = tmp_path / "stubborn"
    program.write_text(STUBBORN)
    program.chmod(0o755)
    return str(program)


async def group_in(workspace: Path) -> int:
    """The process group of the stubborn engine, once it is deaf."""
    record = workspace / "group"
    await wait_until(lambda: record.exists() and record.read_text().endswith("\n"))
    return int(record.read_text())


async def test_its_children_are_gone_when_it_has_stopped_however_deaf_they_are(
    begin: Start, workspace: Path, stubborn: str
) -> None:
    sidecar = begin(IAC_BINARY=stubborn)
    await sidecar.submit("/v1/validate", workspace_path=str(workspace))
    await sidecar.submit("/v1/validate", workspace_path=str(workspace))
    group = await group_in(workspace)
    assert not group_is_gone(group)
    assert sidecar.stop() < 6
    assert sidecar.process.returncode == 0
    await wait_until(lambda: group_is_gone(group))
    assert sidecar.log.read_text().count("failed: 503 Service shut down before the job finished.") == 2


async def test_its_children_are_gone_when_it_was_killed_however_deaf_they_are(
    begin: Start, workspace: Path, stubborn: str
) -> None:
    sidecar = begin(IAC_BINARY=stubborn)
    await sidecar.submit("/v1/validate", workspace_path=str(workspace))
    group = await group_in(workspace)
    # Two turns of its loop: by then it knows of the child that it has started.
    assert [(await sidecar.client.get("/healthz")).status_code for _ in range(2)] == [200, 200]

    sidecar.stop(signal.SIGKILL)

    await wait_until(lambda: group_is_gone(group))


async def test_an_engine_whose_service_was_killed_is_asked_to_end_in_order(begin: Start, workspace: Path, tmp_path: Path) -> None:
    polite = tmp_path / "polite"
    polite.write_text(
        '#!/bin/sh\ntrap \'echo released > "$PWD/lock"; exit 1\' TERM\necho $$ > "$PWD/group"\nwhile :; do sleep 0.1; done\n'
    )
    polite.chmod(0o755)
    sidecar = begin(IAC_BINARY=str(polite))
    await sidecar.submit("/v1/validate", workspace_path=str(workspace))
    group = await group_in(workspace)
    # Two turns of its loop: by then it knows of the child that it has started.
    assert [(await sidecar.client.get("/healthz")).status_code for _ in range(2)] == [200, 200]

    sidecar.stop(signal.SIGKILL)

    await wait_until(lambda: group_is_gone(group))
    assert (workspace / "lock").read_text() == "released\n"


async def test_a_second_wish_to_stop_does_not_wait_for_the_deaf(begin: Start, workspace: Path, stubborn: str) -> None:
    sidecar = begin(IAC_BINARY=stubborn)
    await sidecar.submit("/v1/validate", workspace_path=str(workspace))
    group = await group_in(workspace)
    sidecar.process.send_signal(signal.SIGINT)
    await wait_until(lambda: "cancelling 1 unfinished" in sidecar.log.read_text())
    assert sidecar.stop(signal.SIGINT) < 1.5
    assert sidecar.process.returncode == 0
    await wait_until(lambda: group_is_gone(group))


async def test_the_log_tells_what_ran_and_how_it_ended_and_keeps_secrets_and_output_to_itself(
    begin: Start, workspace: Path, engine: RecordingEngine
) -> None:
    sidecar = begin(KUMOSS_IAC_TOKEN=TOKEN, ARM_CLIENT_SECRET=CLOUD_SECRET)
    sidecar.client.headers["Authorization"] = f"Bearer {TOKEN}"
    engine.answer(stdout=b"this is the output", stderr=b"x" * 600 + b"\x1b]52;c;QQ==\x07 the end")
    await sidecar.outcome("/v1/init", workspace_path=str(workspace), **SCOPED)
    told = f"leaked by a provider {CLOUD_SECRET}\n│ Error: it\x1b]52;c;QQ==\x07 broke on {CLOUD_SECRET} and {TOKEN}\n│ details"
    engine.answer(exit_code=1, stdout=b"12345", stderr=told.encode())
    await sidecar.outcome("/v1/validate", workspace_path=str(workspace))
    sidecar.stop()
    log = sidecar.log.read_text()
    assert (
        f"engine init -no-color -input=false -reconfigure in {workspace}, scope ARM_SUBSCRIPTION_ID={SCOPED['scope_id']}" in log
    )
    assert "init ended with exit code 0" in log
    assert "validate ended with exit code 1" in log
    assert "12345" not in log
    assert f": 5 bytes on stdout, {len(told.encode())} on stderr; Error: it" in log
    assert "leaked by" not in log
    assert "details" not in log
    assert CLOUD_SECRET not in log
    assert "\x1b" not in log
    assert "x" * 501 not in log
    assert "this is the output" not in log
    assert TOKEN not in log


async def test_an_open_door_is_warned_about(begin: Start) -> None:
    on_loopback, beyond, closed = begin(), begin("--host", "0.0.0.0"), begin(KUMOSS_IAC_TOKEN=TOKEN)  # noqa: S104
    for sidecar in (on_loopback, beyond, closed):
        sidecar.stop()
    assert "KUMOSS_IAC_TOKEN is empty" in on_loopback.log.read_text()
    assert "beyond this machine" not in on_loopback.log.read_text()
    assert "beyond this machine" in beyond.log.read_text()
    assert "WARNING" not in closed.log.read_text()


def refused(*arguments: str, **environ: str) -> str:
    """What it says on stderr when it will not start."""
    environ = {"PATH": os.defpath, **environ}
    ended = subprocess.run((*COMMAND, *arguments), capture_output=True, text=True, env=environ, timeout=30, check=False)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    return ended.stderr


def test_a_port_that_is_taken_is_said_with_the_next_step(engine: RecordingEngine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused("--port", str(taken.getsockname()[1]), IAC_BINARY=str(engine.binary))
    assert "cannot listen on 127.0.0.1:" in said
    assert "--port 0" in said


@pytest.mark.parametrize("arguments", [("--host", "192.0.2.1"), ("--host", "no.such.host.invalid"), ("--port", "65536")])
def test_an_address_that_is_not_ours_is_said_with_the_next_step(arguments: tuple[str, ...], engine: RecordingEngine) -> None:
    said = refused(*arguments, IAC_BINARY=str(engine.binary))
    assert "cannot listen on" in said
    assert "--host" in said


def test_an_engine_that_cannot_be_found_is_named() -> None:
    assert "no-such-engine" in refused(IAC_BINARY="no-such-engine")


def test_without_the_server_packages_it_names_the_extra(engine: RecordingEngine, tmp_path: Path) -> None:
    # A start hook of the interpreter that hides one package, as if it had not been installed.
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *where: None if name == 'uvicorn' else find(name, *where)\n"
    )
    said = refused(IAC_BINARY=str(engine.binary), PYTHONPATH=str(tmp_path / "hidden"))
    assert "uvicorn" in said
    assert "kumoss-console[sidecar]" in said


def test_starting_costs_no_server_import_until_it_serves() -> None:
    code = "import kumoss_console.sidecar.serve, sys; print({'starlette', 'uvicorn', 'httpx'} & sys.modules.keys())"
    ended = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True, timeout=30)
    assert ended.stdout.strip() == "set()"
