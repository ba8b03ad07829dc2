"""The core's override in a workspace although managed state is off: it outlived the setting, and is in force all the same."""

from __future__ import annotations

import re
from dataclasses import replace

from kumoss_console.model.backend.result import EffectiveBackend
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.storage import Ownership

CODE = "backend.leftover_override"
MANAGED_KEY = re.compile(r"[0-9a-f]{64}/[A-Za-z0-9._-]{1,128}")
"""A key as the core makes it: the digest of a project, and the file's name."""


def leftover(effective: EffectiveBackend, override_name: str) -> bool:
    """Whether the block in force is the core's: its file by name, and a key that only the core makes."""
    binding = effective.bound or effective.written
    if binding is None or not any(block.wins and block.origin.file == override_name for block in effective.blocks):
        return False
    for attribute in binding.attributes:
        values = [(attribute.origin, attribute.value), *((shadow.origin, shadow.value) for shadow in attribute.shadows)]
        for origin, value in values if attribute.name == "key" else ():
            if origin.file == override_name and isinstance(value, str) and MANAGED_KEY.fullmatch(value):
                return True
    return False


def leftover_owner(owner: Ownership, override_name: str) -> Ownership:
    """``owner`` of managed state that is off, as it is with the override still there."""
    said = (
        f"managed state is off in this context, and yet the core's {override_name}, from when it was on, is in force: it "
        "replaces the repository's block"
    )
    return replace(owner, certain=False, explanation=said)


def leftover_finding(override_name: str) -> Finding:
    return Finding(
        code=CODE,
        severity=Severity.ERROR,
        subject=override_name,
        message="managed state is off in this context, and the core's override is still here and in force: "
        "every init binds its key",
        remedy=f"Remove {override_name} and init -reconfigure, once it is known where the live state is (kumoss-console trace); "
        "where managed state is on after all, correct this context.",
    )
