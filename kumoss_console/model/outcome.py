"""The line in which an engine sums up what came of a command: ``Plan: 5 to add, 0 to change, 0 to destroy.`` Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kumoss_console.model.contract import JobKind

_SUMS_UP: Mapping[JobKind, re.Pattern[str]] = {
    kind: re.compile(rf"^(?:{words}).*$", re.MULTILINE)
    for kind, words in (
        (JobKind.PLAN, r"Plan: \d+ to |No changes\."),
        (JobKind.APPLY, r"Apply complete! "),
        (JobKind.IMPORT, r"Import successful!"),
        (JobKind.VALIDATE, r"Success! "),
    )
}
_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,32}m")


def outcome_line(kind: JobKind | None, stdout: str) -> str:
    """The last such line of a command that did well; empty where there is none. ``stdout`` may be its end alone.

    External text, not printable yet. Engines indent what they quote of a configuration, so a line of theirs begins at the margin.
    """
    pattern = _SUMS_UP.get(kind) if kind is not None else None
    if pattern is None:
        return ""
    found = pattern.findall(_COLOUR.sub("", stdout))
    return found[-1].strip() if found else ""
