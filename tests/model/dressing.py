"""Engine texts in the dresses they come in: framed, coloured, wrapped, stamped by a log collector, as a JSON stream."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable

RED, BOLD, RESET = "\x1b[31m", "\x1b[1m", "\x1b[0m"


def wrapped(text: str, columns: int = 76) -> list[str]:
    """As engines do it: at blanks only."""
    return textwrap.wrap(text, columns, break_long_words=False, break_on_hyphens=False)


def framed(text: str) -> str:
    """In colour, in a frame, wrapped, as on a terminal."""
    lines = [f"{RED}│{RESET} {RESET}{line}{RESET}" for line in wrapped(text)]
    head = f"{RED}│{RESET} {BOLD}{RED}Error: {RESET}{BOLD}Something failed{RESET}\n{RED}│{RESET} {RESET}"
    return "\n".join([f"{RED}╷{RESET}{RESET}", head, *lines, f"{RED}╵{RESET}{RESET}"])


def framed_in_ascii(text: str) -> str:
    return "\r\n".join(f"| {line}" for line in wrapped(text, 60))


def misread(text: str) -> str:
    """A frame whose UTF-8 somebody took for Windows-1252."""
    return "\n".join(f"â”‚ {line}" for line in wrapped(text, 50))


def plain(text: str) -> str:
    return "\nError: Something failed\n\n" + "\n".join(wrapped(text, 78)) + "\n"


def collected(text: str) -> str:
    """As a container platform keeps it."""
    return "\n".join(f"2026-11-30T09:12:33.123456789Z stderr F {line}" for line in wrapped(text, 70))


def streamed(text: str) -> str:
    """``-json``, with a plain line among the events as engines still print it."""
    diagnostic = {"severity": "error", "summary": "Something failed", "detail": "\n".join(wrapped(text, 78))}
    events = [
        {"@level": "info", "@message": "Terraform 1.11.4", "type": "version"},
        {"@level": "error", "@message": "Error: Something failed", "type": "diagnostic", "diagnostic": diagnostic},
    ]
    first, *rest = (json.dumps(event) for event in events)
    return "\n".join([first, f"{RED}{BOLD}Initializing...{RESET}", *rest, ""])


DRESSES: dict[str, Callable[[str], str]] = {
    "framed": framed,
    "framed in ASCII": framed_in_ascii,
    "misread": misread,
    "plain": plain,
    "collected": collected,
    "streamed": streamed,
}
