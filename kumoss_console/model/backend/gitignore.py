"""Whether a repository's ignore rules cover a file: the patterns of gitignore(5), and no guess where one is unusual.

Patterns and paths are bytes decoded as latin-1, since git compares bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LONGEST = 1024
_RULES = 64 * 1024
"""Bytes of rules that are followed, and levels of folders: beyond them the answer is a doubt, and comes at once."""
_LEVELS = 32
_BOM = b"\xef\xbb\xbf"
_STAR, _ANY = "*", "?"
Piece = tuple[str, str]
"""``("literal", character)``, ``("*", "")``, ``("?", "")``, or a class of characters: ``("[", members)``, ``("[!", members)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreFile:
    """``base`` is the folder of the rules from the root, empty for the root, without slashes at its ends."""

    base: str
    raw: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """``segments`` is ``None`` for a pattern that this reader does not follow."""

    negated: bool
    folders_only: bool
    anchored: bool
    segments: tuple[tuple[Piece, ...] | None, ...] | None


def ignored(path: str, files: Sequence[IgnoreFile]) -> bool | None:
    """Whether the file at ``path`` (from the root) is ignored; ``None`` in doubt. ``files`` from the weakest to the strongest."""
    if sum(len(file.raw) for file in files) > _RULES or path.count("/") > _LEVELS:
        return None
    rules = [(file.base, rule) for file in files for rule in _rules(file.raw)]
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        verdict = _verdict(parts[:depth], rules, folder=depth < len(parts))
        # What is in an ignored folder cannot be taken back.
        if verdict is not False:
            return verdict
    return False


def _verdict(parts: list[str], rules: list[tuple[str, _Rule]], *, folder: bool) -> bool | None:
    """The last rule that matches decides."""
    for base, rule in reversed(rules):
        below = base.split("/") if base else []
        if parts[: len(below)] != below or len(parts) == len(below) or (rule.folders_only and not folder):
            continue
        if rule.segments is None:
            return None
        inner = parts[len(below) :]
        if _path(rule.segments, inner) if rule.anchored else _path(rule.segments, inner[-1:]):
            return not rule.negated
    return False


def _rules(raw: bytes) -> Iterator[_Rule]:
    for line in raw.removeprefix(_BOM).decode("latin-1").split("\n"):
        text = _without_blanks(line.removesuffix("\r"))
        if not text or text.startswith("#"):
            continue
        negated = text.startswith("!")
        text = text.removeprefix("!")
        folders_only = text.endswith("/")
        text = text.removesuffix("/")
        if not text:
            continue
        anchored = "/" in text
        text = text.removeprefix("/")
        yield _Rule(negated=negated, folders_only=folders_only, anchored=anchored, segments=_segments(text))


def _without_blanks(line: str) -> str:
    """Blanks at the end go, but for one behind a backslash."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return f"{bare} " if escaped and len(line) > len(bare) else bare


def _segments(text: str) -> tuple[tuple[Piece, ...] | None, ...] | None:
    """Each part between slashes; ``None`` in it stands for ``**``."""
    if len(text) > _LONGEST:
        return None
    found: list[tuple[Piece, ...] | None] = []
    for part in text.split("/"):
        pieces = None if part == "**" else _pieces(part)
        if part != "**" and pieces is None:
            return None
        found.append(pieces)
    return tuple(found)


def _pieces(part: str) -> tuple[Piece, ...] | None:
    pieces: list[Piece] = []
    at = 0
    while at < len(part):
        sign = part[at]
        at += 1
        if sign == "\\":
            if at == len(part):
                return None
            pieces.append(("literal", part[at]))
            at += 1
        elif sign in {_STAR, _ANY}:
            pieces.append((sign, ""))
        elif sign == "[":
            end = part.find("]", at + 1)
            inner = part[at:end] if end > 0 else ""
            kind = "[!" if inner[:1] in {"!", "^"} else "["
            members = inner[1:] if kind == "[!" else inner
            # Classes by name, escapes, and a bracket as a member have rules of their own.
            if not members or any(odd in inner for odd in "[\\") or members[0] == "-" or members[-1] == "-":
                return None
            pieces.append((kind, members))
            at = end + 1
        else:
            pieces.append(("literal", sign))
    return tuple(pieces)


def _path(segments: Sequence[tuple[Piece, ...] | None], parts: Sequence[str]) -> bool:
    """All states at once, so that no pattern costs more than its length times that of the path."""
    states = _closed({0}, segments)
    for part in parts:
        after: set[int] = set()
        for state in states:
            if state == len(segments):
                continue
            pieces = segments[state]
            if pieces is None:
                after.add(state)
                if state == len(segments) - 1:
                    after.add(state + 1)
            elif _segment(pieces, part):
                after.add(state + 1)
        states = _closed(after, segments)
    return len(segments) in states


def _closed(states: set[int], segments: Sequence[tuple[Piece, ...] | None]) -> set[int]:
    """``**`` in front of more may stand for no folder at all; at the end it stands for at least one name."""
    found = set(states)
    for state in sorted(states):
        at = state
        while at < len(segments) - 1 and segments[at] is None:
            at += 1
            found.add(at)
    return found


def _segment(pieces: Sequence[Piece], text: str) -> bool:
    states = _stars({0}, pieces)
    for character in text:
        states = _stars({_next(pieces, state) for state in states if _takes(pieces, state, character)}, pieces)
    return len(pieces) in states


def _stars(states: set[int], pieces: Sequence[Piece]) -> set[int]:
    found = set(states)
    for state in sorted(states):
        at = state
        while at < len(pieces) and pieces[at][0] == _STAR:
            at += 1
            found.add(at)
    return found


def _next(pieces: Sequence[Piece], state: int) -> int:
    return state if pieces[state][0] == _STAR else state + 1


def _takes(pieces: Sequence[Piece], state: int, character: str) -> bool:
    if state == len(pieces):
        return False
    kind, members = pieces[state]
    if kind in {_STAR, _ANY}:
        return True
    if kind == "literal":
        return members == character
    return _member(members, character) is (kind == "[")


def _member(members: str, character: str) -> bool:
    at = 0
    while at < len(members):
        if members[at + 1 : at + 2] == "-":
            if members[at] <= character <= members[at + 2]:
                return True
            at += 3
        elif members[at] == character:
            return True
        else:
            at += 1
    return False
