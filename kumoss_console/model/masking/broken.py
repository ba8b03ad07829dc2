"""What cannot be read as JSON, and may hold values all the same."""

from __future__ import annotations

import re

from kumoss_console.text import MASK, redact

_LIKE_A_PLAN = re.compile(r'"(format_version|resource_changes|planned_values|prior_state|\w*_sensitive|sensitive_values)"\s*:')
_BEGINNING = re.compile(r'\{\s*"format_version"\s*:')
_QUOTED = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)("|\\?\Z)(\s*:)?', re.DOTALL)


def without_values(text: str) -> tuple[str, str]:
    """``text`` as it may be kept, and what was done to it.

    Of a plan that was cut off, or is damaged, nobody can tell which values are sensitive: every quoted one is masked, and the
    names stay. Without its beginning nobody can tell values from names either, and it is left out. Anything else loses what
    looks like a secret.
    """
    if not _LIKE_A_PLAN.search(text):
        return redact(text), "it is no JSON: only what looks like a secret was masked"
    begins = _BEGINNING.search(text)
    # A state inside a plan begins in the same way.
    if begins is None or _LIKE_A_PLAN.search(text, 0, begins.start()):
        return f"[{len(text):,} characters left out]\n", "its JSON has no beginning: it was left out whole"
    before, document = text[: begins.start()], text[begins.start() :]
    masked = _QUOTED.sub(lambda found: found[0] if found[3] else f'"{MASK}{found[2]}', document)
    return redact(before) + masked, "its JSON is damaged: every quoted value in it was masked"
