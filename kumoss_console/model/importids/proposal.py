"""What an import of a discovered thing would need: the resource type, the import id, and how sure each of them is.

An identifier of a listing is seldom what an import takes: most AWS types want a name or an id of their own, not the ARN. What
is not in the tables is said to be not known, never made up.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importids.aws import read_arn
from kumoss_console.model.importids.azure import read_resource_id
from kumoss_console.model.importids.gcp import read_asset

NOT_KNOWN = "not known: look at the provider's documentation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """``type`` is empty where nobody can say; ``import_id`` is ``None`` where it is not known. ``certain`` is whether both follow
    from the identifier alone: else the type is a guess, and ``note`` says what to look at. ``name`` is one for the resource."""

    type: str
    import_id: str | None
    certain: bool
    name: str
    note: str = ""

    @property
    def address(self) -> str:
        """Where it could go, empty where the type is not known."""
        return f"{self.type}.{self.name}" if self.type else ""


def propose(provider: CloudProvider, identifier: str) -> Proposal:
    """What is known about importing ``identifier``, which is as a scope listing has it."""
    reader = {CloudProvider.AWS: read_arn, CloudProvider.AZURE: read_resource_id, CloudProvider.GCP: read_asset}.get(provider)
    known = reader(identifier) if reader is not None else None
    if known is None:
        return Proposal(type="", import_id=None, certain=False, name=label(_last(identifier)), note=NOT_KNOWN)
    note = known.note or ("" if known.certain else "a guess from the identifier: look at what it is")
    if known.import_id is None:
        note = NOT_KNOWN if not known.note else f"{NOT_KNOWN} ({known.note})"
    certain = known.certain and known.import_id is not None
    return Proposal(type=known.type, import_id=known.import_id, certain=certain, name=label(known.name), note=note)


def label(text: str) -> str:
    """A resource name made of a cloud's name: ASCII letters, digits and underscores, never a digit first."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:64] or "imported"
    return word if not word[0].isdigit() else f"r_{word}"


def _last(identifier: str) -> str:
    return re.split(r"[/: ]", identifier.rstrip("/: "))[-1]
