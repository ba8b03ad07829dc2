"""What a view offers for copying."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One thing that can be copied. ``role`` says which key takes it at once: ``thing`` is ``y``, ``json`` is ``Y``.

    ``text`` never holds a secret that is masked on the screen.
    """

    label: str
    text: str
    role: Literal["thing", "json", "command", "other"] = "other"
