"""Output as blocks: each error and warning of an engine by itself, and the rest.

A block's text is flat, every white space one blank, so that a pattern need not know where the engine broke its lines; each
character still knows the line it stood on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from kumoss_console.model.diagnosis.authored import runs_on, without_authored
from kumoss_console.model.diagnosis.clean import Line, clean_lines, without_controls
from kumoss_console.model.diagnosis.machine import document_text, line_text
from kumoss_console.model.diagnosis.window import windows

Kind = Literal["error", "warning", "loose"]
Stream = Literal["stdout", "stderr"]

LONGEST = 16 * 1024
"""Characters of one block; what is longer is looked at in pieces that overlap."""
_OVERLAP = 1024
_MOST_BLOCKS = 400
_LONGEST_LINE = 8 * 1024
_START = re.compile(r"(Error|Warning): ")
# How errors begin that engines print without that word. Inside of an error they are a part of it.
_BARE_START = re.compile(r"Failed to \w|Error \w{2,20}ing |panic: |fatal error: |!{5,}")
_PREAMBLE = re.compile(r"Error: (?:Terraform|OpenTofu) encountered problems during initiali[sz]ation")


@dataclass(frozen=True, slots=True)
class Block:
    """``flat`` is what patterns see; ``starts`` are the offsets in it at which ``lines`` begin."""

    kind: Kind
    stream: Stream
    flat: str
    starts: tuple[int, ...]
    lines: tuple[Line, ...]

    def at(self, position: int) -> Line:
        return self.lines[max(0, bisect_right(self.starts, position) - 1)]

    def offset_in_line(self, position: int) -> int:
        """How far into the flat text of its line a position is."""
        return position - self.starts[max(0, bisect_right(self.starts, position) - 1)]


def blocks_of(text: str, stream: Stream, printed: frozenset[str] = frozenset()) -> tuple[Block, ...]:
    """The blocks of one stream in their order, without those that say the same again.

    ``printed`` are lines that commands are known to have printed: they start no error.
    """
    seen: set[tuple[Kind, str]] = set()
    found: list[Block] = []
    for kind, lines in _grouped(_lines(text), printed):
        for block in _pieces(kind, stream, lines):
            if (kind, block.flat) not in seen:
                seen.add((kind, block.flat))
                found.append(block)
    if len(found) > _MOST_BLOCKS:
        found = [*found[: _MOST_BLOCKS // 2], *found[-_MOST_BLOCKS // 2 :]]
    return tuple(found)


def _lines(text: str) -> Iterator[Line]:
    whole = document_text(without_controls(text)) if len(text) <= 4 * 1024 * 1024 and text.lstrip()[:1] == "{" else None
    if whole is not None:
        yield from clean_lines(whole)
        return
    for window in windows(text):
        # A blank line between two windows ends whatever the first one was in the middle of.
        yield Line(window.line, "", "")
        for line in clean_lines(window.text, window.line):
            said = line_text(line.text) if line.text.startswith('{"') else None
            if said is None:
                yield line
            else:
                yield from (Line(line.number, inner.text, inner.words) for inner in clean_lines(said))


def _grouped(lines: Iterable[Line], printed: frozenset[str]) -> Iterator[tuple[Kind, list[Line]]]:
    kind: Kind = "loose"
    group: list[Line] = []
    for line in lines:
        match = _START.match(line.words)
        starts = match or (kind == "loose" and _BARE_START.match(line.words))
        if starts and not runs_on(group, line, printed):
            if group:
                yield kind, without_authored(group)
            kind, group = ("warning" if match and match[1] == "Warning" else "error"), []
        group.append(line)
    if group:
        yield kind, without_authored(group)


def _pieces(kind: Kind, stream: Stream, lines: list[Line]) -> Iterator[Block]:
    if lines and _PREAMBLE.match(lines[0].words):
        return
    parts: list[str] = []
    starts: list[int] = []
    kept: list[Line] = []
    size = 0

    def block() -> Block:
        return Block(kind, stream, " ".join(parts), tuple(starts), tuple(kept))

    for line in _short(lines):
        if size + len(line.words) > LONGEST and parts:
            yield block()
            while parts and size > _OVERLAP:
                size -= len(parts.pop(0)) + 1
                kept.pop(0)
                starts.pop(0)
            starts = _offsets(parts)
        if line.words:
            starts.append(size)
            parts.append(line.words)
            kept.append(line)
            size += len(line.words) + 1
    if parts:
        yield block()


def _offsets(parts: list[str]) -> list[int]:
    offsets, position = [], 0
    for part in parts:
        offsets.append(position)
        position += len(part) + 1
    return offsets


def _short(lines: Iterable[Line]) -> Iterator[Line]:
    for line in lines:
        words = line.words
        if len(words) <= _LONGEST_LINE:
            yield line
            continue
        for start in range(0, len(words), _LONGEST_LINE - _OVERLAP):
            part = words[start : start + _LONGEST_LINE]
            yield Line(line.number, part, part)
