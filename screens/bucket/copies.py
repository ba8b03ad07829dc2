"""What of the bucket can be copied. A key with characters that a terminal would obey is copied as it is shown."""

from __future__ import annotations

import json
import shlex
from datetime import datetime

from kumoss_console.model.context import Context
from kumoss_console.model.storage import object_url
from kumoss_console.services.bucket import StateDetail, StateRow
from kumoss_console.services.bucketshape import detail_shape, row_shape
from kumoss_console.text import printable
from screens.copies import Copy


def row_copies(row: StateRow, context: Context) -> tuple[Copy, ...]:
    """For a row of the listing."""
    document = json.dumps(row_shape(row), indent=2, ensure_ascii=False)
    return (*_key_copies(row.key, context), Copy(label="the row as JSON", text=document, role="json"))


def detail_copies(detail: StateDetail, context: Context, now: datetime) -> tuple[Copy, ...]:
    """For the object that is open. Sensitive outputs are masked in it, as on the screen."""
    document = json.dumps(detail_shape(detail, now), indent=2, ensure_ascii=False)
    state, lock = detail.state, detail.lock
    texts = (
        ("the lineage", state.lineage or ""),
        ("the identifiers", "\n".join(state.ids)),
        ("the lock id", lock.id if lock is not None else ""),
        ("the lock's holder", lock.holder if lock is not None else ""),
    )
    return (
        *_key_copies(detail.info.key, context),
        Copy(label="the state as JSON", text=document, role="json"),
        *(Copy(label=label, text=printable(text, newlines=True)) for label, text in texts if text),
    )


def _key_copies(key: str, context: Context) -> tuple[Copy, ...]:
    shown = printable(key)
    if shown != key:
        return (Copy(label="the key, as shown", text=shown, role="thing"),)
    command = f"kumoss-console state show {shlex.quote(key)} --context {shlex.quote(context.name)}"
    url = object_url(context.storage, key)
    return (
        Copy(label="the key", text=key, role="thing"),
        Copy(label="the command that shows this", text=command, role="command"),
        *((Copy(label="the URL of the object", text=url),) if url else ()),
    )
