"""A YAML document as elements that know their file, their line and their key path.

The nodes come from one pass of the parser; values are made only of the scalars that are asked for, so a foreign section may
hold anything. Aliases are followed, never expanded, and merge keys (``<<``) are resolved within a budget, so a document that
multiplies itself costs no more than its bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from kumoss_console.config.report import Problem, quoted
from kumoss_console.text import clip, printable

_MERGE_TAG = "tag:yaml.org,2002:merge"
_STRING_TAG = "tag:yaml.org,2002:str"
_PLAIN_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null"))
_MERGES_AT_MOST = 1000
_MERGES_DEEP = 50


class Mark(Protocol):
    """A place in the text; ``line`` is 0-based."""

    line: int


class Node(Protocol):
    """A node of the YAML parser, as far as it is used: ``id`` is scalar, sequence or mapping."""

    id: str
    tag: str
    value: Any
    start_mark: Mark


_KINDS: dict[str, Literal["mapping", "list"]] = {"mapping": "mapping", "sequence": "list"}


@dataclass(frozen=True, slots=True)
class Other:
    """A scalar that is no text, number, boolean or null: a date, a binary, a tag of its own."""

    what: str


Scalar = str | int | float | bool | None | Other


class TooEntangled(Exception):
    """A mapping whose merge keys multiply or go round in circles."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key and its element. ``name`` is ``None`` for a key that is no text; ``shown`` is printable."""

    name: str | None
    shown: str
    element: Element


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a mapping in file order, and the names written twice, each with its two lines."""

    entries: tuple[Entry, ...] = ()
    repeated: tuple[tuple[str, int, int], ...] = ()

    def get(self, name: str) -> Element | None:
        return next((entry.element for entry in self.entries if entry.name == name), None)

    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.entries if entry.name is not None)


@dataclass(frozen=True, slots=True)
class Element:
    """A node with its place. ``path`` is empty for the root; ``line`` is 1-based, the key's line for a mapping's value."""

    file: str
    path: str
    line: int
    node: Node

    @property
    def kind(self) -> Literal["mapping", "list", "scalar"]:
        return _KINDS.get(self.node.id, "scalar")

    @property
    def found(self) -> str:
        """What stands here, for an error."""
        if self.kind != "scalar":
            return f"found a {self.kind}"
        value = self.scalar()
        match value:
            case None:
                return "found nothing (null)"
            case bool():
                return f"found {str(value).lower()}"
            case str():
                return f"found {quoted(value)}"
            case Other():
                return f"found {value.what}"
            case _:
                return f"found the number {clip(printable(self.node.value), 30)}"

    def scalar(self) -> Scalar:
        """The value as YAML 1.1 reads it, which is what the core's parser does."""
        from yaml.constructor import ConstructorError, SafeConstructor

        if self.node.tag == _STRING_TAG:
            text: str = self.node.value
            return text
        if self.node.tag not in _PLAIN_TAGS:
            return Other(_kind_of_tag(self.node.tag))
        try:
            value: int | float | bool | None = SafeConstructor().construct_object(self.node)
        except (ConstructorError, ValueError, OverflowError, KeyError, IndexError):
            # 0x_ is an int by its pattern and none by its digits; a forced !!bool of any text; more digits than Python reads.
            return Other("a value that is not what its form says")
        return value

    def items(self) -> tuple[Element, ...]:
        """The elements of a list."""
        return tuple(
            Element(self.file, f"{self.path}[{index}]", node.start_mark.line + 1, node)
            for index, node in enumerate(self.node.value)
        )

    def entries(self) -> Entries:
        """The entries of a mapping, merge keys resolved. Raises :class:`TooEntangled`."""
        pairs: dict[str, tuple[Node, Node]] = {}
        repeated: list[tuple[str, int, int]] = []
        _gather(self.node, pairs, repeated, [_MERGES_AT_MOST])
        entries = []
        for key_node, value_node in pairs.values():
            name = key_node.value if key_node.tag == _STRING_TAG else None
            shown = clip(printable(str(key_node.value)[:200]), 40) if key_node.id == "scalar" else f"a {key_node.id}"
            path = f"{self.path}.{shown}" if self.path else shown
            entries.append(Entry(name, shown, Element(self.file, path, key_node.start_mark.line + 1, value_node)))
        return Entries(tuple(entries), tuple(repeated))

    def problem(self, accepted: str, *, found: str | None = None, hint: str = "") -> Problem:
        """A fault at this place."""
        return Problem(
            file=self.file,
            line=self.line,
            key=self.path,
            found=self.found if found is None else found,
            accepted=accepted,
            hint=hint,
        )


def _gather(
    node: Node, pairs: dict[str, tuple[Node, Node]], repeated: list[tuple[str, int, int]], budget: list[int], *, depth: int = 0
) -> None:
    """Add the pairs of ``node`` that ``pairs`` lacks: own keys win over merged ones, earlier merges over later ones."""
    merges: list[Node] = []
    own: set[str] = set()
    for index, (key_node, value_node) in enumerate(node.value):
        if key_node.tag == _MERGE_TAG:
            merges.append(value_node)
            continue
        # A key that is no text is nobody's: it gets a name no text can have.
        identity = f"={key_node.value}" if key_node.tag == _STRING_TAG else f"#{id(node)}.{index}"
        if identity in own:
            first = pairs[identity][0].start_mark.line + 1
            repeated.append((str(key_node.value), first, key_node.start_mark.line + 1))
        own.add(identity)
        pairs.setdefault(identity, (key_node, value_node))
    for merge in merges:
        for source in merge.value if merge.id == "sequence" else (merge,):
            budget[0] -= 1
            if budget[0] < 0 or depth >= _MERGES_DEEP or source.id != "mapping":
                raise TooEntangled
            _gather(source, pairs, [], budget, depth=depth + 1)


def _kind_of_tag(tag: str) -> str:
    short = tag.removeprefix("tag:yaml.org,2002:")
    return {"timestamp": "a date", "binary": "binary data"}.get(short, f"a value of the type {quoted(short)}")
