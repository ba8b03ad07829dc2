"""Files in a workspace that hold a state, or were made on one: a local state, what an engine leaves behind, plans. Blocking."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from kumoss_console.model.trace import Applied, Stored
from kumoss_console.text import printable

_LEFTOVERS = {
    "errored.tfstate": "the engine could not write its state to the store after an apply, and left it in errored.tfstate",
    "terraform.tfstate.backup": "the backup of a state lies in the workspace (terraform.tfstate.backup)",
}
_MOST_NAMES = 500
"""Names of a folder among which a plan is looked for."""

_LARGEST = 4 * 1024 * 1024
"""Bytes of the state in a plan that are unpacked."""

_ZIP = b"PK\x03\x04"
_NO_PLAN = (".tf", ".json", ".tofu", ".tfvars", ".hcl", ".md", ".tfstate", ".backup")


def left_in(folder: Path) -> tuple[Applied, ...]:
    """What speaks for a state that was written before."""
    found = []
    for name, words in _LEFTOVERS.items():
        stored = local_state(folder, name)
        if stored.status == "present" and stored.readable and (stored.resources or name.startswith("errored")):
            found.append(Applied(words=f"{words}: serial {stored.serial}, {stored.resources or 0:,} resources"))
    return (*found, *islice(_plans(folder), 1))


def _plans(folder: Path) -> Iterator[Applied]:
    """Plans that were made on a state: one of before the first apply has no serial."""
    from kumoss_console.model.state import parse_state
    from kumoss_console.workspace import read_file

    try:
        with os.scandir(folder) as items:
            names = [item.name for item in islice(items, _MOST_NAMES) if not item.name.endswith(_NO_PLAN) and item.is_file()]
    except OSError:
        return
    for name in sorted(names):
        entry = read_file(folder / name, name)
        raw = _state_in(entry.raw) if entry.raw is not None and entry.raw.startswith(_ZIP) else None
        if raw is None or entry.modified is None:
            continue
        document = parse_state(raw, name=name)
        if document.serial and document.lineage:
            words = f"the plan {printable(name)} was made on a state with serial {document.serial}"
            yield Applied(words=words, at=datetime.fromtimestamp(entry.modified, UTC))


def _state_in(raw: bytes) -> bytes | None:
    """The state that a plan was made on; ``None`` where this is no plan, or one that is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as plan:
            info = plan.getinfo("tfstate")
            return plan.read(info) if info.file_size <= _LARGEST else None
    except (KeyError, ValueError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError):
        return None


def local_state(folder: Path, path: str) -> Stored:
    """The local state at ``path``, absolute or relative to ``folder``; under its path as the key."""
    from kumoss_console.model.state import parse_state
    from kumoss_console.workspace import read_file

    entry = read_file(folder / path, path)
    if entry.raw is None:
        missing = entry.error == "not found"
        return Stored(key=path, status="absent" if missing else "unknown", detail="" if missing else entry.error)
    document = parse_state(entry.raw, name=path)
    if not document.readable or document.serial is None:
        return Stored(key=path, status="present", detail=document.reason)
    return Stored(
        key=path,
        status="present",
        readable=True,
        serial=document.serial,
        lineage=document.lineage,
        resources=document.counts.resources_managed if document.counts is not None else None,
    )
