"""The head of a document: what its first bytes tell of it, without the rest.

Engines write ``version``, ``terraform_version``, ``serial`` and ``lineage`` first, and OpenTofu leaves ``serial`` and ``lineage``
in clear at the top of what it encrypts. So about 1 KB tells whose history a state of any size belongs to. It does not tell
that the rest is whole: that a document begins as a state is all that is claimed here.

The rule that keeps this honest: whatever is not laid out exactly as an engine writes it is left to
:func:`~kumoss_console.model.state.parse.parse_state`, which reads all of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from kumoss_console.errors import ConsoleError
from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.model.state.classify import recognise
from kumoss_console.model.state.document import DocumentKind, Form, StateDocument
from kumoss_console.model.state.parse import parse_state

HEAD_BYTES = 1024
"""Bytes of the first read. The four members take some 150; OpenTofu's key provider before the ciphertext some 300."""

LONGER_HEAD_BYTES = 16 * 1024
"""Bytes of the second read, where the first ended amid what it was reading."""

TAIL_BYTES = 64
"""Bytes at the end that tell whether a document has one."""

HeadStatus = Literal[
    "state",
    "encrypted",
    "lock",
    "plan",
    "damaged",
    "empty",
    "compressed",
    "backend_cache",
    "dependency_lock",
    "not_a_state",
    "unknown",
]

_STATUS: dict[Form, HeadStatus] = {
    Form.STATE: "state",
    Form.DAMAGED: "damaged",
    Form.EMPTY: "empty",
    Form.NOT_A_STATE: "not_a_state",
    Form.ENCRYPTED: "encrypted",
    Form.COMPRESSED: "compressed",
    Form.PLAN_FILE: "plan",
    Form.BACKEND_CACHE: "backend_cache",
    Form.LOCK: "lock",
    Form.DEPENDENCY_LOCK: "dependency_lock",
}
_SPACE = b" \t\r\n"
_PLAIN_TEXT_MAY_BE_A_LOCK = 1 << 20
"""Bytes up to which text that is no JSON is looked at for a lock as an engine prints it."""

# A member whose value is a text or a whole number without anything unusual in it.
_MEMBER = re.compile(
    rb'[ \t\r\n]*"([A-Za-z_]{1,40})"[ \t\r\n]*:[ \t\r\n]*(?:"([^"\\\x00-\x1f]{0,128})"|(0|[1-9][0-9]{0,19})(?=[ \t\r\n,}]))'
    rb"[ \t\r\n]*,"
)
_OPENING = re.compile(rb'[ \t\r\n]*"(outputs|resources|check_results|modules|meta)"[ \t\r\n]*:[ \t\r\n]*[\[{]')
_META = re.compile(
    rb'[ \t\r\n]*"meta"[ \t\r\n]*:[ \t\r\n]*\{'
    rb'(?:[ \t\r\n]*"[^"\\\x00-\x1f]*"[ \t\r\n]*:[ \t\r\n]*"[^"\\\x00-\x1f]*"[ \t\r\n]*,?)*'
    rb'[ \t\r\n]*\}[ \t\r\n]*,[ \t\r\n]*"encrypted_data"[ \t\r\n]*:[ \t\r\n]*"'
)
_LONGEST_MEMBER = 256
"""Bytes of a member as :data:`_MEMBER` takes it, with room for indentation: a longer rest is something else."""

_LARGEST_SERIAL = 2**64 - 1
_TEXTS = frozenset({b"terraform_version", b"lineage"})
_NUMBERS = frozenset({b"version", b"serial"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What is known of one object of a bucket without having read it all.

    ``status`` is what it is, ``"unknown"`` where that could not be found out (``error`` says why). ``serial``, ``lineage`` and
    the like are ``None`` where the object does not tell, or where nobody looked. ``certain`` is whether a full read
    would say nothing else, mostly since all of it was read; where it is not, the object begins as what it is called, and its
    end was not seen.

    ``reason`` says in words what is wrong with an object that no engine takes. ``managed`` counts the managed resources and is
    ``None`` where the resources were not read. ``ended`` is whether the last bytes close the document, ``None`` where they were
    not looked at. ``changed`` says that the object is another than the one that was asked about: all of this is of the new one.
    """

    key: str
    etag: str | None
    size: int
    status: HeadStatus
    serial: int | None = None
    lineage: str | None = None
    engine_version: str | None = None
    format_version: int | None = None
    error: ConsoleError | None = None
    certain: bool = False
    reason: str = ""
    managed: int | None = None
    ended: bool | None = None
    changed: bool = False

    @property
    def encrypted(self) -> bool:
        return self.status == "encrypted"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadFacts:
    """What bytes tell: the part of a :class:`Head` that comes from the content alone."""

    status: HeadStatus
    serial: int | None = None
    lineage: str | None = None
    engine_version: str | None = None
    format_version: int | None = None
    certain: bool = False
    reason: str = ""
    managed: int | None = None

    def head(self, key: str, etag: str | None, size: int, *, ended: bool | None, changed: bool = False) -> Head:
        """These facts as they are known of one object."""
        return Head(
            key=key,
            etag=etag,
            size=size,
            status=self.status,
            serial=self.serial,
            lineage=self.lineage,
            engine_version=self.engine_version,
            format_version=self.format_version,
            certain=self.certain,
            reason=self.reason,
            managed=self.managed,
            ended=ended,
            changed=changed,
        )


@dataclass(frozen=True, slots=True)
class KnownHead:
    """What is kept of one object's head. ``size`` is the object's, ``ended`` as in :class:`Head`."""

    size: int
    facts: HeadFacts
    ended: bool | None = None


@dataclass(frozen=True, slots=True)
class NeedsMore:
    """These bytes do not tell. ``longer`` is whether a longer head may; else only the whole document does."""

    longer: bool


def read_head(start: bytes, *, size: int, name: str) -> HeadFacts | NeedsMore:
    """What ``start``, the first bytes of a document of ``size`` bytes, tells of it. ``name`` is its key.

    CPU work of microseconds where ``start`` is a head; where it is the whole document, that of ``parse_state``.
    """
    if len(start) >= size:
        return facts_of(parse_state(start, name=name))
    if name.endswith(".lock.hcl"):
        return HeadFacts(status="dependency_lock")
    if name.endswith((LOCK_SUFFIX, ".lock.info")):
        return HeadFacts(status="lock")
    if start.startswith(b"\x1f\x8b"):
        return HeadFacts(status="compressed", certain=True, reason="gzip stream (1f 8b)")
    if not start.strip(_SPACE):
        return NeedsMore(longer=False)
    if (known := recognise(start)) is not None:
        return facts_of(known)
    if start.lstrip(_SPACE).startswith(b"{"):
        return _from_members(start)
    return _of_no_object(start, size)


def facts_of(document: StateDocument) -> HeadFacts:
    """The head of a document that was read whole, or of which the rest changes nothing."""
    counts = document.counts if document.kind is DocumentKind.STATE else None
    return HeadFacts(
        status=_STATUS[document.form],
        serial=document.serial,
        lineage=document.lineage,
        engine_version=document.engine_version,
        format_version=document.format_version,
        certain=True,
        reason=document.reason,
        managed=None if counts is None else counts.resources_managed,
    )


def ends_well(tail: bytes) -> bool:
    """Whether the last bytes of a JSON object close it, as those of a document cut short hardly ever do.

    Engines and ``jq`` indent: a brace in the first column, else the closing brace of a document in one line.
    """
    text = tail.rstrip(_SPACE)
    if not text.endswith(b"}"):
        return False
    before = text[:-1].rstrip(b" \t")
    indented = before != text[:-1]
    return not indented or (before != b"" and not before.endswith(b"\n"))


def _from_members(start: bytes) -> HeadFacts | NeedsMore:
    """The members at the top as far as they are texts and numbers, as engines write them before anything else."""
    place = start.index(b"{") + 1
    values: dict[bytes, Any] = {}
    while (found := _MEMBER.match(start, place)) is not None:
        name, text, number = found.groups()
        if name in values or (name in _TEXTS and text is None) or (name in _NUMBERS and number is None):
            return NeedsMore(longer=False)
        values[name] = number if text is None else text
        place = found.end()
    try:
        texts = {name: values[name].decode() for name in _TEXTS & values.keys()}
    except UnicodeDecodeError:
        return NeedsMore(longer=False)
    numbers = {name: int(values[name]) for name in _NUMBERS & values.keys()}
    if values.keys() - _TEXTS - _NUMBERS or numbers.get(b"serial", 0) > _LARGEST_SERIAL:
        return NeedsMore(longer=False)
    opening = _OPENING.match(start, place)
    if opening is None:
        # Ended amid a member, or at something that engines do not write there.
        return NeedsMore(longer=len(start) - place < _LONGEST_MEMBER and len(start) < LONGER_HEAD_BYTES)
    if b"serial" not in numbers or b"lineage" not in texts:
        return NeedsMore(longer=False)
    if opening[1] == b"meta":
        if numbers.keys() != {b"serial"} or texts.keys() != {b"lineage"}:
            return NeedsMore(longer=False)
        if _META.match(start, place) is None:
            return NeedsMore(longer=len(start) < LONGER_HEAD_BYTES)
        return HeadFacts(
            status="encrypted", serial=numbers[b"serial"], lineage=texts[b"lineage"], reason="OpenTofu state encryption"
        )
    version = numbers.get(b"version")
    if version is None or not 1 <= version <= 4 or (version == 4) == (opening[1] == b"modules"):
        return NeedsMore(longer=False)
    return HeadFacts(
        status="state",
        serial=numbers[b"serial"],
        lineage=texts[b"lineage"],
        engine_version=texts.get(b"terraform_version"),
        format_version=version,
    )


def _of_no_object(start: bytes, size: int) -> HeadFacts | NeedsMore:
    """Bytes that are not the beginning of a JSON object: large ones need not be read to know that they are no state."""
    marked = start.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    if marked or start.lstrip(_SPACE).startswith(b"[") or size <= _PLAIN_TEXT_MAY_BE_A_LOCK:
        return NeedsMore(longer=False)
    return HeadFacts(status="not_a_state", certain=True, reason="not JSON")
