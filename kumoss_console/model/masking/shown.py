"""What ``show -json`` prints, without the values that are marked sensitive.

Engines mark what is sensitive, and print it in clear beside the mark, and again in ``planned_values``, ``prior_state``,
``variables`` and ``configuration``. Here each such value is replaced by ``(sensitive value N)``: the same number for equal
values, so that one that changes still reads as changed. So is what repeats a marked text anywhere else. Marks, structure,
addresses and all other values stay as they were, byte for byte where nothing had to be replaced. Source: the engines'
documentation of their JSON output format, 1.0 to 1.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Raw

from kumoss_console.model.masking.broken import without_values
from kumoss_console.model.masking.copies import Copies
from kumoss_console.model.masking.holders import Changes, Members, Part, Variables, joined, members, state, values
from kumoss_console.model.masking.loose import Loose
from kumoss_console.model.masking.marked import COST, Marked
from kumoss_console.model.state import repair

MEMBER = "masked_by_kumoss_console"
"""Added to a document in which something was masked: how many values, and a fingerprint that is another one for other values."""
_BOM = b"\xef\xbb\xbf"
_PARTS: dict[str, Callable[[Raw], Part]] = {
    "resource_changes": Changes,
    "resource_drift": Changes,
    "planned_values": values,
    "values": values,
    "prior_state": state,
}
_MENDS: tuple[tuple[Callable[[bytes], bytes], str], ...] = (
    (bytes, ""),
    (repair.without_lone_surrogates, "characters that no text can hold were replaced in it"),
    (repair.shallow, "what nests deeper than 200 levels was left out of it"),
)
_STRUCTURE = frozenset({"relevant_attributes", "format_version", "terraform_version", "timestamp"})
_IN_CONFIGURATION = frozenset({"constant_value", "default"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedShow:
    """``hidden`` counts distinct values. ``note`` is what an operator should know, empty where the document was read whole."""

    text: str
    hidden: int = 0
    note: str = ""


def mask_shown(text: str, *, cost: int = COST) -> MaskedShow:
    """CPU work: a third of what decoding the document as JSON takes. Masking the same document gives the same text.

    ``cost``, a power of two, is what a guess at the hidden values costs; less than the default is for values that are no secrets.
    """
    # A lone surrogate cannot have come out of bytes; where a text holds one, it is replaced as a decoder would.
    data = text.encode("utf-8", "replace").removeprefix(_BOM).strip()
    if not data:
        return MaskedShow(text=text)
    for mend, note in _MENDS:
        try:
            return _masked(text, mend(data), note, cost)
        except (msgspec.DecodeError, RecursionError):
            continue
    masked, note = without_values(text)
    return MaskedShow(text=masked, note=note)


def _masked(text: str, data: bytes, note: str, cost: int) -> MaskedShow:
    document = members(data)
    parts = {name: _part(name, raw, document) for name, raw in document.items() if name not in _STRUCTURE}
    marked = Marked()
    for part in parts.values():
        part.learn(marked)
    if not len(marked):
        return MaskedShow(text=data.decode() if note else text, note=note)
    copies = Copies(marked)
    found = {name: part.masked(marked, copies) for name, part in parts.items()}
    changed = {name: data for name, data in found.items() if data is not None}
    body = joined(document, changed) or data
    about = {"values": len(marked), "fingerprint": marked.fingerprint(sha256(body).digest(), cost)}
    whole = joined(document, {**changed, MEMBER: msgspec.json.encode(about)}) or body
    end = "\n" if text.endswith("\n") else ""
    return MaskedShow(text=whole.decode() + end, hidden=len(marked), note=note)


def _part(name: str, raw: Raw, document: Members) -> Part:
    if name == "variables":
        return Variables(raw, _sensitive_variables(document.get("configuration")))
    if name == "configuration":
        return Loose(raw, only=_IN_CONFIGURATION)
    try:
        return _PARTS.get(name, Loose)(raw)
    except msgspec.ValidationError:
        # Not of the shape that the format promises: then every member is looked at.
        return Loose(raw)


def _sensitive_variables(configuration: Raw | None) -> frozenset[str] | None:
    """Names of the root module's sensitive variables; ``None`` where the document does not say."""
    if configuration is None:
        return None
    declared: Any = msgspec.json.decode(configuration, type=dict[str, Any]).get("root_module")
    variables = declared.get("variables") if isinstance(declared, dict) else None
    if not isinstance(variables, dict):
        return frozenset() if isinstance(declared, dict) else None
    return frozenset(name for name, one in variables.items() if isinstance(one, dict) and one.get("sensitive") is True)
