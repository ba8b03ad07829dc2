"""Being told to end by other means than the keyboard."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class Told:
    """Whether one of the signals came."""

    to_end: bool = False


@contextmanager
def ending_like_ctrl_c() -> Iterator[Told]:
    """Within the block a closed terminal (SIGHUP) and a kill (SIGTERM) unwind as ``^C`` does, so that cleanup runs.

    Call it from the main thread. SIGHUP ignored from the start, as under ``nohup``, stays ignored. SIGINT does not: a script
    that starts us in its background ignores it for us, and then nothing could end us in order. A terminal that closes says so
    twice, once through its shell: only the first one counts, so that it does not cut short the cleanup it began.
    """

    told = Told()

    def handler(number: int, _frame: FrameType | None) -> None:
        if told.to_end and number == signal.SIGHUP:
            return
        told.to_end = True
        # asyncio turns SIGINT, and only SIGINT, into the cancellation of its main task.
        signal.raise_signal(signal.SIGINT)

    interrupt = signal.getsignal(signal.SIGINT)
    before = {number: signal.getsignal(number) for number in _ENDINGS}
    try:
        for number, was in before.items():
            if was is not signal.SIG_IGN or number is signal.SIGTERM:
                signal.signal(number, handler)
        if interrupt is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        yield told
    finally:
        for number, was in (*before.items(), (signal.SIGINT, interrupt)):
            signal.signal(number, was)
