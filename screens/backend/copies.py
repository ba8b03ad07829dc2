"""What of a workspace's layers can be copied. Secrets are masked in all of it."""

from __future__ import annotations

import json
import shlex

from kumoss_console.model.backend.rows import ValueRow, worded
from kumoss_console.services.backend.effective import WorkspaceBackend
from kumoss_console.services.backend.shape import backend_data
from screens.copies import Copy


def layer_copies(found: WorkspaceBackend | None, row: ValueRow | None, context: str) -> tuple[Copy, ...]:
    """The value under the cursor, where it stands, all of it, and the command that shows the same."""
    if found is None:
        return ()
    copied = []
    if row is not None:
        copied.append(Copy(label=f"the value of {row.name}", text=row.expression or worded(row.value), role="thing"))
        if row.origin is not None:
            copied.append(Copy(label="where it stands", text=f"{found.folder}/{row.origin.at}"))
    document = json.dumps(backend_data(found, reveal=False), indent=2, ensure_ascii=False, default=str)
    command = f"kumoss-console backend {shlex.quote(str(found.folder))} --context {shlex.quote(context)}"
    return (
        *copied,
        Copy(label="as JSON", text=document, role="json"),
        Copy(label="the command that shows this", text=command, role="command"),
    )
