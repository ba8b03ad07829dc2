"""Text that a machine wrote for a machine: ``-json`` streams, ``validate -json``, and documents that carry an output inside."""

from __future__ import annotations

import json
from collections.abc import Iterator

_LONGEST_LINE = 256 * 1024
_LONGEST_DOCUMENT = 4 * 1024 * 1024
_DEEPEST = 4
_TEXTS = ("stderr", "stdout", "error_message", "detail", "title", "message", "@message", "msg", "error", "result", "data")
_HEADS = {"error": "Error: ", "warning": "Warning: "}


def document_text(text: str) -> str | None:
    """What a text that is one JSON document says, as an engine would print it; ``None`` for any other text."""
    stripped = text.strip()
    if not stripped.startswith("{") or not stripped.endswith("}") or len(stripped) > _LONGEST_DOCUMENT:
        return None
    return _said(stripped)


def line_text(line: str) -> str | None:
    """What one line of a stream says; ``None`` for a line that is no JSON object, empty for one that reports no trouble."""
    stripped = line.strip()
    if not stripped.startswith('{"') or not stripped.endswith("}") or len(stripped) > _LONGEST_LINE:
        return None
    return _said(stripped)


def problem_text(status: int, title: str | None, detail: str | None) -> str:
    """What a problem document (RFC 9457) says, its status in words that rules can be made for: ``Problem 503: title``."""
    return "\n".join(part for part in (f"Problem {status}: {title or ''}".rstrip(), detail) if part)


def _said(text: str) -> str | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return "\n".join(_walk(value, 0)) if isinstance(value, dict) else None


def _walk(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        return
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    diagnostics = value.get("diagnostics", [value["diagnostic"]] if "diagnostic" in value else None)
    if isinstance(diagnostics, list):
        for diagnostic in diagnostics[:200]:
            yield from _diagnostic(diagnostic)
        return
    if value.get("@level") in {"info", "debug", "trace"} or "format_version" in value:
        return
    status, title, detail = value.get("status"), value.get("title"), value.get("detail")
    if isinstance(status, int) and 400 <= status <= 599 and isinstance(title, str):
        yield problem_text(status, title, detail if isinstance(detail, str) else None)
        return
    for name in _TEXTS:
        if name in value:
            yield from _walk(value[name], depth + 1)


def _diagnostic(diagnostic: object) -> Iterator[str]:
    if not isinstance(diagnostic, dict):
        return
    head = _HEADS.get(str(diagnostic.get("severity")), "Error: ")
    yield f"\n{head}{diagnostic.get('summary') or ''}"
    address, place = diagnostic.get("address"), diagnostic.get("range")
    if isinstance(address, str) and address:
        yield f"  with {address},"
    if isinstance(place, dict):
        start = place.get("start")
        number = start.get("line") if isinstance(start, dict) else None
        yield f"  on {place.get('filename')} line {number}:"
    detail = diagnostic.get("detail")
    if isinstance(detail, str):
        yield detail
