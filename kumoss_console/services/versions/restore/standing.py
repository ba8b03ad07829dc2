"""Where the engine has to stand for a key: in which of its workspaces, in which folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kumoss_console.model.lock.release import engine_workspace
from kumoss_console.services.workspaces.places import Binding


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The engine's workspace ``selected`` of a key, the ``key`` that a folder is bound to for it, the ``folders`` that are, and
    those where the engine must be initialised first (``apart``)."""

    selected: str
    key: str
    folders: tuple[str, ...]
    apart: tuple[Binding, ...]


def standing(bindings: Sequence[Binding], key: str, *, azure: bool) -> Standing:
    """A folder that is bound to the very key has it in its default workspace, whatever the key looks like; another one has it in
    the workspace that the key names."""
    selected = engine_workspace(key, "lease" if azure else "object")
    if selected == "default" or _at(bindings, key):
        return _standing(bindings, key, "default")
    base = key.removesuffix(f"env:{selected}") if azure else key.removeprefix(f"env:/{selected}/")
    return _standing(bindings, base, selected)


def _standing(bindings: Sequence[Binding], key: str, selected: str) -> Standing:
    found = _at(bindings, key)
    usable = tuple(one.folder for one in found if one.usable)
    return Standing(selected=selected, key=key, folders=usable, apart=tuple(one for one in found if not one.usable))


def _at(bindings: Sequence[Binding], key: str) -> list[Binding]:
    return sorted((one for one in bindings if key in (one.bound, one.written)), key=lambda one: one.folder)
