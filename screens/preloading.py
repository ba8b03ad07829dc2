"""The modules of the views, imported beside the event loop: up to half a second for the largest, while keys are answered."""

from __future__ import annotations

from kumoss_console.ports.offloop import OffLoop
from screens.trail import Trail
from screens.views import VIEWS, view_named

AFTER_SECONDS = 2.0
"""When the views are imported that nobody has opened yet: the first one is at work by then, and has loaded what it needs."""

_imported: set[str] = set()
"""Names of views whose modules this process has; once there they stay."""


PRELOADING = "preloading"
"""The worker group of :func:`import_views`."""


async def is_still_wanted(name: str, trail: Trail, off_loop: OffLoop) -> bool:
    """Return once the module of that view is there: whether the operator has not gone on to another view meanwhile."""
    await _import_view(name, off_loop)
    return trail.here == name


async def _import_view(name: str, off_loop: OffLoop) -> None:
    view = view_named(name)
    if view is not None and name not in _imported:
        await off_loop(view.screen)
        _imported.add(name)


async def import_views(off_loop: OffLoop) -> None:
    """All of them, one after the other."""
    for view in VIEWS:
        await _import_view(view.name, off_loop)
