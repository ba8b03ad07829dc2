"""Whether a path is in a git index, versions 2 to 4, as gitformat-index(5) describes it."""

from __future__ import annotations

import re
import struct

_LONG = 0xFFF
_EXTENDED = 0x4000
_FIXED = 62
"""Bytes of an entry before its name, with a SHA-1."""
# Entries of a split index are in another file, those of a sparse one stand for whole folders.
_ELSEWHERE = re.compile(rb"(?:link|sdir)\x00")


def tracked(raw: bytes, path: bytes) -> bool | None:
    """Whether ``path`` (from the root) is an entry; ``None`` for an index that this reader does not follow."""
    if len(raw) < 12 or raw[:4] != b"DIRC":
        return None
    version, count = struct.unpack(">II", raw[4:12])
    if version in {2, 3}:
        found: bool | None = _named(raw, path)
    else:
        found = _walked(raw, path, count) if version == 4 else None
    return None if found is False and _ELSEWHERE.search(raw) else found


def _named(raw: bytes, path: bytes) -> bool:
    """The name with its length before it, whatever the hash: no other bytes of the file look like that."""
    wanted = path + b"\0"
    at = raw.find(wanted, 12)
    while at >= 0:
        for gap in (2, 4):
            flags = int.from_bytes(raw[at - gap : at - gap + 2], "big")
            if flags & _LONG == min(len(path), _LONG) and bool(flags & _EXTENDED) is (gap == 4):
                return True
        at = raw.find(wanted, at + 1)
    return False


def _walked(raw: bytes, path: bytes, count: int) -> bool | None:
    """Version 4 writes of each name what differs from the one before."""
    at, name = 12, b""
    for _ in range(count):
        if at + _FIXED > len(raw):
            return None
        flags = int.from_bytes(raw[at + _FIXED - 2 : at + _FIXED], "big")
        at += _FIXED + (2 if flags & _EXTENDED else 0)
        dropped, at = _number(raw, at)
        end = raw.find(b"\0", at)
        if end < 0 or dropped > len(name):
            return None
        name = name[: len(name) - dropped] + raw[at:end]
        # A length that does not fit tells of another hash.
        if flags & _LONG != min(len(name), _LONG):
            return None
        if name == path:
            return True
        at = end + 1
    return False


def _number(raw: bytes, at: int) -> tuple[int, int]:
    value = 0
    for count, byte in enumerate(raw[at : at + 5]):
        value = ((value + 1) << 7 if count else 0) | (byte & 0x7F)
        if not byte & 0x80:
            return value, at + count + 1
    return len(raw), len(raw)
