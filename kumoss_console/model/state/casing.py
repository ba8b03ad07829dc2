"""Members in another case than engines write. Engines match the names of members in any case, and the last of several counts.

What is here so named is renamed to what engines write, so that everything else looks for one name only. Source: the JSON package
that engines are built with, whose match folds ASCII and the two letters of other scripts that fold to it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from kumoss_console.model.state import repair

_OF_LETTERS = str.maketrans({"\u017f": "s", "\u212a": "k"})
"""The long s and the Kelvin sign."""
_TOP = frozenset(
    {"version", "terraform_version", "serial", "lineage", "outputs", "resources", "check_results"}
    | {"modules", "backend", "meta", "encrypted_data", "encryption_version"}
)
_OF_AN_OUTPUT = frozenset({"value", "type", "sensitive"})
_OF_A_RESOURCE = frozenset({"module", "mode", "type", "name", "each", "provider", "instances"})
_OF_AN_INSTANCE = frozenset(
    {"index_key", "status", "deposed", "attributes", "attributes_flat", "sensitive_attributes", "provider", "schema_version"}
    | {"identity_schema_version", "identity", "private", "dependencies", "depends_on", "create_before_destroy", "skip_destroy"}
)
Members = dict[str, Raw]


def folded(name: str) -> str:
    """The name that an engine takes ``name`` for."""
    return name.translate(_OF_LETTERS).lower()


def as_engines_match(text: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The document with its members named as engines write them, and the names that were not. Attributes, and the names of
    outputs, are told apart by case and stay. What is no JSON object stays as it is. CPU work in the size of the document.
    """
    try:
        top, cut = repair.decode(text, Members)
    except msgspec.DecodeError:
        return text, ()
    if cut:
        return text, ()
    fold = _Fold()
    made = fold.members(top, _TOP)
    if "outputs" in made:
        made["outputs"] = fold.outputs(made["outputs"])
    if "resources" in made:
        made["resources"] = fold.resources(made["resources"])
    return (msgspec.json.encode(made), tuple(fold.odd)) if fold.renamed else (text, ())


class _Fold:
    """``odd`` are the names that were not as engines write them, as they were found; ``renamed`` how often one was."""

    def __init__(self) -> None:
        self.odd: dict[str, None] = {}
        self.renamed = 0

    def members(self, members: Members, known: frozenset[str]) -> Members:
        if members.keys() <= known:
            return members
        made: Members = {}
        for name, raw in members.items():
            meant = folded(name)
            if meant in known and meant != name:
                self.odd[name] = None
                self.renamed += 1
                made.pop(meant, None)
                made[meant] = raw
            else:
                made[name] = raw
        return made

    def outputs(self, raw: Raw) -> Raw:
        found: dict[str, Members] = _as(raw, dict[str, Members]) or {}
        before = self.renamed
        made = {name: self.members(one, _OF_AN_OUTPUT) for name, one in found.items()}
        return Raw(msgspec.json.encode(made)) if self.renamed > before else raw

    def resources(self, raw: Raw) -> Raw:
        found: list[Members] = _as(raw, list[Members]) or []
        before = self.renamed
        made = [self._resource(one) for one in found]
        return Raw(msgspec.json.encode(made)) if self.renamed > before else raw

    def _resource(self, members: Members) -> Members:
        made = self.members(members, _OF_A_RESOURCE)
        instances: list[Members] = (_as(made["instances"], list[Members]) or []) if "instances" in made else []
        before = self.renamed
        told = [self.members(one, _OF_AN_INSTANCE) for one in instances]
        return {**made, "instances": Raw(msgspec.json.encode(told))} if self.renamed > before else made


def _as(raw: Raw, type_: Any) -> Any:
    """``None`` where it is of another type."""
    try:
        return repair.decode(bytes(raw), type_)[0]
    except msgspec.DecodeError:
        return None
