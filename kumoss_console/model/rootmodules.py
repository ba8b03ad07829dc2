"""Which folders of a repository are offered as root modules. Names decide, contents never. Source of the rule: the core."""

from __future__ import annotations

from collections.abc import Iterable

_NEVER = frozenset({"modules", "examples", "example", ".terraform"})
_MARKERS = frozenset({"main.tf", "provider.tf", "providers.tf", "backend.tf", "terraform.tf", "versions.tf"})
_MARKING_ENDS = (".tfvars", ".tfvars.json")

TOP = "."


def tells(name: str) -> bool:
    """Whether a file of this name has a say."""
    return name.endswith((".tf", *_MARKING_ENDS))


def root_modules(files: Iterable[str]) -> tuple[str, ...]:
    """The root modules of a repository that has these files (POSIX paths from its top), sorted; the top is ``.``."""
    candidates: set[str] = set()
    marked: set[str] = set()
    for path in files:
        folder, _, name = path.rpartition("/")
        if name.endswith(".tf"):
            candidates.add(folder or TOP)
        if name in _MARKERS or name.endswith(_MARKING_ENDS):
            marked.add(folder or TOP)
    candidates = {folder for folder in candidates if _NEVER.isdisjoint(folder.split("/"))}
    marked &= candidates
    # The top absorbs nothing, and nothing below keeps it from being a root: it is nobody's parent here.
    parents = {parent for folder in candidates for parent in _parents(folder)}
    roots = {folder for folder in candidates - marked if folder not in parents and marked.isdisjoint(_parents(folder))}
    return tuple(sorted(marked | roots))


def _parents(folder: str) -> Iterable[str]:
    while (cut := folder.rfind("/")) >= 0:
        folder = folder[:cut]
        yield folder
