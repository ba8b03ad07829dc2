"""What bytes are before they are JSON: the forms that are told apart by their first bytes or by the file's name."""

from __future__ import annotations

import re

from kumoss_console.model.state.document import DocumentKind, Form, StateDocument
from kumoss_console.model.state.verdicts import not_json, unreadable

_XML_CODE = re.compile(rb"<Code>([A-Za-z0-9._]{1,64})</Code>")
_SPACE = b" \t\r\n"
_BINARY = (
    "The state is stored in a legacy binary format that is not supported since Terraform v0.7. "
    "To continue, first upgrade the state using Terraform 0.6.16 or earlier."
)


def recognise(raw: bytes) -> StateDocument | None:
    """The document, where its first bytes say that it is not JSON; ``None`` where it may be."""
    if not raw:
        # No engine error: in a remote backend an empty object simply is no state.
        return unreadable(raw, Form.EMPTY, "zero bytes", None)
    if not raw.strip(_SPACE):
        return unreadable(raw, Form.EMPTY, "white space only", not_json(len(raw)))
    if raw.startswith(b"PK\x03\x04"):
        reason = "zip archive (PK), most likely a saved plan"
        return unreadable(raw, Form.PLAN_FILE, reason, not_json(1), kind=DocumentKind.PLAN)
    if raw.startswith(b"tfstate"):
        return unreadable(raw, Form.STATE, "pre-0.4 binary format", _BINARY, kind=DocumentKind.STATE)
    start = raw[:4096].lstrip(_SPACE)
    if start.startswith(b"<"):
        return unreadable(raw, Form.NOT_A_STATE, _markup(start), not_json(1))
    return None


def _markup(start: bytes) -> str:
    code = _XML_CODE.search(start)
    if code is not None and b"<Error" in start:
        return f"S3 error document, code {code[1].decode('ascii')}"
    if b"<html" in start.lower() or b"<!doctype html" in start.lower():
        return "an HTML page, as a proxy or a login form answers"
    return "XML"


def wide_reason(raw: bytes) -> tuple[str, str] | None:
    """Reason and codec of a UTF-32 or UTF-16 document with a byte order mark."""
    # The mark of UTF-32 begins with that of UTF-16; no text begins with a NUL character.
    if raw.startswith(b"\xff\xfe\0\0"):
        return "UTF-32 LE with BOM", "utf-32"
    if raw.startswith(b"\0\0\xfe\xff"):
        return "UTF-32 BE with BOM", "utf-32"
    if raw.startswith(b"\xff\xfe"):
        return "UTF-16 LE with BOM (PowerShell redirection)", "utf-16"
    if raw.startswith(b"\xfe\xff"):
        return "UTF-16 BE with BOM", "utf-16"
    return None
