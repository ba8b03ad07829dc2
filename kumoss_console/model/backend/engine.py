"""Which engine reads a workspace: what it understands depends on its name and version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kumoss_console.errors import InputError
from kumoss_console.text import printable

EngineName = Literal["terraform", "tofu"]
Version = tuple[int, int, int]

# The engines of the sidecar's image.
_DEFAULT: dict[EngineName, Version] = {"terraform": (1, 16, 0), "tofu": (1, 12, 6)}
_NAMES: dict[str, EngineName] = {"terraform": "terraform", "tofu": "tofu", "opentofu": "tofu"}
_FORM = re.compile(r"(?P<name>[A-Za-z]+)(?:[@ =]v?(?P<version>[0-9]{1,4}(?:\.[0-9]{1,4}){0,2}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """``assumed`` is true where nobody named the version."""

    name: EngineName
    version: Version
    assumed: bool = False

    @property
    def title(self) -> str:
        return "Terraform" if self.name == "terraform" else "OpenTofu"

    @property
    def label(self) -> str:
        return f"{self.title} {'.'.join(map(str, self.version))}"

    def tofu_since(self, *version: int) -> bool:
        """Whether this is OpenTofu, of at least that version."""
        return self.name == "tofu" and self.version >= version

    @property
    def evaluates_early(self) -> bool:
        """Variables, locals and functions in the backend block."""
        return self.tofu_since(1, 8)

    @property
    def reads_tofu_files(self) -> bool:
        return self.tofu_since(1, 8)


def parse_engine(text: str) -> Engine:
    """``terraform``, ``tofu``, or either with a version: ``tofu@1.8``. Raises :class:`InputError`."""
    match = _FORM.fullmatch(text.strip())
    name = _NAMES.get(match["name"].lower()) if match else None
    if match is None or name is None:
        raise InputError(
            f"No engine is called {printable(text)!r}",
            hint="Say terraform or tofu; a version may follow, as in tofu@1.8.",
            code="engine.unknown",
        )
    if match["version"] is None:
        return Engine(name=name, version=_DEFAULT[name], assumed=True)
    numbers = [int(part) for part in match["version"].split(".")]
    major, minor, patch = (*numbers, 0, 0)[:3]
    return Engine(name=name, version=(major, minor, patch))
