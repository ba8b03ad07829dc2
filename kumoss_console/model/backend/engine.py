"""Which engine reads a workspace: what it understands depends on its name and version."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kumoss_console.errors import InputError
from kumoss_console.text import printable

EngineName = Literal["terraform", "tofu"]
Version = tuple[int, int, int]

# The engines of the sidecar's image.
_DEFAULT: dict[EngineName, Version] = {"terraform": (1, 16, 0), "tofu": (1, 12, 6)}
_NAMES: dict[str, EngineName] = {"terraform": "terraform", "tofu": "tofu", "opentofu": "tofu"}
_REGISTRIES: dict[str, EngineName] = {"registry.terraform.io": "terraform", "registry.opentofu.org": "tofu"}
_LOCK_MARKS: dict[EngineName, bytes] = {"terraform": b'"terraform init"', "tofu": b'"tofu init"'}
ASSUMED = "assumed"
"""The note on an engine that nothing names."""

_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})\.([0-9]{1,4})")
_FORM = re.compile(r"(?P<name>[A-Za-z]+)(?:[@ =]v?(?P<version>[0-9]{1,4}(?:\.[0-9]{1,4}){0,2}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """``assumed`` is true where nobody named it with its version; ``told_by`` is what in the workspace names the engine, empty
    where somebody chose it (``chosen``), or nothing does. ``bound`` says that the version is the one that bound the workspace."""

    name: EngineName
    version: Version
    assumed: bool = False
    told_by: str = ""
    chosen: bool = False
    bound: bool = False

    @property
    def note(self) -> str:
        """How sure that is, in a few words; empty where it was named with its version."""
        if not self.assumed:
            return ""
        if self.chosen:
            return "version assumed"
        version = "in the version that bound it" if self.bound else "version assumed"
        return f"{self.told_by} says so, {version}" if self.told_by else ASSUMED

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


def told_engine(lock: bytes | None, registries: tuple[str, ...], names: Iterable[str], bound_by: str | None) -> Engine | None:
    """The engine that the workspace itself names: by the registry its providers came from, its lock file, or files that only
    one engine reads. ``bound_by`` is the version in the pointer file. ``None`` where nothing names one, or the signs part."""
    signs: dict[EngineName, str] = {}
    for host, name in _REGISTRIES.items():
        if host in registries:
            signs.setdefault(name, f".terraform/providers/{host}")
    if not signs and lock is not None:
        for name, mark in _LOCK_MARKS.items():
            if mark in lock[:4096]:
                signs.setdefault(name, ".terraform.lock.hcl")
    if not signs and any(name.endswith((".tofu", ".tofu.json")) for name in names):
        signs["tofu"] = "a .tofu file"
    if not signs and (only := engine_of_version(bound_by)) is not None:
        signs[only] = f"version {bound_by} in the pointer, which no OpenTofu known here has,"
    if len(signs) != 1:
        return None
    name, sign = next(iter(signs.items()))
    return named_by(name, sign, bound_by)


def named_by(name: EngineName, sign: str, bound_by: str | None) -> Engine:
    """The engine that ``sign`` names, of the version ``bound_by`` where that is one."""
    version = _VERSION.match(bound_by or "")
    numbers = (int(version[1]), int(version[2]), int(version[3])) if version else _DEFAULT[name]
    return Engine(name=name, version=numbers, assumed=True, told_by=sign, bound=version is not None)


def assumed_engine(bound_by: str | None) -> Engine:
    """OpenTofu, the sidecar's default, where nothing names an engine; of the version ``bound_by`` where that is one."""
    return named_by("tofu", "", bound_by)


def engine_of_version(text: str | None) -> EngineName | None:
    """The engine that alone has such a version: OpenTofu began with 1.6, and none is known here after the sidecar's own."""
    version = _VERSION.match(text or "")
    if version is None:
        return None
    numbers = (int(version[1]), int(version[2]))
    return "terraform" if numbers < (1, 6) or numbers > _DEFAULT["tofu"][:2] else None


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
        return Engine(name=name, version=_DEFAULT[name], assumed=True, chosen=True)
    numbers = [int(part) for part in match["version"].split(".")]
    major, minor, patch = (*numbers, 0, 0)[:3]
    return Engine(name=name, version=(major, minor, patch), chosen=True)
