"""A local clone of a repository, as far as it tells whose a key is."""

from __future__ import annotations

from dataclasses import dataclass

from kumoss_console.model.gitremotes import Remote


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone:
    """``modules`` are root modules by the core's rule, ``.`` for the top; ``readable`` says whether its configuration was.

    ``former_repositories`` (``host/path``) and ``former_modules`` are what it was called and where its modules lay before, as far
    as somebody asked for that.
    """

    folder: str
    remotes: tuple[Remote, ...]
    modules: tuple[str, ...]
    readable: bool = True
    former_repositories: tuple[str, ...] = ()
    former_modules: tuple[str, ...] = ()
