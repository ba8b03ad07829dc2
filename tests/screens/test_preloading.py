"""The views are imported beside the event loop: what is typed meanwhile is answered."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from kumoss_console.clients.blocking import run_blocking
from screens import preloading
from screens.base import ViewScreen
from screens.trail import Trail
from screens.views import VIEWS, View, view_named
from tests.waiting import wait_until


class Slow:
    """A view whose import waits until it is let go."""

    def __init__(self, view: View) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.thread: threading.Thread | None = None
        self.view = replace(view, name="slow", screen=self.imported)

    def imported(self) -> type[ViewScreen]:
        self.thread = threading.current_thread()
        self.begun.set()
        assert self.go_on.wait(30)
        return ViewScreen


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    slow = Slow(VIEWS[0])
    monkeypatch.setattr(preloading, "view_named", lambda name: slow.view if name == "slow" else view_named(name))
    return slow


async def test_an_import_holds_nobody_and_is_paid_once(slow: Slow) -> None:
    trail = Trail("slow")
    opening = asyncio.create_task(preloading.is_still_wanted("slow", trail, run_blocking))
    await wait_until(slow.begun.is_set)
    assert slow.thread is not threading.main_thread()
    slow.go_on.set()
    assert await opening
    slow.begun.clear()
    assert await preloading.is_still_wanted("slow", trail, run_blocking)
    assert not slow.begun.is_set()


async def test_who_went_on_meanwhile_is_not_called_back(slow: Slow) -> None:
    trail = Trail("slow")
    opening = asyncio.create_task(preloading.is_still_wanted("slow", trail, run_blocking))
    trail.visit("jobs")
    slow.go_on.set()
    assert not await opening
