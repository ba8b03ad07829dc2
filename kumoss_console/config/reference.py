"""The reference tables of the documentation, made of the definitions that loading uses."""

from __future__ import annotations

from kumoss_console.config.console_tables import AZURE, CONSOLE, CONTEXT, JOURNAL, LOCKS, PROJECT, SIDECAR
from kumoss_console.config.core_tables import IAC, PATHS, STORAGE
from kumoss_console.config.fields import Section

SECTIONS = (CONSOLE, JOURNAL, CONTEXT, SIDECAR, LOCKS, AZURE, PROJECT, STORAGE, IAC, PATHS)
"""The sections that are documented, in the order of the documentation."""


def heading(section: Section) -> str:
    """The heading a section's table stands under."""
    return f"### `{section.path}`"


def table(section: Section) -> str:
    """The section's keys as a Markdown table: key, what is accepted, default, meaning."""
    rows = ["| key | accepted | default | meaning |", "|---|---|---|---|"]
    rows += [
        f"| `{field.name}` | {_cell(field.rule.accepted)} | {_default(field.default)} | {_cell(field.doc)} |"
        for field in section.fields
    ]
    return "\n".join(rows)


def reference() -> str:
    """All sections, each with its heading."""
    return "\n\n".join(f"{heading(section)}\n\n{table(section)}" for section in SECTIONS)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _default(text: str) -> str:
    plain = not text or " " in text or text in {"none", "required", "unknown"}
    return _cell(text) if plain else f"`{text}`"
