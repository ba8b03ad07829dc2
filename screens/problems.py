"""What stands in the way of a view, by the worker group it stopped, and which of it the banner shows. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kumoss_console.errors import ConsoleError

Problems = dict[str, ConsoleError]


def with_failure(problems: Mapping[str, ConsoleError], group: str, error: ConsoleError) -> Problems:
    """``error`` stopped ``group``; what is new comes last, what goes on keeps its place."""
    known = problems.get(group)
    kept = {name: other for name, other in problems.items() if name != group or _alike(known, error)}
    return {**kept, group: error}


def without(problems: Mapping[str, ConsoleError], groups: Collection[str]) -> Problems:
    """``groups`` succeeded, were left or are of no interest any more."""
    return {name: error for name, error in problems.items() if name not in groups}


def only(problems: Mapping[str, ConsoleError], groups: Collection[str]) -> Problems:
    """What of ``problems`` outlasts that its view is left: that of ``groups``, which are tried again there."""
    return {name: error for name, error in problems.items() if name in groups}


def shown(problems: Mapping[str, ConsoleError], dismissed: Mapping[str, ConsoleError]) -> tuple[str, ConsoleError] | None:
    """The newest that was not dismissed, with its group. One that was comes back when it is another one."""
    for group, error in reversed(tuple(problems.items())):
        if not _alike(dismissed.get(group), error):
            return group, error
    return None


def _alike(known: ConsoleError | None, error: ConsoleError) -> bool:
    """Whether a repeated attempt was told the same; details may hold times and request ids."""
    return known is not None and (known.code, known.title) == (error.code, error.title)


def is_news(problems: Mapping[str, ConsoleError], group: str, error: ConsoleError) -> bool:
    """Whether the log does not have it yet."""
    return not _alike(problems.get(group), error)
