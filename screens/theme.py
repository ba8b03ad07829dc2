"""Colours. Status is never told by colour alone, so a theme may be anything that is readable."""

from __future__ import annotations

from textual.theme import Theme

from kumoss_console.model.context import Colour

DARK = Theme(
    name="kumoss-dark",
    primary="#4ea1ff",
    secondary="#8ab4d8",
    accent="#7fd1c7",
    success="#6cc96c",
    warning="#e8b04b",
    error="#f2685f",
    foreground="#d7dde5",
    background="#10141a",
    surface="#161b22",
    panel="#1f2630",
    dark=True,
)
LIGHT = Theme(
    name="kumoss-light",
    primary="#0b5cad",
    secondary="#3f6b8f",
    accent="#0b7a6f",
    success="#1e7d32",
    warning="#8a5a00",
    error="#b3261e",
    foreground="#1b1f24",
    background="#fbfcfd",
    surface="#f1f4f7",
    panel="#e3e8ee",
    dark=False,
)
THEMES = (DARK, LIGHT)

# Background and text of the first line, by the colour a context was given: 4.5:1 or better, whatever the theme.
CONTEXT_COLOURS: dict[Colour, tuple[str, str]] = {
    "red": ("#a1261f", "#ffffff"),
    "yellow": ("#e3b341", "#1b1f24"),
    "green": ("#1f6f3a", "#ffffff"),
    "blue": ("#1f4f8f", "#ffffff"),
    "magenta": ("#7d2d7d", "#ffffff"),
    "cyan": ("#0f6674", "#ffffff"),
    "white": ("#d7dde5", "#1b1f24"),
}
