"""Objects of a git repository, read from its own files: loose ones and those in packs. Git is not run.

Blocking, and bounded in every direction: a repository is external input. Formats: gitformat-pack, gitformat-index.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

from kumoss_console.workspace import read_file

LARGEST = 1024 * 1024
"""Bytes of one commit or tree that are unpacked."""

_MOST_PACKS = 200
_DEEPEST_DELTA = 60
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET, _REFERENCE = 6, 7
_HEADER = 255 * 4 + 8


class GitObjects:
    """The objects below ``store``, a ``.git`` folder, with those it borrows. Close it when done."""

    def __init__(self, store: Path) -> None:
        self._folders = tuple(_folders(store / "objects"))
        self._packs: tuple[_Pack, ...] | None = None

    def read(self, oid: str) -> tuple[str, bytes] | None:
        """Kind and content of the object; ``None`` where it is not here, too large, or damaged."""
        try:
            raw = bytes.fromhex(oid)
        except ValueError:
            return None
        if len(raw) != 20:
            return None
        return self._loose(oid) or self._packed(raw, 0)

    def close(self) -> None:
        for pack in self._packs or ():
            pack.close()

    def _loose(self, oid: str) -> tuple[str, bytes] | None:
        for folder in self._folders:
            raw = read_file(folder / oid[:2] / oid[2:], oid).raw
            text = _inflated(raw) if raw is not None else None
            if text is not None:
                head, _, content = text.partition(b"\0")
                return head.partition(b" ")[0].decode("ascii", "replace"), content
        return None

    def _packed(self, oid: bytes, depth: int) -> tuple[str, bytes] | None:
        if self._packs is None:
            self._packs = tuple(_packs(self._folders))
        for pack in self._packs:
            offset = pack.offset_of(oid)
            if offset is not None:
                return self._at(pack, offset, depth)
        return None

    def _at(self, pack: _Pack, offset: int, depth: int) -> tuple[str, bytes] | None:
        found = pack.entry(offset)
        if found is None or depth > _DEEPEST_DELTA:
            return None
        kind, base, content = found
        if kind in _KINDS:
            return _KINDS[kind], content
        if isinstance(base, bytes):
            below = self._loose(base.hex()) or self._packed(base, depth + 1)
        else:
            below = self._at(pack, offset - base, depth + 1)
        if below is None:
            return None
        whole = _patched(below[1], content)
        return None if whole is None else (below[0], whole)


def _folders(objects: Path) -> Iterator[Path]:
    yield objects
    borrowed = (read_file(objects / "info" / "alternates", "alternates").raw or b"").decode("utf-8", "surrogateescape")
    for line in borrowed.splitlines()[:10]:
        if line and not line.startswith("#"):
            yield objects / line


def _packs(folders: tuple[Path, ...]) -> Iterator[_Pack]:
    for folder in folders:
        try:
            names = sorted(name for name in os.listdir(folder / "pack") if name.endswith(".idx"))
        except OSError:
            continue
        for name in names[:_MOST_PACKS]:
            pack = _Pack.opened(folder / "pack" / name)
            if pack is not None:
                yield pack


class _Pack:
    """One pack with its index, version 2."""

    def __init__(self, index: bytes, handle: int) -> None:
        self._index = index
        self._handle = handle
        self._count = int.from_bytes(index[_HEADER : _HEADER + 4], "big")
        self._names = _HEADER + 4
        self._offsets = self._names + self._count * 24
        self._large = self._offsets + self._count * 4

    @classmethod
    def opened(cls, path: Path) -> _Pack | None:
        try:
            index = read_file(path, path.name).raw
            if index is None or index[:8] != b"\xfftOc\0\0\0\x02":
                return None
            handle = os.open(path.with_suffix(".pack"), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return None
        return cls(index, handle)

    def close(self) -> None:
        os.close(self._handle)

    def offset_of(self, oid: bytes) -> int | None:
        low = self._fan(oid[0] - 1) if oid[0] else 0
        high = min(self._fan(oid[0]), self._count)
        while low < high:
            middle = (low + high) // 2
            name = self._index[self._names + middle * 20 : self._names + middle * 20 + 20]
            if name == oid:
                return self._offset(middle)
            if name < oid:
                low = middle + 1
            else:
                high = middle
        return None

    def _fan(self, first: int) -> int:
        return int.from_bytes(self._index[8 + first * 4 : 12 + first * 4], "big")

    def _offset(self, number: int) -> int:
        at = self._offsets + number * 4
        offset = int.from_bytes(self._index[at : at + 4], "big")
        if not offset & 0x80000000:
            return offset
        at = self._large + (offset & 0x7FFFFFFF) * 8
        return int.from_bytes(self._index[at : at + 8], "big")

    def entry(self, offset: int) -> tuple[int, bytes | int, bytes] | None:
        """Kind, base (an id, or how far back; nothing for a whole object) and content of the entry at ``offset``."""
        try:
            head = os.pread(self._handle, 64, offset)
            kind, size, at = _entry_head(head)
            base: bytes | int = 0
            if kind == _REFERENCE:
                base, at = head[at : at + 20], at + 20
            elif kind == _OFFSET:
                base, at = _back(head, at)
            elif kind not in _KINDS:
                return None
            if size > LARGEST:
                return None
            # Deflate never grows by more than a few bytes in a thousand.
            content = _inflated(os.pread(self._handle, size + size // 500 + 64, offset + at))
        except (OSError, IndexError):
            return None
        return None if content is None or len(content) != size else (kind, base, content)


def _entry_head(head: bytes) -> tuple[int, int, int]:
    """Kind, size, and where the rest begins."""
    byte = head[0]
    kind, size, shift, at = (byte >> 4) & 7, byte & 15, 4, 1
    while byte & 0x80:
        byte = head[at]
        size |= (byte & 0x7F) << shift
        shift += 7
        at += 1
    return kind, size, at


def _back(head: bytes, at: int) -> tuple[int, int]:
    byte = head[at]
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = head[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, at + 1


def _inflated(raw: bytes) -> bytes | None:
    inflate = zlib.decompressobj()
    try:
        text = inflate.decompress(raw, LARGEST + 64)
    except zlib.error:
        return None
    return text if inflate.eof else None


def _patched(base: bytes, delta: bytes) -> bytes | None:
    """``base`` with the copies and insertions of ``delta``."""
    try:
        _, at = _size(delta, 0)
        size, at = _size(delta, at)
        out = bytearray()
        while at < len(delta) and len(out) <= LARGEST:
            order = delta[at]
            at += 1
            if order & 0x80:
                start, at = _number(delta, at, order, 4)
                length, at = _number(delta, at, order >> 4, 3)
                out += base[start : start + (length or 0x10000)]
            else:
                out += delta[at : at + order]
                at += order
    except IndexError:
        return None
    return bytes(out) if len(out) == size else None


def _size(delta: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = delta[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def _number(delta: bytes, at: int, present: int, most: int) -> tuple[int, int]:
    value = 0
    for number in range(most):
        if present & 1 << number:
            value |= delta[at] << 8 * number
            at += 1
    return value, at
