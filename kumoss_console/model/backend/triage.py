"""Which files of a large module need a parse: decided on their bytes, at about the speed of reading them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kumoss_console.model.backend.constraints import allows
from kumoss_console.model.backend.engine import Version

_LOOK_BACK = 200
_OPENINGS = (b"\n", b"{", b"}", b"*/", b"\xef\xbb\xbf")
_NAME = re.compile(rb"[\w-]")
_PLAUSIBLE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s++|(?:\#|//)[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+(?:[A-Za-z_\x80-\xff]|\Z)",
)
_JSON_STATE = re.compile(rb'"(?:backend|cloud)"|\\u|\A\s*\Z')
_VERSION = re.compile(rb'required_version"?[ \t]*[=:][ \t]*"([^"\\$%\r\n]*)"')


def mentions_state(name: str, raw: bytes) -> bool:
    """Whether a file can hold a ``backend`` or ``cloud`` block. A false hit costs a parse, a miss would cost a backend."""
    if name.endswith(".json"):
        return bool(_JSON_STATE.search(raw))
    if b"backend" not in raw and b"cloud" not in raw:
        return False
    return _begins_item(raw, b"terraform") and (_begins_item(raw, b"backend") or _begins_item(raw, b"cloud"))


def implausible(name: str, raw: bytes) -> bool:
    """Whether a file does not even begin like configuration, has a NUL in it, or seems to be cut short: such files are parsed
    for what is wrong."""
    if b"\0" in raw or raw.count(b"{") != raw.count(b"}"):
        return True
    if name.endswith(".json"):
        text = raw.strip()
        return not text.startswith((b"{", b"[")) or not text.endswith((b"}", b"]"))
    return _PLAUSIBLE.match(raw) is None


def may_forbid(raw: bytes, version: Version) -> bool:
    """Whether ``required_version`` stands in the file in a form that forbids ``version``, or that only a parse can tell."""
    count = raw.count(b"required_version")
    if not count:
        return False
    constraints = [match[1].decode("utf-8", "replace") for match in _VERSION.finditer(raw)]
    return len(constraints) < count or any(allows(text, version) is False for text in constraints)


def _begins_item(raw: bytes, word: bytes) -> bool:
    return any(_opens(raw, at) and not _NAME.match(raw, at + len(word)) for at in _places(raw, word))


def _places(raw: bytes, word: bytes) -> Iterator[int]:
    at = raw.find(word)
    while at >= 0:
        yield at
        at = raw.find(word, at + len(word))


def _opens(raw: bytes, at: int) -> bool:
    """An item begins a line, or follows a brace or comment. What stands behind very many blanks counts as one."""
    before = raw[max(0, at - _LOOK_BACK) : at].rstrip(b" \t")
    return not before or before.endswith(_OPENINGS)
