"""Which names an engine reads as configuration, and in which order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kumoss_console.model.backend.engine import Engine
from kumoss_console.model.backend.snapshot import Entry

Role = Literal["primary", "override", "hidden", "ignored"]

_CONFIG = re.compile(r"(?P<stem>.*?)(?P<ext>\.tf|\.tf\.json|\.tofu|\.tofu\.json)", re.DOTALL)
_ALIKE = re.compile(r"\.(?:tf|tofu)(?:\.json)?(?=$|[~.#])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    """One name and the part it plays. ``reason`` says why a file that looks like configuration is not read."""

    entry: Entry
    role: Role
    reason: str = ""

    @property
    def name(self) -> str:
        return self.entry.name


def arrange(entries: tuple[Entry, ...], engine: Engine) -> tuple[ConfigEntry, ...]:
    """Primary files, then override files, each in byte order of their names; then what is hidden and ignored."""
    read: list[ConfigEntry] = []
    rest: list[ConfigEntry] = []
    for entry in sorted(entries, key=lambda entry: byte_order(entry.name)):
        extension = extension_of(entry.name, engine)
        if extension is None or entry.kind == "folder" or ignored_name(entry.name):
            if _ALIKE.search(entry.name):
                rest.append(ConfigEntry(entry=entry, role="ignored", reason=_why_ignored(entry, engine)))
            continue
        read.append(ConfigEntry(entry=entry, role="override" if is_override(entry.name, extension) else "primary"))
    hiding = _hidden(read, engine)
    kept = [item for item in read if item.name not in hiding]
    rest += [
        ConfigEntry(entry=item.entry, role="hidden", reason=f"{hiding[item.name]} is read in its place")
        for item in read
        if item.name in hiding
    ]
    return (*(i for i in kept if i.role == "primary"), *(i for i in kept if i.role == "override"), *rest)


def byte_order(name: str) -> bytes:
    """The key that the engines sort file names by."""
    return name.encode("utf-8", "surrogateescape")


def extension_of(name: str, engine: Engine) -> str | None:
    """``.tf``, ``.tf.json`` and, where the engine knows them, ``.tofu`` and ``.tofu.json``."""
    match = _CONFIG.fullmatch(name)
    if match is None or (".tofu" in match["ext"] and not engine.reads_tofu_files):
        return None
    return str(match["ext"])


def is_override(name: str, extension: str) -> bool:
    stem = name.removesuffix(extension)
    return stem == "override" or stem.endswith("_override")


def ignored_name(name: str) -> bool:
    """What editors leave behind, and hidden files."""
    return name.startswith(".") or name.endswith("~") or (name.startswith("#") and name.endswith("#"))


def _hidden(read: list[ConfigEntry], engine: Engine) -> dict[str, str]:
    """Each ``.tf`` file that has a ``.tofu`` twin, with the twin."""
    if not engine.reads_tofu_files:
        return {}
    names = {item.name for item in read}
    if not any(".tofu" in name for name in names):
        return {}
    hiding = {}
    for name in names:
        for ours, theirs in ((".tf", ".tofu"), (".tf.json", ".tofu.json")):
            twin = f"{name.removesuffix(ours)}{theirs}"
            if name.endswith(ours) and twin in names:
                hiding[name] = twin
    return hiding


def _why_ignored(entry: Entry, engine: Engine) -> str:
    if entry.kind == "folder":
        return "it is a folder"
    if entry.name.startswith("."):
        return "its name begins with a dot"
    if entry.name.endswith("~") or entry.name.startswith("#"):
        return "its name is that of an editor's backup"
    if re.fullmatch(r".*\.tofu(\.json)?", entry.name, re.DOTALL):
        return f"{engine.label} does not read .tofu files"
    if re.fullmatch(r".*\.(tf|tofu)(\.json)?", entry.name, re.IGNORECASE | re.DOTALL):
        return "the case of its extension matters"
    return "its name does not end in a known extension"
