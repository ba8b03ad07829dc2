"""JSON of many megabytes decoded beside the event loop, in pieces: a decoder holds the interpreter until it is done.

A job's document of 150 MB takes half a second to decode, on whichever thread that happens, and nothing else moves meanwhile.
Almost all of it are the two texts of its result. So those are decoded a megabyte at a time, which halves the longest halt.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Raw

from kumoss_console.model.contract import JobDocument, JobResult

T = TypeVar("T")

LARGE = 2**20
"""Bytes of an answer from which on it is decoded beside the event loop; also the size of a piece."""


class _Result(msgspec.Struct):
    exit_code: Raw
    stdout: Raw
    stderr: Raw


def decoded(body: bytes, type_: type[T], *, large: int = LARGE) -> T:
    """As ``msgspec.json.decode``, and raising as it does; beyond ``large`` bytes of a job other threads run in between."""
    if len(body) > large and issubclass(type_, JobDocument):
        found = _job(body, large)
        if isinstance(found, type_):
            return found
    return msgspec.json.decode(body, type=type_)


def _job(body: bytes, large: int) -> JobDocument | None:
    """``None`` for what is not of the shape that was promised: decoded whole, it says why."""
    try:
        outer = msgspec.json.decode(body, type=dict[str, Raw])
        result = msgspec.json.decode(outer["result"], type=_Result)
        frame = {**outer, "result": {"exit_code": result.exit_code, "stdout": "", "stderr": ""}}
        document = msgspec.json.decode(msgspec.json.encode(frame), type=JobDocument)
        if document.result is None:
            return None
        stdout, stderr = _text(result.stdout, large), _text(result.stderr, large)
        told = JobResult(exit_code=document.result.exit_code, stdout=stdout, stderr=stderr)
        return msgspec.structs.replace(document, result=told)
    except (KeyError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _text(raw: Raw, large: int) -> str:
    """One JSON string. It is cut before blanks: no escape sequence, no character and no pair of surrogates has one inside."""
    data = bytes(raw)
    if len(data) <= large:
        return msgspec.json.decode(data, type=str)
    pieces: list[str] = []
    start, end = 1, len(data) - 1
    while start < end:
        cut = data.find(b" ", start + large, end)
        cut = end if cut < 0 else cut
        pieces.append(msgspec.json.decode(b'"%b"' % data[start:cut], type=str))
        start = cut
    return "".join(pieces)
