"""Bytes that are nearly JSON: what can be put right, and what that says about them.

Engines take a state byte for byte; the console may look further, as long as it says that the engine will not.
"""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from typing import Any

import msgspec

from kumoss_console.model.state.numbers import Number, is_out_of_range, widened

MAX_UNPACKED = 256 * 1024 * 1024
"""Bytes a gzip stream may unpack to; beyond that it is treated as an attack, not as a state."""

DEEPEST_READ = 10_000
"""Levels that the decoder of engines reads; a document of more is no JSON to them."""

_DEEPEST = 200
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL
)
_LONE = len(rb"\ud800")


class UnpackError(Exception):
    """A gzip stream that cannot be unpacked; the message says why."""


def unpack(raw: bytes) -> bytes:
    """The content of a gzip stream. Raises :class:`UnpackError`."""
    stream = zlib.decompressobj(wbits=31)
    try:
        content = stream.decompress(raw, MAX_UNPACKED)
    except zlib.error:
        raise UnpackError("a damaged gzip stream") from None
    if stream.unconsumed_tail:
        raise UnpackError(f"a gzip stream that unpacks to more than {MAX_UNPACKED // 1024 // 1024} MiB")
    if not stream.eof:
        raise UnpackError("a gzip stream that ends early")
    return content


def as_utf8(raw: bytes) -> tuple[bytes, bool]:
    """``raw`` as valid UTF-8, and whether bytes had to be replaced to get there."""
    if raw.isascii():
        return raw, False
    try:
        raw.decode()
    except UnicodeDecodeError:
        return raw.decode(errors="replace").encode(), True
    return raw, False


def without_lone_surrogates(raw: bytes) -> bytes:
    """JSON whose ``\\ud83d`` halves without a partner are replaced, as the engines' decoder does."""
    return _ESCAPE.sub(lambda m: rb"\ufffd" if len(m[0]) == _LONE and m[0][2:3] in b"dD" else m[0], raw)


def shallow(raw: bytes) -> bytes:
    """JSON in which whatever nests deeper than 200 is ``null``: recursive decoders give up on 1,500 nested arrays."""
    out: list[bytes] = []
    depth = 0
    kept_to = 0
    for token in _TOKEN.finditer(raw):
        mark = token[0]
        if mark in (b"[", b"{"):
            depth += 1
            if depth == _DEEPEST + 1:
                out += [raw[kept_to : token.start()], b"null"]
        elif mark in (b"]", b"}"):
            if depth == _DEEPEST + 1:
                kept_to = token.end()
            depth -= 1
    if depth <= _DEEPEST:  # else it ends in the deep, and is no JSON
        out.append(raw[kept_to:])
    return b"".join(out)


def decode(raw: bytes, type_: Any = Any) -> tuple[Any, bool]:
    """JSON as ``type_`` with every digit of its numbers, and whether deep nesting had to be cut for it.

    Numbers with a fraction or an exponent, and those of thousands of digits, are :class:`~.numbers.Number`. Raises
    :class:`msgspec.DecodeError`.
    """
    decoder = _decoder(type_)
    try:
        return _with_long_numbers(decoder, raw), False
    except RecursionError:
        return _with_long_numbers(decoder, shallow(raw)), True


@lru_cache(maxsize=64)
def _decoder(type_: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type_, float_hook=Number)


def _with_long_numbers(decoder: msgspec.json.Decoder[Any], raw: bytes) -> Any:
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        if not is_out_of_range(error):
            raise
    return decoder.decode(widened(raw))


def too_deep(raw: bytes) -> int | None:
    """The offset of the byte that nests deeper than engines read, from one; ``None`` where nothing does."""
    depth = 0
    for token in _TOKEN.finditer(raw):
        mark = token[0]
        if mark in (b"[", b"{"):
            depth += 1
            if depth > DEEPEST_READ:
                return token.start() + 1
        elif mark in (b"]", b"}"):
            depth -= 1
    return None
