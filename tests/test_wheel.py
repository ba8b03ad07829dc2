"""The wheel is what users get: it has to work far from the checkout, without any file of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path

import pytest

from tests.terminal import terminal
from tests.waiting import AT_ONCE

ROOT = Path(__file__).resolve().parent.parent
PROJECT_ID = "cca8550712f0e65e5c95dc347a919f335222fbb6b9c0ad4966dab38ed9a8a609"

pytestmark = [pytest.mark.stack, pytest.mark.timeout(300), pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)], check=True, capture_output=True, timeout=200
    )
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of a fresh virtual environment that has the wheel and its dependencies, nothing else."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=True)
    scripts = folder / "bin"
    done = subprocess.run(
        [scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("the package registry cannot be reached: the wheel's dependencies cannot be installed")
    assert done.returncode == 0, done.stderr
    return scripts


def _environment() -> dict[str, str]:
    """No PYTHONPATH and no working folder that could bring the checkout back in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"TERM": "xterm-256color"}


def test_the_wheel_carries_both_packages_their_styles_the_samples_and_the_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "kumoss_console/py.typed" in names
    assert "screens/app.py" in names
    assert any(name.startswith("screens/") and name.endswith(".tcss") for name in names)
    assert "sample_configs/README.md" in names
    assert "sample_configs/sidecar/Containerfile" in names
    assert "kumoss_console/sidecar/openapi.json" in names
    assert any(name.endswith("/LICENSE") for name in names)
    assert not [name for name in names if name.startswith("tests/")]


def test_the_installed_wheel_derives_the_key(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            installed / "kumoss-console",
            *("key", "--repo", "https://github.com/acme/infra", "--scope", "11111111-2222-3333-4444-555555555555", "--json"),
        ],
        env=_environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["data"]["project_id"] == PROJECT_ID


def test_the_installed_wheel_opens_the_console_and_leaves_at_once(installed: Path, tmp_path: Path) -> None:
    with terminal([str(installed / "kumoss-console")], env=_environment(), cwd=tmp_path) as screen:
        screen.wait_for("Overview")
        pressed = time.monotonic()
        screen.press("q")
        assert screen.wait() == 0
        assert time.monotonic() - pressed < AT_ONCE
