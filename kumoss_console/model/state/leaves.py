"""A veiled value as lines: what is directly in it, and everything in it that has a value of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kumoss_console.model.state.inside import ENCODER
from kumoss_console.model.state.marks import Path, Step
from kumoss_console.model.state.raw import plain
from kumoss_console.model.state.veil import Veiled, Why

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
LONGEST = 20_000
"""Characters of a value that are kept for a line; the raw view has all of it."""


@dataclass(frozen=True, slots=True)
class Member:
    """Something directly in a value. ``text`` is JSON, or the mask; ``cut`` says how many characters of it are missing.

    ``inside`` is how many members it has itself; ``why`` it is hidden, empty where it is not.
    """

    path: Path
    text: str
    inside: int = 0
    why: Why | str = ""
    cut: int = 0

    @property
    def name(self) -> str:
        return step_text(self.path[-1]) if self.path else ""


def members(value: Any, path: Path = ()) -> tuple[Member, ...]:
    """What is directly in a veiled container, in the order of the document."""
    return tuple(member(item, (*path, step)) for step, item in _steps(value))


def member(value: Any, path: Path) -> Member:
    if isinstance(value, Veiled):
        return Member(path, _shown(value), 0, value.why)
    size = len(value) if isinstance(value, dict | list) else 0
    text = ENCODER.encode(plain(value)).decode()
    return Member(path, text[:LONGEST], size, "", max(0, len(text) - LONGEST))


def _shown(value: Veiled) -> str:
    return ENCODER.encode(str(value)).decode() if value.why == "part" else str(value)


def _steps(value: Any) -> Iterator[tuple[Step, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Everything in a veiled value that has a value of its own, with the text it is found by: empty where it is hidden, and for
    containers, which are found by their names."""
    if isinstance(value, Veiled):
        yield path, str(value).replace("********", "") if value.why == "part" else ""
    elif isinstance(value, dict | list):
        if path:
            yield path, ""
        for step, item in _steps(value):
            yield from leaves(item, (*path, step))
    elif isinstance(value, str):
        yield path, value
    else:
        yield path, ENCODER.encode(value).decode()


def step_text(step: Step) -> str:
    """A step by itself: a name, or ``[0]``."""
    return f"[{step}]" if isinstance(step, int) else step


def path_text(path: Path) -> str:
    """``ingress[0].cidr_blocks["a b"]``, as one writes it in a configuration."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.match(step):
            text += f".{step}" if text else step
        else:
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
    return text
