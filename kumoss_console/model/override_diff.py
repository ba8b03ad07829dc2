"""The override that lies in a workspace against the one that would be written: a unified diff that shows no secret."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal

from kumoss_console.model.backend import Engine, Entry, Snapshot, effective_backend
from kumoss_console.model.backend.tables import SECRETS
from kumoss_console.model.override import Override
from kumoss_console.text import MASK, Secret, printable, redact

LARGEST = 64 * 1024
"""Bytes of a file that is compared line by line; what the core writes is one kilobyte."""

_SECRET = re.compile(rf"\b(?:{'|'.join(sorted(SECRETS))})\"?\s*[=:]\s*")
_NAMED = re.compile(r"\s*[a-z][a-z0-9_]{1,40} *= (?=\S)")
_FRAME = re.compile(r"\s*(?:(?:terraform|endpoints\s*=|backend\s+\"[a-z0-9]{1,20}\")\s*\{)?\s*\}?\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDisk:
    """``diff`` is empty where nothing visible differs; ``secrets`` names secret values that do. ``reason`` explains the rest."""

    status: Literal["absent", "same", "differs", "unreadable"]
    diff: str = ""
    secrets: tuple[str, ...] = ()
    reason: str = ""


def compare_with_disk(override: Override, entry: Entry | None, engine: Engine) -> OnDisk:
    """``entry`` is the file as it was read, ``None`` where there is none."""
    if entry is None:
        return OnDisk(status="absent", diff=_diff(override, ""))
    if entry.raw is None:
        return OnDisk(status="unreadable", reason=entry.error or f"it is a {entry.kind}")
    if entry.raw == override.content.reveal().encode():
        return OnDisk(status="same")
    if len(entry.raw) > LARGEST:
        return OnDisk(status="differs", reason=f"{len(entry.raw):,} bytes are too many for an override: no lines are compared")
    secrets = _secrets_of(entry, engine)
    changed = tuple(
        name
        for name, value in override.values.items()
        if isinstance(value, Secret) and name in (secrets or {}) and (secrets or {})[name].reveal() != value.reveal()
    )
    return OnDisk(status="differs", diff=_diff(override, _masked(entry.raw, override, secrets)), secrets=changed)


def _diff(override: Override, disk: str) -> str:
    lines = unified_diff(
        disk.splitlines(),
        override.masked.splitlines(),
        fromfile=f"{override.filename} on disk" if disk else "/dev/null",
        tofile=f"{override.filename} as the core would write it",
        lineterm="",
    )
    return "\n".join(printable(line) for line in lines)


def _secrets_of(entry: Entry, engine: Engine) -> dict[str, Secret] | None:
    """The secret values of a file by name; ``None`` where it cannot be read as configuration, or not line by line."""
    found = effective_backend(Snapshot(folder="", entries=(entry,)), engine)
    binding = found.bound or found.written
    if binding is None or binding.at is None or found.incomplete:
        return None
    secrets = {attribute.name: attribute.value for attribute in binding.attributes if isinstance(attribute.value, Secret)}
    # A heredoc is written on lines of its own, which a mask by name would miss.
    return None if any("\n" in secret.reveal() for secret in secrets.values()) else secrets


def _masked(raw: bytes, override: Override, secrets: dict[str, Secret] | None) -> str:
    """The file's text without any secret. Where it could not be understood, no value is shown at all."""
    text = raw.decode("utf-8", "replace")
    known = [value for value in override.values.values() if isinstance(value, Secret)]
    if secrets is None:
        return "\n".join(map(_bones, redact(text, known).splitlines()))
    return "\n".join(map(_masked_line, redact(text, (*known, *secrets.values())).splitlines()))


def _masked_line(line: str) -> str:
    """By the name as well: a value that is written in another way than it is read must not slip through."""
    match = _SECRET.search(line)
    return line if match is None else f'{line[: match.end()]}"{MASK}"'


def _bones(line: str) -> str:
    """A line of a file that is no configuration: names and braces."""
    if match := _NAMED.match(line):
        return f'{match[0]}"{MASK}"'
    return line if _FRAME.fullmatch(line) else MASK
