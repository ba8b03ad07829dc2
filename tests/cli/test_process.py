"""The program as a process: signals, pipes, dead ports, and what it costs to start."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import DIGEST, REPO, SCOPE
from tests.waiting import AT_ONCE, wait_until

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full and /proc")
PROGRAM = [sys.executable, "-m", "kumoss_console"]


def start(*argv: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    return subprocess.Popen([*PROGRAM, *argv], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str], timeout: float = 30) -> tuple[int, str, str]:
    """Exit code, stdout and stderr; the process is gone whatever happened."""
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
        process.wait()
    return process.returncode, out or "", err


@pytest.fixture
def silent_port() -> Iterator[socket.socket]:
    """A service that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)
        yield listener


def configure(folder: Path, *, sidecar: int, store: int) -> None:
    """A configuration in the current folder whose services are on these ports of this machine."""
    document = {
        "console": {
            "contexts": [
                {
                    "name": "here",
                    "storage": {"provider": "RUSTFS", "endpoint_url": f"http://127.0.0.1:{store}", "connect_timeout": 0.5},
                    "services": {"iac": {"endpoint": f"http://127.0.0.1:{sidecar}", "timeout": 5}},
                }
            ]
        }
    }
    (folder / "kumoss-console.yaml").write_text(json.dumps(document))


def port_of(listener: socket.socket) -> int:
    port = listener.getsockname()[1]
    assert isinstance(port, int)
    return port


def test_the_installed_program_derives_the_key_of_the_handbook() -> None:
    code, out, err = finish(start("key", "--repo", REPO, "--scope", SCOPE, "--json"))

    assert (code, err) == (0, "")
    assert json.loads(out)["data"]["project_id"] == DIGEST


def test_an_interrupt_ends_a_waiting_command_at_once_with_130(isolated: Path, silent_port: socket.socket) -> None:
    configure(isolated, sidecar=port_of(silent_port), store=1)
    process = start("jobs", "submit", "validate", "--workspace", "/w", "--wait")
    connection, _ = silent_port.accept()
    with connection:
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        code, out, err = finish(process)

    assert (code, out) == (130, "")
    assert err.endswith("interrupted\n")
    assert time.monotonic() - began < AT_ONCE


def test_a_store_that_hangs_does_not_hold_the_exit(isolated: Path, silent_port: socket.socket) -> None:
    configure(isolated, sidecar=1, store=port_of(silent_port))
    process = start("state", "list")
    connection, _ = silent_port.accept()
    with connection:
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        code, _, _ = finish(process)

    assert code == 130
    assert time.monotonic() - began < AT_ONCE


def test_the_end_of_the_program_waits_for_nothing_that_would_be_taken_down() -> None:
    program = (
        "import atexit, sys; atexit.register(print, 'taken down'); sys.argv = ['kumoss-console', '--version']; "
        "from kumoss_console.cli.main import run; run()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("kumoss-console ")
    assert "taken down" not in done.stdout


def test_doctor_on_dead_ports_ends_with_1_and_a_remedy_for_each(isolated: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        ports = port_of(first), port_of(second)
    configure(isolated, sidecar=ports[0], store=ports[1])

    code, out, _ = finish(start("doctor", "--json"))

    checks = {check["check"]: check for check in json.loads(out)["data"]["checks"]}
    assert code == 1
    for name in ("sidecar", "sidecar token", "store", "listing"):
        assert checks[name]["severity"] == "error"
        assert checks[name]["findings"][0]["remedy"]
        assert checks[name]["seconds"] < AT_ONCE


def test_a_closed_pipe_ends_the_program_quietly(isolated: Path) -> None:
    for argv in (("--help",), ("info", "--json"), ("info",)):
        reader, writer = os.pipe()
        os.close(reader)
        process = start(*argv, stdout=writer)
        os.close(writer)
        code, _, err = finish(process)
        assert (code, err) == (0, ""), argv


@LINUX
@pytest.mark.parametrize("redirect", [">/dev/full", ">&-"])
@pytest.mark.parametrize("argv", ["info", "info --json", "--help"])
def test_an_answer_that_has_nowhere_to_go_ends_with_3_and_says_so(argv: str, redirect: str) -> None:
    done = subprocess.run(["sh", "-c", f"{' '.join(PROGRAM)} {argv} {redirect}"], capture_output=True, text=True, timeout=60)

    assert done.returncode == 3
    assert done.stderr.startswith("error: The answer cannot be written to stdout: ")
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 2


@LINUX
def test_a_stderr_that_is_full_changes_no_exit_code() -> None:
    done = subprocess.run(["sh", "-c", f"{' '.join(PROGRAM)} bogus 2>/dev/full"], timeout=60, check=False)

    assert done.returncode == 2


@pytest.mark.parametrize("argv", ["state show --file /dev/zero", "state show --file - </dev/zero", "explain /dev/zero"])
def test_a_file_without_end_is_an_input_error(argv: str) -> None:
    done = subprocess.run(["sh", "-c", f"{' '.join(PROGRAM)} {argv}"], capture_output=True, text=True, timeout=60)

    assert done.returncode == 2
    assert "is too large: more than 512 MiB" in done.stderr


def test_a_pipe_of_the_shell_is_a_file_like_any_other(isolated: Path) -> None:
    (isolated / "s.tfstate").write_text('{"version": 4, "serial": 7, "lineage": "x", "terraform_version": "1.9.0"}')
    script = f"{' '.join(PROGRAM)} state show --json --file <(sleep 0.3; cat s.tfstate)"

    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)

    assert json.loads(done.stdout)["data"]["serial"] == 7


@LINUX
async def test_a_named_pipe_waits_for_its_writer_and_an_interrupt_ends_the_wait_at_once(isolated: Path) -> None:
    os.mkfifo(isolated / "pipe")
    served = start("state", "show", "--json", "--file", "pipe")
    (isolated / "pipe").write_text('{"version": 4, "serial": 8, "lineage": "x", "terraform_version": "1.9.0"}')
    assert json.loads(finish(served)[1])["data"]["serial"] == 8

    waiting = start("state", "show", "--file", "pipe")
    await wait_until(lambda: _is_open(waiting.pid, isolated / "pipe"))
    waiting.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert finish(waiting)[0] == 130
    assert time.monotonic() - began < AT_ONCE


def _is_open(pid: int, path: Path) -> bool:
    return any(os.path.realpath(link) == str(path) for link in Path(f"/proc/{pid}/fd").iterdir())


def test_closed_streams_and_a_deleted_folder_are_no_crash(isolated: Path) -> None:
    folder = isolated / "gone"
    folder.mkdir()
    program = " ".join(PROGRAM)
    for redirect in ("<&-", "2>&-", "<&- 2>&-"):
        script = f"cd {folder} && rmdir {folder}; {program} contexts {redirect}; code=$?; mkdir {folder}; exit $code"
        assert subprocess.run(["sh", "-c", script], capture_output=True, timeout=60).returncode == 0, redirect


@pytest.mark.stack
def test_the_bundled_service_says_where_it_listens_and_stops_when_interrupted(isolated: Path) -> None:
    environ = {**os.environ, "IAC_BINARY": sys.executable}
    process = subprocess.Popen(
        [*PROGRAM, "sidecar", "serve", "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )
    assert process.stdout is not None
    url = json.loads(process.stdout.readline())["url"]
    process.send_signal(signal.SIGINT)
    code, _, _ = finish(process)

    assert url.startswith("http://127.0.0.1:")
    assert code == 0


def test_version_loads_no_more_than_it_says() -> None:
    foreign = {
        "textual",
        "httpx",
        "boto3",
        "yaml",
        "msgspec",
        "asyncio",
        "json",
        "kumoss_console.config",
        "kumoss_console.services",
    }
    program = (
        "import sys\nfrom kumoss_console.cli.main import execute\nfrom kumoss_console.cli.world import real_world\n"
        "code = execute(['--version'], real_world())\nprint(code, *sys.modules)\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    version, loaded = answer.stdout.splitlines()

    assert version.startswith("kumoss-console ")
    assert loaded.startswith("0 ")
    assert not foreign & set(loaded.split())


def test_a_shell_can_complete_commands_and_options() -> None:
    environ = {**os.environ, "_KUMOSS_CONSOLE_COMPLETE": "bash_complete", "COMP_WORDS": "kumoss-console jobs ", "COMP_CWORD": "2"}
    answer = subprocess.run(PROGRAM, env=environ, capture_output=True, text=True, timeout=60)

    names = ("submit", "run", "resubmit", "watch", "show", "list", "export", "import")
    assert answer.stdout.split() == [f"plain,{name}" for name in names]
