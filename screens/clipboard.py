"""Copying to the terminal's clipboard, saying what really happened.

A terminal never confirms OSC 52, so nothing here claims more than "sent". Inside tmux the sequence needs a wrapper to reach the
outer terminal. Textual's own copy has no limit: terminals drop long sequences silently, xterm from 100,000 bytes on.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

LONGEST_SEQUENCE = 74_994
"""Bytes of base64 that terminals in use accept; hterm and older VTE stop here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """Whether a terminal can take it, what tmux needs on top of the plain sequence, and what to tell the operator."""

    fits: bool
    message: str
    wrapped: str = ""


def copying(text: str, what: str, environ: Mapping[str, str]) -> Copied:
    """What handing ``text`` to the terminal will do. ``what`` names the thing copied."""
    if len(text) > LONGEST_SEQUENCE:
        # Known before anything is encoded: a job's output may be a hundred megabytes.
        return _too_long(text, what)
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    if len(encoded) > LONGEST_SEQUENCE:
        return _too_long(text, what)
    lines = text.count("\n") + 1
    size = f"{lines} lines" if lines > 1 else f"{len(text)} characters"
    message = f"{what} sent to the terminal's clipboard ({size})"
    if not environ.get("TMUX"):
        return Copied(fits=True, message=message)
    return Copied(
        fits=True,
        message=f"{message}; tmux passes it on with set-clipboard or allow-passthrough on",
        # Every ESC inside the wrapper is doubled; the sequence is Textual's own.
        wrapped=f"\x1bPtmux;\x1b\x1b]52;c;{encoded}\a\x1b\\",
    )


def _too_long(text: str, what: str) -> Copied:
    message = f"{what} is too long for a terminal's clipboard ({len(text):,} characters): save it to a file with S"
    return Copied(fits=False, message=message)
