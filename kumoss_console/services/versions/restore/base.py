"""From which version a restore goes on: the newest that an engine can read. One that was cut short or emptied is what people go
back from most urgently, and it tells no lineage of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from kumoss_console.model.state import DocumentKind, StateDocument, parse_state
from kumoss_console.ports.objects import ObjectContent, ObjectVersion
from kumoss_console.ports.offloop import OffLoop

_TRIED = 5
"""Versions that are read whole in search of one."""
Fetch = Callable[[ObjectVersion], Awaitable[tuple[str, ObjectContent]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """``highest`` is the highest serial that a damaged version above it still tells, 0 for none. ``damaged`` is the active
    version where no engine can read it."""

    version: ObjectVersion
    label: str
    content: ObjectContent
    highest: int
    damaged: StateDocument | None

    @property
    def found(self) -> bytes | None:
        """What an engine finds under the key when it pushes, once a damaged object was removed; ``None`` for nothing."""
        return self.content.content if self.damaged is None else None

    @property
    def must_go(self) -> bool:
        """Whether a push fails on what is there: engines take an empty object for no state, and nothing else."""
        return self.damaged is not None and self.damaged.size > 0


async def base_of(kept: Sequence[ObjectVersion], fetch: Fetch, off_loop: OffLoop) -> Base:
    """Of the versions with content, newest first, at least one. Where none of the newest can be read, it is the newest of all:
    comparing then says what is wrong with it."""
    damaged: list[StateDocument] = []
    first: Base | None = None
    for version in kept[:_TRIED]:
        label, content = await fetch(version)
        raw = content.content
        document = await off_loop(lambda raw=raw: parse_state(raw))  # type: ignore[misc]  # bound on purpose
        sound = document.readable or document.kind is DocumentKind.ENCRYPTED
        base = Base(
            version=version,
            label=label,
            content=content,
            highest=max((one.serial or 0 for one in damaged), default=0),
            damaged=damaged[0] if damaged else None,
        )
        if sound:
            return base
        first = first or base
        damaged.append(document)
    if first is None:
        raise ValueError("a restore goes on from one version at least")
    return first
