"""What loading gives: the contexts, and where every setting came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kumoss_console.config.nearest import did_you_mean
from kumoss_console.errors import InputError
from kumoss_console.model.context import Context
from kumoss_console.model.journal import JournalSettings
from kumoss_console.text import clip, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """A file that was read, or looked for in vain. ``found_by`` is for people: ``--config``, ``KUMOSS_CONFIG``."""

    path: str
    role: Literal["console", "core"]
    found_by: str
    exists: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """All contexts of this run. ``default`` names one of ``contexts``, which are never empty and have unique names.

    ``warnings`` are sentences about what does not stop the console and would stop, or surprise, the core.
    """

    contexts: tuple[Context, ...]
    default: str
    files: tuple[ConfigFile, ...] = ()
    warnings: tuple[str, ...] = ()
    journal: JournalSettings = field(default_factory=JournalSettings)

    def context(self, name: str | None = None) -> Context:
        """The context of that name, the default one for ``None``.

        Raises :class:`~kumoss_console.errors.InputError` that lists the names there are.
        """
        wanted = self.default if name is None else name
        for context in self.contexts:
            if context.name == wanted:
                return context
        names = [context.name for context in self.contexts]
        raise InputError(
            f"there is no context named {clip(printable(wanted), 60)!r}",
            detail=f"contexts: {', '.join(names)}",
            hint=did_you_mean(wanted, names) or "name one of these with --context",
            code="config.unknown_context",
        )
