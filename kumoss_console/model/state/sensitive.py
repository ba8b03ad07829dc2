"""What must never be shown, and what is shown in its place.

A state holds every attribute in clear. ``sensitive`` marks only what the provider or the author marked; many secrets are not
marked, so names that read like a secret are masked as well. Masking is by replacement: no length, no prefix stays.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.numbers import ENCODER
from kumoss_console.model.state.secretnames import hides, is_blocks, shown_in_a_block
from kumoss_console.model.state.secretrules import hidden_of_list, hidden_of_pairs, without_tokens
from kumoss_console.text import MASK, redact

_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_DEEPEST = 64
_LONGEST_JSON = 1_000_000
"""Characters of a text that is tried as JSON."""


def masked(value: Any, *, name: str = "", depth: int = 0) -> Any:
    """``value`` with everything masked that is named or looks like a secret; what nests deeper than 64 becomes an ellipsis."""
    if name and hides(name, value):
        return [_of_block(item, depth + 1) for item in value] if is_blocks(value) and depth <= _DEEPEST else MASK
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, dict):
        secrets = hidden_of_pairs(value)
        return {key: MASK if key in secrets else masked(item, name=str(key), depth=depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        places = hidden_of_list(value)
        return [MASK if at in places else masked(item, depth=depth + 1) for at, item in enumerate(value)]
    if isinstance(value, str):
        return MASK if _PEM.search(value) else _masked_text(value, depth)
    return value


def _of_block(block: dict[str, Any], depth: int) -> dict[str, Any]:
    """A block that is named like a secret: what is in it says where the secret lies, or is the secret."""
    return {key: masked(item, name=key, depth=depth) if shown_in_a_block(key, item) else MASK for key, item in block.items()}


def _masked_text(text: str, depth: int) -> str:
    if text[:1] in ("{", "[") and len(text) <= _LONGEST_JSON:
        # Container definitions, policies, documents of parameters: what is in them has names of its own.
        try:
            inner, _ = repair.decode(text.encode())
        except (msgspec.DecodeError, UnicodeEncodeError):
            inner = None
        if inner and (shown := masked(inner, depth=depth + 1)) != inner:
            return ENCODER.encode(shown).decode()
    return redact(without_tokens(text))


def masked_json(value: Any, *, name: str = "") -> str:
    """:func:`masked` as compact JSON."""
    return ENCODER.encode(masked(value, name=name)).decode()


def shown_output(name: str, value: Any) -> str:
    """An output's value as compact JSON, or the mask where all of it is hidden for its name."""
    return MASK if hides(name, value) and not is_blocks(value) else masked_json(value, name=name)


class _Step(msgspec.Struct):
    type: str = ""
    value: Any = None


_PATHS = msgspec.json.Decoder(list[list[_Step]])


def marked_at_the_top(paths: bytes | memoryview) -> frozenset[str]:
    """Names of the attributes that ``sensitive_attributes`` marks whole. What cannot be read marks nothing here."""
    return _marked(bytes(paths)) if len(paths) > len(b"null") else frozenset()


# The objects of a resource, and resources of a type, mark the same attributes.
@lru_cache(maxsize=4096)
def _marked(paths: bytes) -> frozenset[str]:
    try:
        marks = _PATHS.decode(paths)
    except (msgspec.DecodeError, RecursionError):
        return frozenset()
    return frozenset(path[0].value for path in marks if len(path) == 1 and isinstance(path[0].value, str))
