"""What the engine starts runs as the service's user, and must not read the token out of the service."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sidecar.conftest import TOKEN
from tests.sidecar.running import close, start

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
