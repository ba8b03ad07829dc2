"""What every test stands on: an environment of its own, and no word of the developer's."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.stack", "tests.azurite"]

_FOREIGN = ("KUMOSS_", "RUSTFS_", "STORAGE_", "AWS_", "ARM_", "AZURE_", "GOOGLE_", "IAC_", "TF_", "XDG_", "TEXTUAL")

# A script's background jobs are started with interrupts ignored, and so would be every program that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples on every run and every machine: a red run can be repeated, a green one is no luck. New examples are
# looked for with HYPOTHESIS_PROFILE=explore, which prints how to repeat what it finds. No deadline: a loaded machine is slow.
_STEADY = settings(derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", _STEADY)
settings.register_profile("explore", _STEADY, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Home, XDG folders and working folder are fresh; no variable of the operator's reaches the test."""
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name in {"NO_COLOR", "COLUMNS", "LINES"}:
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name, folder in (("CONFIG", ".config"), ("STATE", ".state"), ("CACHE", ".cache"), ("DATA", ".data")):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / folder))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work
