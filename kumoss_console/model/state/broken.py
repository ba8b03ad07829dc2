"""Bytes that begin like JSON and are not: what is wrong, and what is still legible."""

from __future__ import annotations

import re
from dataclasses import replace

import msgspec

from kumoss_console.model.state.document import DocumentKind, Form, StateDocument
from kumoss_console.model.state.verdicts import not_json, unreadable

_OFFSET = re.compile(r"\(byte (\d+)\)")
_HINTS = re.compile(r'"(version|serial|lineage|terraform_version)"\s*:\s*(?:(\d{1,20})(?!\d)|"([^"\\]{1,128})")')
_HINT_WINDOW = 4096


def broken(raw: bytes, text: bytes, error: msgspec.DecodeError) -> StateDocument:
    """The document in ``raw``, whose ``text`` is not JSON for the reason in ``error``."""
    said = str(error)
    found = _OFFSET.search(said)
    # The engines count from one; a document that ends early is wrong at its end.
    offset = len(raw) if found is None else max(1, int(found[1]))
    if "trailing characters" in said:
        reason = _what_follows(text[offset - 1 :])
    elif "truncated" in said:
        reason = "JSON ends early (interrupted upload)"
    else:
        reason = "not JSON"
    if not raw.lstrip().startswith(b"{"):
        return unreadable(raw, Form.NOT_A_STATE, reason, not_json(offset))
    return _with_hints(unreadable(raw, Form.DAMAGED, reason, not_json(offset), kind=DocumentKind.STATE), text)


def _what_follows(rest: bytes) -> str:
    """What is behind the end of a document: the first byte of ``rest`` is not white space."""
    if not rest.strip(b"\0 \t\r\n"):
        zeros = rest.count(b"\0")
        return f"{zeros:,} NUL byte{'' if zeros == 1 else 's'} after the end of the JSON document"
    if rest[:1] in (b"{", b"["):
        return "two JSON documents in one object"
    return f"{len(rest):,} byte{'' if len(rest) == 1 else 's'} that are no JSON after the end of the JSON document"


def _with_hints(document: StateDocument, text: bytes) -> StateDocument:
    """Version, serial and lineage as far as the first bytes still tell: they help to find the version to go back to."""
    hints: dict[str, str] = {}
    for key, number, word in _HINTS.findall(text[:_HINT_WINDOW].decode(errors="replace")):
        hints.setdefault(key, number or word)
    return replace(
        document,
        format_version=_whole(hints.get("version")),
        engine_version=hints.get("terraform_version"),
        serial=_whole(hints.get("serial")),
        lineage=hints.get("lineage"),
    )


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
