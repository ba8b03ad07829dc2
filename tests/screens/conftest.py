"""A world for each test, and no blocking call of ours on the event loop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from tests.screens.world import World

_ALLOWED = (
    # Textual reads the stylesheets of a screen when it is first shown: a few kilobytes of our own wheel.
    ("textual/_path.py", "_make_path_object_relative"),
    ("textual/css/stylesheet.py", "read"),
    # Closing the journal waits for a call under way, for a moment and at the very end.
    ("kumoss_console/journal/database.py", "close"),
)


@pytest.fixture(autouse=True)
def loop_stays_free() -> Iterator[None]:
    """A blocking call that the screens or the services make on the event loop fails the test."""
    with blockbuster_ctx(["screens", "kumoss_console"]) as watcher:
        for function in watcher.functions.values():
            for file, name in _ALLOWED:
                function.can_block_in(file, name)
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
