"""What a table knows of one identifier."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """``import_id`` is ``None`` where the type is known and its import id does not follow from the identifier."""

    type: str
    import_id: str | None
    name: str
    certain: bool = True
    note: str = ""
