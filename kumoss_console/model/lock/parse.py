"""A lock read from any of its forms: a lock object, the headers of a leased blob, rows of a table, an engine's words."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.lock.decoding import NO_LOCK_INFO, NotRead, members
from kumoss_console.model.lock.document import Lock, LockDocument

_LARGEST = 1 << 20
"""Bytes of a document that is looked at for a lock; a lock has less than a thousand."""

_BOM = "\ufeff"
_METADATA = "x-ms-meta-terraformlockid"
_ID_HINT = re.compile(r'"ID"\s*:\s*"([^"\\]{1,128})"')
_PRINTED = re.compile(r"^[\s│╷╵|]*(ID|Path|Operation|Who|Version|Created|Info):[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_PRINTED_HEAD = re.compile(r"^[\s│╷╵|]*Lock Info:", re.MULTILINE)


def parse_lock_object(raw: bytes) -> LockDocument:
    """A lock as an engine reads the object, or the metadata, that it keeps one in: plain JSON and nothing else."""
    text = raw.decode("utf-8", errors="replace")
    if text.startswith(_BOM):
        hint = _ID_HINT.search(text)
        return _unreadable("UTF-8 BOM before the JSON", f"{NO_LOCK_INFO}: invalid character", hint and hint[1])
    try:
        document = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, RecursionError) as error:
        return _flawed(text, error)
    if document is None:
        return _from_members({})  # as Go takes a null: nothing is said
    return _from_json(text) if isinstance(document, dict) else _unreadable("not a JSON object", "cannot unmarshal")


def parse_lock(raw: bytes) -> LockDocument:
    """A lock from any of its forms: the lockfile's JSON, DynamoDB items, Azure blob headers, or the text an engine printed."""
    text = raw.decode("utf-8-sig", errors="replace")
    try:
        document = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, RecursionError) as error:
        return _from_members(found) if (found := _printed(text)) else _flawed(text, error)
    if isinstance(document, list):
        return _from_table(document)
    if not isinstance(document, dict):
        return _unreadable("not a JSON object", "cannot unmarshal")
    if isinstance(headers := document.get("headers"), dict):
        return _from_lease(headers)
    if "LockID" in document:
        return _from_table([document])
    return _from_json(text)


def recognise_lock(raw: bytes) -> LockDocument | None:
    """The lock in ``raw`` where its content says that it is one, whatever its name; ``None`` for everything else.

    The lockfile's own JSON is not looked for here: it is told from a state by its members.
    """
    if len(raw) > _LARGEST:
        return None
    text = raw.decode("utf-8-sig", errors="replace")
    try:
        document = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, RecursionError):
        return _from_members(found) if (found := _printed(text)) else None
    if isinstance(document, dict) and isinstance(headers := document.get("headers"), dict):
        return _from_lease(headers) if _is_leased(headers) else None
    items = document if isinstance(document, list) else [document]
    held = [item for item in items if _text_of(item, "LockID") is not None]
    if len(held) == len(items) and any(_text_of(item, "Info") is not None for item in held):
        return _from_table(items)
    return None


def lock_from_metadata(value: str) -> LockDocument:
    """A lock from the base64 text that the azurerm backend keeps in the blob's metadata."""
    try:
        raw = base64.b64decode(value.strip(), validate=True)
    except (binascii.Error, ValueError):
        return _unreadable("metadata is not base64", "illegal base64 data")
    return parse_lock_object(raw)


def _from_json(text: str, *, digest: str | None = None) -> LockDocument:
    try:
        found = members(text)
    except NotRead as refused:
        return _unreadable(refused.reason, refused.said, refused.id)
    return _from_members(found, digest=digest)


def _from_members(found: Mapping[str, str], *, digest: str | None = None) -> LockDocument:
    """``found`` by the names that engines write."""
    lock = Lock(
        id=found.get("ID", ""),
        holder=found.get("Who", ""),
        operation=found.get("Operation", ""),
        engine_version=found.get("Version", ""),
        created=found.get("Created"),
        path=found.get("Path", ""),
        info=found.get("Info", ""),
    )
    findings = []
    if not lock.id:
        findings.append(
            Finding(
                code="lock.no_id",
                severity=Severity.WARNING,
                subject=lock.path or "lock",
                message="the lock has no id: force-unlock cannot name it, and engines do not wait for it",
                remedy="make sure that nobody holds it, then remove it (state unlock, by what state locks shows for it)",
            )
        )
    return LockDocument(lock=lock, digest=digest, findings=tuple(findings))


def _printed(text: str) -> dict[str, str]:
    """The members of a lock as an engine prints it; none where there is no lock with an id in ``text``."""
    head = _PRINTED_HEAD.search(text)
    found = dict(reversed(_PRINTED.findall(text, head.end()))) if head is not None else {}
    if not found.get("Created"):
        found.pop("Created", None)
    return found if found.get("ID") else {}


def _flawed(text: str, error: Exception) -> LockDocument:
    """What is no JSON, as the decoder's ``error`` says."""
    if text.lstrip().startswith(("{", "[")):
        hint = _ID_HINT.search(text)
        reason, ending = _flaw(error)
        return _unreadable(reason, f"{NO_LOCK_INFO}: {ending}", hint and hint[1])
    return _unreadable("plain text" if text.strip() else "empty", "invalid character" if text.strip() else "unexpected end")


def _flaw(error: Exception) -> tuple[str, str]:
    """What is wrong with a JSON document, in our words and as the engines' decoder has it."""
    if isinstance(error, RecursionError):
        return "JSON that is nested too deep", "exceeded max depth"
    _, malformed, where = str(error).partition("JSON is malformed: ")
    return (f"malformed JSON: {where}", "invalid character") if malformed else ("truncated JSON", "unexpected end of JSON input")


def _from_table(items: list[Any]) -> LockDocument:
    digest = None
    info = None
    for item in items:
        name = _text_of(item, "LockID") or ""
        if name.endswith("-md5"):
            digest = _text_of(item, "Digest")
        else:
            info = _text_of(item, "Info") or info
    if info is None:
        return _unreadable("table items without a lock", None)
    try:
        document = msgspec.json.decode(info)
    except (msgspec.DecodeError, RecursionError):
        return _unreadable("the table's Info is not JSON", NO_LOCK_INFO)
    if not isinstance(document, dict):
        return _unreadable("the table's Info is no JSON object", NO_LOCK_INFO)
    return _from_json(info, digest=digest)


def _text_of(item: object, name: str) -> str | None:
    value = item.get(name) if isinstance(item, dict) else None
    text = value.get("S") if isinstance(value, dict) else value
    return text if isinstance(text, str) else None


def _lowered(headers: dict[str, Any]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items() if isinstance(value, str)}


def _is_leased(headers: dict[str, Any]) -> bool:
    """Whether these are the headers of a blob that an engine, or anybody, has locked."""
    lowered = _lowered(headers)
    return lowered.get("x-ms-lease-status", "").lower() == "locked" or _METADATA in lowered


def _from_lease(headers: dict[str, Any]) -> LockDocument:
    lowered = _lowered(headers)
    metadata = lowered.get(_METADATA)
    if metadata is None:
        return _unreadable("leased without lock metadata", None)
    return replace(lock_from_metadata(metadata), lease=lowered.get("x-ms-lease-duration"))


def _unreadable(reason: str, engine_error: str | None, id_hint: str | None = None) -> LockDocument:
    known = f"; an id is still legible in it: {id_hint}" if id_hint else ""
    finding = Finding(
        code="lock.unreadable",
        severity=Severity.ERROR,
        subject="lock",
        message=f"the lock cannot be read ({reason}), and it locks the state all the same{known}",
        remedy=(
            "force-unlock cannot work on it: make sure that nobody holds it, then remove it (state unlock, by what state locks "
            "shows for it)"
        ),
    )
    return LockDocument(lock=None, reason=reason, engine_error=engine_error, id_hint=id_hint, findings=(finding,))
