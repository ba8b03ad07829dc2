"""A JSON object with a version: its body by format, and the verdict on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.identifiers import resource_ids
from kumoss_console.model.state import repair
from kumoss_console.model.state.document import Contents, DocumentKind, Form, StateDocument
from kumoss_console.model.state.numbers import Number
from kumoss_console.model.state.repeats import any_at_the_top
from kumoss_console.model.state.v3 import read_v3
from kumoss_console.model.state.v4 import read_v4
from kumoss_console.model.state.verdicts import not_a_number, note, refused, unreadable
from kumoss_console.model.state.wire import Head, QuickStateV4, StateV3, StateV4

CURRENT_FORMAT = 4
_LARGEST_SERIAL = 2**64 - 1
_QUICK = msgspec.json.Decoder(QuickStateV4, float_hook=Number)
_WRONG_TYPE = re.compile(r"(?:got `(\w+)`)?(?: >= 0)? - at `\$\.([^`]+)`")
_GO_KIND = {"str": "string", "array": "array", "object": "object", "bool": "bool"}
_VERSION = re.compile(r"v?\d+(\.\d+)*(-[0-9A-Za-z.~-]+)?(\+[0-9A-Za-z.~-]+)?\Z")
_ZERO = (
    "The state file uses JSON syntax but has a version number of zero. There was never a JSON-based state format zero, "
    "so this state file is invalid and cannot be processed."
)


def read_body(raw: bytes, head: Head) -> StateDocument:
    """The state in ``raw``, whose ``version`` is a whole number."""
    version: int = head.version
    if not 1 <= version <= CURRENT_FORMAT:
        return _unsupported(raw, head, version)
    try:
        if version == CURRENT_FORMAT:
            state, _ = repair.decode(raw, StateV4)
            contents = read_v4(state)
        else:
            state, _ = repair.decode(raw, StateV3)
            contents = read_v3(state)
    except msgspec.ValidationError as error:
        return _wrongly_typed(raw, head, str(error))
    return _document(raw, state, contents, version)


def read_quickly(raw: bytes) -> StateDocument | None:
    """A format 4 state of the usual form, in one pass. ``None`` for everything else, which :func:`read_body` tells apart."""
    state = _quick(raw)
    if state is None or any_at_the_top(raw):
        return None
    if type(state.version) is not int or state.version != CURRENT_FORMAT or bytes(state.encrypted_data) or bytes(state.backend):
        return None
    if not _any_marked(state):
        return _document(raw, state, read_v4(state), CURRENT_FORMAT)
    # Whether an identifier repeats what is marked is only seen where all attributes are at hand.
    try:
        whole, _ = repair.decode(raw, StateV4)
    except msgspec.DecodeError:
        return None
    return _document(raw, state, read_v4(state, whole), CURRENT_FORMAT)


def is_usual(raw: bytes) -> bool:
    """Whether ``raw`` is JSON in which nothing has to be looked for under another name, or put together."""
    return _quick(raw) is not None and not any_at_the_top(raw)


def _quick(raw: bytes) -> QuickStateV4 | None:
    try:
        return _QUICK.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _any_marked(state: QuickStateV4) -> bool:
    return any(instance.sensitive_attributes for resource in state.resources or () for instance in resource.instances or ())


def _document(raw: bytes, state: StateV4 | StateV3 | QuickStateV4, contents: Contents, version: int) -> StateDocument:
    document = StateDocument(
        kind=DocumentKind.STATE,
        form=Form.STATE,
        readable=True,
        size=len(raw),
        format_version=version,
        engine_version=state.terraform_version,
        serial=state.serial or 0,
        lineage=state.lineage or "",
        findings=tuple(_about(version, state.lineage or "")),
    )
    return _judged(document, replace(contents, violations=(*_about_the_head(state), *contents.violations)))


def _judged(document: StateDocument, contents: Contents) -> StateDocument:
    filled = replace(
        document,
        engine=contents.engine,
        counts=contents.counts,
        ids=contents.ids,
        ids_only_from_deposed=contents.ids_only_from_deposed,
        skipped=contents.skipped,
        resources=contents.resources,
        outputs=contents.outputs,
        checks=contents.checks,
        findings=(*document.findings, *contents.findings, *_skipped(contents)),
    )
    if not contents.violations:
        return replace(filled, findings=(*filled.findings, *_fresh(filled)))
    reason = "; ".join(contents.violations)
    return replace(
        filled,
        form=Form.DAMAGED,
        readable=False,
        reason=reason,
        engine_error="\n".join(contents.violations),
        ids=(),
        recovered_ids=contents.ids,
        findings=(refused(Form.DAMAGED, reason), *filled.findings),
    )


def _fresh(document: StateDocument) -> list[Finding]:
    if document.serial or document.resources or document.outputs:
        return []
    message = "nothing was applied yet: serial 0 without anything in it is what init of azurerm leaves behind for a new key"
    return [note("state.fresh", Severity.INFO, message, "an apply fills it; if there was one, it wrote to another key (trace)")]


def _about(version: int, lineage: str) -> list[Finding]:
    found = []
    if version < CURRENT_FORMAT:
        message = f"format {version}: engines still read it and write format {CURRENT_FORMAT} next time; there is no way back"
        found.append(note("state.legacy_format", Severity.WARNING, message, "keep a copy before the next apply"))
    if not lineage:
        message = "no lineage: a push of any other state would be accepted in its place"
        found.append(note("state.no_lineage", Severity.WARNING, message))
    return found


def _about_the_head(state: StateV4 | StateV3 | QuickStateV4) -> Iterator[str]:
    """What engines refuse in the members at the top, in their words."""
    version = state.terraform_version
    if version and not _VERSION.match(version):
        yield f'State file claims to have been written by Terraform version "{version}", which is not a valid version string.'
    if state.serial is not None and state.serial > _LARGEST_SERIAL:
        yield f'The state file field "serial" has invalid value number {state.serial}'


def _skipped(contents: Contents) -> list[Finding]:
    if not contents.skipped:
        return []
    some = "; ".join(f"{item.address} ({item.reason})" for item in contents.skipped[:5])
    more = f" and {len(contents.skipped) - 5} more" if len(contents.skipped) > 5 else ""
    count = len(contents.skipped)
    message = f"{count:,} managed object{'' if count == 1 else 's'} without an identifier: {some}{more}"
    return [note("state.without_identifier", Severity.INFO, message)]


def _unsupported(raw: bytes, head: Head, version: int) -> StateDocument:
    if version < 0:
        reason, said = '"version" is negative', not_a_number(f"number {version}")
    elif version == 0:
        reason, said = "version 0 never existed in JSON", _ZERO
    else:
        reason = f"unsupported format version {version}"
        said = f"The state file uses format version {version}, which is not supported by Terraform."
    return replace(unreadable(raw, Form.STATE, reason, said, kind=DocumentKind.STATE), **_legible(head))


def _wrongly_typed(raw: bytes, head: Head, said: str) -> StateDocument:
    """A member has a type the format does not have: engines refuse the whole, identifiers are read as far as they go."""
    document, _ = repair.decode(raw)
    reason, engine = f"a member has the wrong type: {said}", _invalid_value(said)
    if "`$.serial`" in said and isinstance(head.serial, Number):
        # Of a long one the decoder was told otherwise, and engines print what is written.
        engine = f'The state file field "serial" has invalid value number {head.serial.text}'
        if head.serial.text.isdigit():
            reason = f"a serial of {len(head.serial.text):,} digits, which is more than engines count to"
    damaged = unreadable(raw, Form.DAMAGED, reason, engine, kind=DocumentKind.STATE)
    return replace(damaged, recovered_ids=resource_ids(document), **_legible(head))


def _invalid_value(said: str) -> str | None:
    """The decoder's complaint in the engine's words, which name the field without its place in a list."""
    found = _WRONG_TYPE.search(said)
    if found is None:
        return None
    field = re.sub(r"\[[^\]]*\]", "", found[2])
    return f'The state file field "{field}" has invalid value {_GO_KIND.get(found[1] or "", "number")}'


def _legible(head: Head) -> dict[str, Any]:
    return {
        "format_version": head.version,
        "engine_version": head.terraform_version if isinstance(head.terraform_version, str) else None,
        "serial": head.serial if type(head.serial) is int else None,
        "lineage": head.lineage if isinstance(head.lineage, str) else None,
    }
