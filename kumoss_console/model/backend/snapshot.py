"""A workspace folder as it was read: bytes by name, and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

EntryKind = Literal["file", "folder", "special", "elsewhere", "large"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name in the folder. ``raw`` is ``None`` where it was not read, and ``error`` says why in a few words.

    ``kind`` is that of the name itself: a link to a folder is a ``file`` for the engines, which then fail to read it. A file
    that is ``elsewhere`` is not here, and may still be where the engine runs; one that is ``large`` is more than this console
    reads. ``mode`` and ``owner`` as the system has them, ``modified`` in seconds since 1970.
    """

    name: str
    kind: EntryKind = "file"
    raw: bytes | None = field(default=None, repr=False)
    error: str = ""
    mode: int | None = None
    owner: int | None = None
    modified: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """``entries`` in byte order of their names: configuration, variable files and what else says something about the backend.

    ``options`` are the files that ``-backend-config`` names, under the name it gives them. ``pointer`` is
    ``.terraform/terraform.tfstate``; ``selected`` the workspace that ``.terraform/environment`` names. ``lock``
    is the dependency lock file, ``registries`` the hosts that providers of this folder came from.
    """

    folder: str
    entries: tuple[Entry, ...]
    options: Mapping[str, Entry] = field(default_factory=dict)
    pointer: Entry | None = None
    selected: str = "default"
    lock: bytes | None = field(default=None, repr=False)
    registries: tuple[str, ...] = ()
