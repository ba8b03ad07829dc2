"""Patterns of rules: regular expressions kept so plain that no text, however long or hostile, makes them slow.

A pattern is a list of steps, each found after the end of the one before: gaps between words are made of steps, never of
``.*``. Within a step every repetition has an upper bound, so a failed start costs a bounded number of characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

WIDEST = 400
"""Most repetitions that a step may ask for."""
SHORTEST_NEEDLE = 4
"""Plain characters in a row that a pattern needs: most texts are ruled out by looking for them alone."""
_LONGEST = 1000
_BOUND = re.compile(r"\{(\d{0,6})(?:(,)(\d{0,6}))?\}")


@lru_cache(maxsize=4096)
def compiled(step: str) -> re.Pattern[str]:
    return re.compile(step)


@dataclass(frozen=True)
class Hit:
    """Where a pattern was found (one span a step), and what its named groups held."""

    spans: tuple[tuple[int, int], ...]
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def end(self) -> int:
        return max((end for _, end in self.spans), default=0)


@dataclass(frozen=True)
class Pattern:
    """``steps`` in their order; ``attributes`` are what a hit means by itself (the error code it is about)."""

    steps: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...] = ()

    @cached_property
    def needles(self) -> tuple[str, ...]:
        """Plain texts without which the pattern cannot be found."""
        return tuple(found for found in map(literal, self.steps) if len(found) >= SHORTEST_NEEDLE)

    @property
    def groups(self) -> frozenset[str]:
        """Names that every hit has a value for: groups that stand outside of any other, and the pattern's own."""
        named = {name for step in self.steps for name in re.findall(r"\(\?P<(\w+)>", step)}
        return frozenset(named | {name for name, _ in self.attributes})

    def may_match(self, text: str) -> bool:
        return all(needle in text for needle in self.needles)

    def search(self, text: str) -> Hit | None:
        """The first place where all steps follow each other."""
        spans: list[tuple[int, int]] = []
        found: dict[str, str] = dict(self.attributes)
        position = 0
        for step in self.steps:
            match = compiled(step).search(text, position)
            if match is None:
                return None
            spans.append(match.span())
            found.update({name: value for name, value in match.groupdict().items() if value})
            position = match.end()
        return Hit(tuple(spans), tuple(found.items()))


def fault(step: str) -> str:
    """Why ``step`` must not be a step of a pattern, in words; empty where it may."""
    if not 0 < len(step) <= _LONGEST:
        return "it is empty" if not step else f"it is longer than {_LONGEST} characters"
    try:
        compiled(step)
    except (re.error, OverflowError, RecursionError) as error:
        return f"it is no regular expression: {error}"
    return _Scanner(step).fault()


def literal(step: str) -> str:
    """The longest run of plain characters that every match of ``step`` holds."""
    return _Scanner(step).literal()


class _Scanner:
    """One pass over the text of an expression, knowing groups, classes, escapes and repetitions, and no more."""

    def __init__(self, step: str) -> None:
        self._step = step
        self._dots = 0
        self._run = ""
        self._best = ""
        self._fault = ""
        self._scan()

    def fault(self) -> str:
        if self._fault:
            return self._fault
        if self._dots > 1:
            return "it repeats . more than once: write what follows the gap as the next step of a list"
        return ""

    def literal(self) -> str:
        return self._best

    def _scan(self) -> None:
        step, index = self._step, 0
        groups: list[bool] = []
        while index < len(step):
            char = step[index]
            before = step[index - 1] if index else ""
            opaque = not all(groups)
            if char == "\\":
                token = step[index : index + 2]
                self._take(token[1:] if not token[1:].isalnum() else "", opaque)
                index += 2
            elif char == "[":
                index = _end_of_class(step, index)
                self._take("", opaque)
            elif char == "(":
                groups.append(_is_always_there(step, index))
                if not groups[-1]:
                    self._break()
                index = _end_of_opening(step, index)
            elif char == ")":
                if not groups.pop():
                    self._break()
                index += 1
            elif char in "*+" or (char == "{" and _BOUND.match(step, index)):
                index = self._repetition(index, before)
            elif char == "?":
                # Either "may be missing" or "as few as possible"; both take the last character out of the plain run.
                self._run = self._run[:-1]
                self._break()
                index += 1
            elif char == "|":
                if not groups:
                    self._note("it has alternatives at its top: write them as a list under any")
                index += 1
            else:
                self._take(char if char not in ".^$" else "", opaque)
                index += 1
        self._break()

    def _repetition(self, index: int, before: str) -> int:
        step = self._step
        bound = _BOUND.match(step, index)
        if bound is None:
            self._note("it repeats without an end: write {0,80} for * and {1,80} for +")
            end, most = index + 1, WIDEST
        else:
            low, comma, high = bound[1], bound[2], bound[3]
            end, most = bound.end(), int((high if comma else low) or WIDEST + 1)
            if most > WIDEST:
                self._note(f"it repeats more than {WIDEST} times")
        if before == ")":
            self._note("it repeats a group: write the repetition out, or use a class")
        if before == "." and step[max(0, index - 2)] != "\\":
            self._dots += 1
        self._run = self._run[:-1]
        self._break()
        return end

    def _take(self, plain: str, opaque: bool) -> None:
        if plain and not opaque:
            self._run += plain
        else:
            self._break()

    def _break(self) -> None:
        if len(self._run) > len(self._best):
            self._best = self._run
        self._run = ""

    def _note(self, fault: str) -> None:
        self._fault = self._fault or fault


def _end_of_class(step: str, index: int) -> int:
    index += 2 if step[index + 1 : index + 2] == "^" else 1
    first = True
    while index < len(step) and (step[index] != "]" or first):
        index += 2 if step[index] == "\\" else 1
        first = False
    return index + 1


_OPENING = re.compile(r"\((?P<kind>\?P<\w+>|\?P=\w+|\?<?[:=!])?")


def _end_of_opening(step: str, index: int) -> int:
    opening = _OPENING.match(step, index)
    return opening.end() if opening else index + 1


def _is_always_there(step: str, index: int) -> bool:
    """Whether every match holds what stands in the group that opens at ``index``: no look-around, choice or reference."""
    opening = _OPENING.match(step, index)
    kind = opening["kind"] if opening else None
    if kind is not None and kind != "?:" and not kind.startswith("?P<"):
        return False
    depth = 0
    while index < len(step):
        char = step[index]
        if char == "[":
            index = _end_of_class(step, index)
            continue
        if char == "|":
            return False
        depth += (char == "(") - (char == ")")
        index += 2 if char == "\\" else 1
        if depth == 0:
            return step[index : index + 1] not in {"?", "*", "+", "{"}
    return False
