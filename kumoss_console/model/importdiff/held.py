"""What states hold, as far as a comparison with a cloud needs it: identifiers and addresses, never a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kumoss_console.model.identifiers import unique


@dataclass(frozen=True, slots=True)
class Managed:
    """One object of a state.

    ``ids`` are all spellings its identifier is known by, the contract's first (the ARN where there is one, else the ``id``).
    ``address`` and ``type`` are empty where only a listing of identifiers is at hand. ``hidden`` tells whether it carries a tag
    or label whose bearers a scope listing leaves out, ``None`` where its tags are not known.
    """

    ids: tuple[str, ...]
    address: str = ""
    type: str = ""
    hidden: bool | None = None
    deposed: bool = False

    @property
    def id(self) -> str:
        """The identifier as the contract has it."""
        return self.ids[0]

    @property
    def has_arn(self) -> bool:
        return self.ids[0].startswith("arn:")


StateStatus = Literal["read", "not_a_state", "could_not_look"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateIds:
    """The objects of one state of the bucket. ``reason`` says why there are none that could be read; ``owner`` is in words and
    empty where nobody here knows whose the key is."""

    key: str
    owner: str = ""
    status: StateStatus = "read"
    reason: str = ""
    objects: tuple[Managed, ...] = ()
    lineage: str = ""
    """Of the document: two keys with one lineage are one state. Empty where not known."""
    serial: int | None = None

    @property
    def contract_ids(self) -> tuple[str, ...]:
        """What ``state-resource-ids`` answers for this state."""
        return unique(one.id for one in self.objects)


def from_listing(ids: tuple[str, ...]) -> tuple[Managed, ...]:
    """Objects of which a listing tells nothing but the identifier."""
    return tuple(Managed((one,)) for one in ids)
