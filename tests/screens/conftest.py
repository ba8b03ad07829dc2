"""A world for each test, and no blocking call of ours on the event loop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from tests.screens.world import World


@pytest.fixture(autouse=True)
def loop_stays_free() -> Iterator[None]:
    """A blocking call that the screens or the services make on the event loop fails the test."""
    with blockbuster_ctx(["screens", "kumoss_console"]):
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
