"""Lines of a text of any size: the same lines that splitting gives, without making a list of them."""

from __future__ import annotations

import re

import pytest

from screens.widgets.text_index import CHUNK, TextIndex

TEXTS = {
    "nothing": "",
    "one line": "a",
    "an ended line": "a\n",
    "an empty line": "\n",
    "empty lines": "\n\n\n",
    "windows": "a\r\nb\r\n\r\nc",
    "progress": "10%\r20%\rdone\nnext\r",
    "mixed": "a\r\n\rb\n\r\nc\r\r\n",
    "many": "\n".join(f"line {number}" for number in range(20_000)),
    "many windows": "\r\n".join("x" * (number % 97) for number in range(20_000)),
    "break on the border": "x" * (CHUNK - 1) + "\r\n" + "y" * (CHUNK - 2) + "\r\nz",
    "longer than a chunk": "a\n" + "x" * (3 * CHUNK) + "\nb\n",
    "only breaks": "\n" * (2 * CHUNK + 3),
    "only returns": "\r" * (CHUNK + 3),
}


def whole(text: str) -> TextIndex:
    index = TextIndex(text)
    while index.advance(10_000):
        pass
    return index


def split(text: str) -> list[str]:
    lines = re.split(r"\r\n|\r|\n", text)
    return lines[:-1] if not lines[-1] else lines


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_lines_are_those_that_splitting_gives(text: str) -> None:
    index, lines = whole(text), split(text)
    assert index.line_count == len(lines)
    for number in {*range(min(40, len(lines))), *range(max(0, len(lines) - 40), len(lines)), len(lines) // 2} - {len(lines)}:
        assert index.line(number) == lines[number]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_character_is_in_the_line_that_holds_it(text: str) -> None:
    index = whole(text)
    for offset in {*range(min(200, len(text))), *range(max(0, len(text) - 200), len(text))}:
        number = index.line_at(offset)
        begin, end = index.span(number)
        assert begin <= offset <= end + 1


def test_a_line_that_is_not_there_is_no_line() -> None:
    index = whole("a\nb")
    for number in (-1, 2):
        with pytest.raises(IndexError):
            index.line(number)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_that_grows_has_the_lines_of_the_whole(text: str) -> None:
    for at in (0, 1, len(text) // 2, len(text) - 1):
        index = whole(text[: max(0, at)])
        index.grow(text)
        while index.advance():
            pass
        assert [index.line(number) for number in range(min(300, index.line_count))] == split(text)[:300]
        assert index.line_count == len(split(text))


def test_while_it_is_gone_over_only_whole_lines_are_known() -> None:
    index = TextIndex("\n".join(f"line {number}" for number in range(50_000)))
    assert index.line_count == 0
    assert index.advance(100_000)
    assert 0 < index.line_count < 50_000
    assert index.line(index.line_count - 1) == f"line {index.line_count - 1}"
