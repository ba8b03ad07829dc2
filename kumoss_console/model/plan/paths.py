"""Where in a resource a value is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

from kumoss_console.model.state.secretnames import hidden_on

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


class InJson(Enum):
    """The step into a text that is JSON itself: policies, container definitions."""

    IN_JSON = "json"


IN_JSON = InJson.IN_JSON
Step = str | int | float | InJson
Path = tuple[Step, ...]


def path_text(path: Path) -> str:
    """``input.rules[0]["a b"]``, and ``jsondecode(policy).Statement[0]`` where the text itself is JSON."""
    text = ""
    for step in path:
        if isinstance(step, InJson):
            text = f"jsondecode({text})"
        elif isinstance(step, str):
            if _NAME.match(step):
                text = f"{text}.{step}" if text else step
            else:
                quoted = step.replace("\\", "\\\\").replace('"', '\\"')
                text = f'{text}["{quoted}"]'
        else:
            text = f"{text}[{step}]"
    return text


def overlap(path: Path, other: Iterable[Step]) -> bool:
    """Whether one of the paths leads through the other."""
    mine = [step for step in path if not isinstance(step, InJson)]
    return all(a == b for a, b in zip(mine, other, strict=False))


def hides(path: Path) -> bool:
    """Whether a name on the way reads like that of a secret."""
    return hidden_on(path)
