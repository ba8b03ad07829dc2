"""What can be asked for on the card of an endpoint."""

from __future__ import annotations

from screens.commands import COPIES, FULL_SCREEN, ONLY_WRONG, SAVE, Command

TRY = Command(
    id="endpoint.try",
    action="try_writes",
    title="Try what only writing tells…",
    help="Writes one scratch key of a few bytes and removes it again: conditional writes, checksums, deleting",
    words=("try",),
    changes=True,
)
"""Without a key on purpose: it is typed, or chosen in the palette."""
COMMANDS = (TRY, ONLY_WRONG, *COPIES, SAVE, FULL_SCREEN)
