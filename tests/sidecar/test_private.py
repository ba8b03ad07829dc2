"""What the engine starts runs as the service's user, and must not read the token out of the service."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.sidecar.conftest import TOKEN
from tests.sidecar.running import COMMAND, close, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a door")

_IS_OPEN = "import ctypes; print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"


def test_the_service_closes_the_door_and_its_children_have_their_own() -> None:
    program = (
        "import subprocess, sys; from kumoss_console.sidecar.private import close_to_children; "
        f"close_to_children(); sys.stdout.flush(); exec({_IS_OPEN!r}); sys.stdout.flush(); "
        f"subprocess.run([sys.executable, '-c', {_IS_OPEN!r}], check=True)"
    )
    said = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.split() == ["0", "1"]


async def test_no_helper_of_the_service_has_the_token_or_a_credential(tmp_path: Path) -> None:
    environ = {"IAC_BINARY": "/bin/true", "KUMOSS_IAC_TOKEN": TOKEN, "ARM_CLIENT_SECRET": "a secret of the cloud"}
    sidecar = start(environ, tmp_path / "log")
    helpers = children_of(sidecar.process.pid)
    environs = [environ_of(pid) for pid in helpers]
    await close(sidecar)
    assert helpers
    for each in environs:
        assert {entry.partition(b"=")[0] for entry in each.split(b"\0") if entry} <= {b"PATH", b"LD_LIBRARY_PATH"}


READ_ALL = "#!/bin/sh\nid -u; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; exit 0\n"


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root becomes another user")
async def test_another_user_that_the_service_runs_as_finds_the_token_nowhere(open_folder: Path) -> None:
    engine, workspace = open_folder / "engine", open_folder / "workspace"
    engine.write_text(READ_ALL)
    engine.chmod(0o755)
    workspace.mkdir()
    token = f"{TOKEN} of another user"
    environ = {"IAC_BINARY": str(engine), "KUMOSS_IAC_TOKEN": token, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    sidecar = start(environ, open_folder / "log", command=command_of_another())
    sidecar.client.headers["Authorization"] = f"Bearer {token}"
    try:
        job = await sidecar.outcome("/v1/validate", workspace_path=str(workspace))
    finally:
        await close(sidecar)
    said = job["result"]["stdout"]
    assert said.startswith("10001\n")
    assert "heirs.py" in said
    assert token not in said


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """One that every user reaches: those of pytest are for one alone."""
    with TemporaryDirectory(prefix="kumoss-open-") as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path


def environ_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


def command_of_another() -> tuple[str, ...]:
    """The service as the user 10001, who may not reach the interpreter of this test."""
    became = ("setpriv", "--reuid", "10001", "--regid", "10001", "--clear-groups")
    asked = "import os, sys; os.access(sys.executable, os.X_OK) or sys.exit(1); print(sys.version_info[:2])"
    for python in (sys.executable, "/usr/bin/python3"):
        ran = subprocess.run((*became, python, "-c", asked), capture_output=True, text=True, check=False, timeout=60)
        if ran.returncode == 0 and ran.stdout.strip() == str(sys.version_info[:2]):
            return (*became, python, *COMMAND[1:])
    pytest.skip("the user 10001 reaches no interpreter that runs this project")


def children_of(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(entry.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.parent.name))
    return found


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
async def test_an_engine_finds_no_token_in_the_service_that_started_it(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\ntr '\\0' '\\n' < /proc/$PPID/environ\n")
    engine.chmod(0o755)
    sidecar = start({"IAC_BINARY": str(engine), "KUMOSS_IAC_TOKEN": TOKEN}, tmp_path / "log")
    sidecar.client.headers["Authorization"] = f"Bearer {TOKEN}"
    job = await sidecar.outcome("/v1/validate", workspace_path=str(tmp_path))
    await close(sidecar)
    assert TOKEN not in job["result"]["stdout"]
    assert job["result"]["exit_code"] != 0
