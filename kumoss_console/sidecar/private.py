"""The service's memory is its own: what it was started with stays out of reach of what it starts."""

from __future__ import annotations

import ctypes
import sys

_PR_SET_DUMPABLE = 4
_NO = 0


def close_to_children() -> None:
    """Nobody of the same user may read this process's first environment in ``/proc``, where the token is, or trace it.

    A program that the engine starts runs as the service's user, and could. Children have this undone when they start. Linux
    alone has such a door, and root walks through it all the same.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, _NO, 0, 0, 0)
