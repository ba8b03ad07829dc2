"""What of the bucket can be copied. A key with characters that a terminal would obey is copied as it is shown."""

from __future__ import annotations

import json
import shlex
from datetime import datetime

from kumoss_console.model.context import Context
from kumoss_console.model.storage import object_url
from kumoss_console.services.bucket.service import StateDetail, StateRow
from kumoss_console.services.bucket.shape import detail_shape, row_shape
from kumoss_console.text import printable
from screens.bucket.detail import Opened
from screens.copies import Copy


def copies(opened: Opened | None, row: StateRow | None, context: Context, now: datetime) -> tuple[Copy, ...]:
    """For the object that is open, else for the row under the cursor."""
    if opened is None:
        return _of_row(row, context) if row is not None else ()
    return _of_object(opened.detail, context, now) if opened.detail is not None else _of_key(opened.key, context)


def saved(opened: Opened | None, now: datetime) -> tuple[str, str] | None:
    """A file name and the open object as JSON."""
    if opened is None or opened.detail is None:
        return None
    digits = "".join(char for char in opened.key if char.isascii() and char.isalnum())
    return f"state-{digits[:12]}.json", _document(opened.detail, now)


def _of_row(row: StateRow, context: Context) -> tuple[Copy, ...]:
    document = json.dumps(row_shape(row), indent=2, ensure_ascii=False)
    return (*_of_key(row.key, context), Copy(label="the row as JSON", text=document, role="json"))


def _of_object(detail: StateDetail, context: Context, now: datetime) -> tuple[Copy, ...]:
    state, lock = detail.state, detail.lock
    texts = (
        ("the lineage", state.lineage or ""),
        ("the identifiers", "\n".join(state.ids)),
        ("the lock id", lock.id if lock is not None else ""),
        ("the lock's holder", lock.holder if lock is not None else ""),
    )
    return (
        *_of_key(detail.info.key, context),
        Copy(label="the state as JSON", text=_document(detail, now), role="json"),
        *(Copy(label=label, text=printable(text, newlines=True)) for label, text in texts if text),
    )


def _document(detail: StateDetail, now: datetime) -> str:
    """Everything that was read, sensitive outputs masked as on the screen."""
    return json.dumps(detail_shape(detail, now), indent=2, ensure_ascii=False)


def _of_key(key: str, context: Context) -> tuple[Copy, ...]:
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
