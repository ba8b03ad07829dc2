"""Why what is written in a form will not do."""

from __future__ import annotations


class DraftError(ValueError):
    """The field (``""`` where it is none of them), by the contract's name, and the reason. Raised by the pure part of a form."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason
