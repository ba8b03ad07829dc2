"""Bytes from a bucket into a :class:`StateDocument`. Never raises for what the bytes are.

CPU work (0.3 s for 34 MB): call it off the event loop.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.lock import LOCK_SUFFIX, parse_lock, parse_lock_object
from kumoss_console.model.state import repair
from kumoss_console.model.state.body import is_usual, read_body, read_quickly
from kumoss_console.model.state.broken import broken
from kumoss_console.model.state.casing import Matched, as_engines_match
from kumoss_console.model.state.classify import recognise, wide_reason
from kumoss_console.model.state.document import DocumentKind, Form, StateDocument
from kumoss_console.model.state.kin import backend_cache, dependency_lock, encrypted, lock_document, lock_in
from kumoss_console.model.state.kinds import json_type
from kumoss_console.model.state.numbers import Number
from kumoss_console.model.state.verdicts import (
    NO_VERSION,
    not_a_number,
    not_json,
    note,
    refused,
    unreadable,
)
from kumoss_console.model.state.wire import Head

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"


def parse_state(raw: bytes, *, name: str = "") -> StateDocument:
    """The document in ``raw``. ``name`` is its key or file name: an empty dependency lock and an empty lock need it."""
    if name.endswith(".lock.hcl"):
        return dependency_lock(raw)
    if name.endswith((LOCK_SUFFIX, ".lock.info")):
        return lock_document(raw, parse_lock_object(raw))
    if raw.startswith(_GZIP):
        return _compressed(raw, name)
    if (wide := wide_reason(raw)) is not None:
        reason, codec = wide
        return _repaired(raw, raw.decode(codec, errors="replace").encode(errors="replace"), reason, name)
    if raw.startswith(_BOM):
        return _repaired(raw, raw[len(_BOM) :], "UTF-8 BOM before the JSON", name)
    return recognise(raw) or _json(raw)


def legible(raw: bytes) -> bytes:
    """The JSON that :func:`parse_state` reads in ``raw``: unpacked, without a byte order mark, as UTF-8. Other bytes stay."""
    if raw.startswith(_GZIP):
        try:
            raw = repair.unpack(raw)
        except repair.UnpackError:
            return raw
    if (wide := wide_reason(raw)) is not None:
        raw = raw.decode(wide[1], errors="replace").encode(errors="replace")
    text, _ = repair.as_utf8(raw.removeprefix(_BOM))
    if is_usual(text):
        return text
    try:
        repair.decode(text, Head)
    except msgspec.ValidationError:
        return text
    except msgspec.DecodeError:
        text = repair.without_lone_surrogates(text)
    return text if _is_lock(text) else as_engines_match(text).text


def _json(raw: bytes) -> StateDocument:
    text, replaced = repair.as_utf8(raw)
    # What an engine wrote is nearly every document; whatever is odd goes the long way.
    quick = None if replaced else read_quickly(text)
    return quick or _json_with_care(raw, text, replaced=replaced)


def _json_with_care(raw: bytes, text: bytes, *, replaced: bool) -> StateDocument:
    matched = Matched(text)
    try:
        head, cut = repair.decode(text, Head)
        if not _tells_a_lock(head):
            matched = as_engines_match(text)
            if matched.text != text:
                text = matched.text
                head = repair.decode(text, Head)[0]
    except msgspec.ValidationError as error:
        return _not_an_object(raw, text, error)
    except msgspec.DecodeError as error:
        mended = repair.without_lone_surrogates(text)
        if mended != text:
            return replace(_json(mended), size=len(raw))
        return lock_in(raw) or broken(raw, text, error)
    if cut and (deep := repair.too_deep(text)) is not None:
        return _too_deep(raw, text, head, deep)
    document = replace(_by_head(text, head), size=len(raw))
    findings = list(document.findings)
    if matched.odd:
        findings.append(_in_another_case(matched.odd))
    if matched.repeated:
        findings.append(_repeated(matched.repeated))
    if replaced:
        findings.append(
            note(
                "state.invalid_utf8",
                Severity.WARNING,
                "holds bytes that are not UTF-8; engines pass them on, shown here as U+FFFD",
            )
        )
    if cut:
        findings.append(note("state.deep_nesting", Severity.INFO, "nests deeper than 200 levels; what lies below was not read"))
    return replace(document, findings=tuple(findings))


def _is_lock(text: bytes) -> bool:
    try:
        return _tells_a_lock(repair.decode(text, Head)[0])
    except msgspec.DecodeError:
        return False


def _tells_a_lock(head: Head) -> bool:
    """Whether this is the lock that an engine writes as an object, whose members begin with a capital."""
    return head.version is None and head.lock_id is not None and bool(bytes(head.lock_who) or bytes(head.lock_operation))


def _in_another_case(odd: tuple[str, ...]) -> Finding:
    message = f"members in another case than engines write, which they read all the same: {_named(odd)}"
    return note("state.unusual_case", Severity.WARNING, message, "another program wrote this: find out which")


def _repeated(names: tuple[str, ...]) -> Finding:
    message = (
        f"members that are there more than once: {_named(names)}; engines take the last that is not null, put outputs together, "
        "and read the objects of a later list over those of the earlier one"
    )
    return note("state.repeated_member", Severity.WARNING, message, "another program wrote this: find out which")


def _named(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names[:5]) + (" and others" if len(names) > 5 else "")


def _too_deep(raw: bytes, text: bytes, head: Head, offset: int) -> StateDocument:
    """A document that engines give up on. What is above 200 levels is read all the same."""
    inner = _by_head(text, head)
    reason = f"nests deeper than {repair.DEEPEST_READ:,} levels, which engines do not read"
    return replace(_despite(raw, inner, Form.DAMAGED, reason), engine_error=not_json(offset))


def _by_head(raw: bytes, head: Head) -> StateDocument:
    if bytes(head.encrypted_data):
        return encrypted(raw, head)
    if head.version is None:
        if _tells_a_lock(head):
            return lock_document(raw, parse_lock(raw))
        return lock_in(raw) or unreadable(raw, Form.NOT_A_STATE, 'JSON object without "version"', NO_VERSION)
    if isinstance(head.version, bool) or not isinstance(head.version, int):
        kind = json_type(head.version)
        shown = f"number {_written(head.version)}" if kind == "number" else kind
        article = "an" if kind[0] in "aeiou" else "a"
        return _with_head(
            unreadable(raw, Form.STATE, f'"version" is {article} {kind}', not_a_number(shown), kind=DocumentKind.STATE), head
        )
    if bytes(head.backend) not in (b"", b"null") and not bytes(head.resources) and not bytes(head.modules):
        return _with_head(backend_cache(raw, head), head)
    return read_body(raw, head)


def _written(number: object) -> str:
    return number.text if isinstance(number, Number) else str(number)


def _with_head(document: StateDocument, head: Head) -> StateDocument:
    """What the top level says, as far as it has the right type."""
    return replace(
        document,
        format_version=head.version if type(head.version) is int else None,
        engine_version=head.terraform_version if isinstance(head.terraform_version, str) else None,
        serial=head.serial if type(head.serial) is int else None,
        lineage=head.lineage if isinstance(head.lineage, str) else None,
    )


def _compressed(raw: bytes, name: str) -> StateDocument:
    try:
        inner = parse_state(_once(repair.unpack(raw)), name=name)
    except repair.UnpackError as error:
        return unreadable(raw, Form.COMPRESSED, str(error), not_json(1))
    ids = f"{len(inner.ids)} id{'' if len(inner.ids) == 1 else 's'}"
    contains = f"; contains a valid state with {ids}" if inner.form is Form.STATE and inner.readable else ""
    return _despite(raw, inner, Form.COMPRESSED, f"gzip stream (1f 8b){contains}")


def _once(unpacked: bytes) -> bytes:
    if unpacked.startswith(_GZIP):
        raise repair.UnpackError("a gzip stream within a gzip stream")
    return unpacked


def _repaired(raw: bytes, text: bytes, reason: str, name: str) -> StateDocument:
    inner = recognise(text) or _json(text)
    return _despite(raw, inner, Form.DAMAGED, reason)


def _despite(raw: bytes, inner: StateDocument, form: Form, reason: str) -> StateDocument:
    """What the console reads although no engine does: everything the inner document tells, its identifiers as recovered."""
    return replace(
        inner,
        form=form,
        readable=False,
        size=len(raw),
        reason=reason,
        engine_error=not_json(1),
        ids=(),
        recovered_ids=inner.ids or inner.recovered_ids,
        findings=(refused(form, reason), *inner.findings),
    )


def _not_an_object(raw: bytes, text: bytes, error: msgspec.ValidationError) -> StateDocument:
    try:
        value, _ = repair.decode(text, Any)
    except msgspec.DecodeError:
        return broken(raw, text, error)
    kind = json_type(value)
    return lock_in(raw) or unreadable(raw, Form.NOT_A_STATE, f"JSON {kind}", not_a_number(kind))
