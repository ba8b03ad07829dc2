"""Members of a JSON object that are there more than once: decoders keep the last, engines read one over the other.

Source: the JSON package that engines are built with, tried with Terraform 1.11.4.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw

from kumoss_console.model.state import repair

Members = dict[str, Raw]
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{},:]', re.DOTALL)
_MERGED = (b'"outputs"', b'"resources"')
"""What engines do not simply take the last of, at the top of a state."""


def any_at_the_top(text: bytes) -> bool:
    """Whether outputs or resources of the state in ``text``, which is a JSON object, are there twice."""
    if all(text.count(name) <= 1 for name in _MERGED):
        return False
    try:
        return _dropped(text, repair.decode(text, Members)[0])
    except msgspec.DecodeError:
        return False


def pairs(text: bytes) -> list[tuple[str, Raw]]:
    """Every member of the JSON object in ``text``, in order. Raises :class:`msgspec.DecodeError` for what is none."""
    members: Members = repair.decode(text, Members)[0]
    return _split(text) if _dropped(text, members) else list(members.items())


def _dropped(text: bytes, members: Members) -> bool:
    """Whether a decoder passed over members: every quotation mark is of a name or of what was kept. Names with a mark in them
    make it look as if, which costs time alone."""
    return text.count(b'"') != 2 * len(members) + sum(bytes(raw).count(b'"') for raw in members.values())


def _split(text: bytes) -> list[tuple[str, Raw]]:
    found: list[tuple[str, Raw]] = []
    depth, start, name = 0, 0, None
    for token in _TOKEN.finditer(text):
        mark = text[token.start()]
        if mark in b"[{":
            depth += 1
        elif mark in b"]}":
            depth -= 1
        ends = depth == 0 or (depth == 1 and mark in b",")
        if ends and name is not None:
            found.append((name, Raw(text[start : token.start()].strip())))
            name = None
        elif depth == 1 and mark in b'"' and name is None:
            name = msgspec.json.decode(token[0], type=str)
        elif depth == 1 and mark in b":":
            start = token.end()
    return found
