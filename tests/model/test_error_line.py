"""The first error of an output: plain or coloured, framed or not, and never a line that only mentions one."""

from __future__ import annotations

import time

import pytest

from kumoss_console.model.error_line import error_line, first_error

COLOURED = "\x1b[31m╷\x1b[0m\x1b[0m\n\x1b[31m│\x1b[0m \x1b[0m\x1b[1m\x1b[31mError: \x1b[0m\x1b[0m\x1b[1mNo such key\x1b[0m\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Error: Resource precondition failed\n\n  on main.tf", "Resource precondition failed"),
        ("Initializing...\n╷\n│ Error: Resource precondition failed\n│ \n", "Resource precondition failed"),
        ("| Error: told by an engine without line drawing", "told by an engine without line drawing"),
        (COLOURED, "No such key"),
        ("one\r\nError: with carriage returns\r\nthree", "with carriage returns"),
        ("Warning: Error: not this one\nthe log said Error: neither\nError: this one", "this one"),
        ("Error: first\nError: second", "first"),
        ("Error:", ""),
        ("no error at all", ""),
        ("", ""),
    ],
)
def test_the_first_error_is_told_without_its_frame_and_colours(text: str, said: str) -> None:
    assert error_line(text) == said


def test_where_the_first_error_begins_is_the_place_of_its_word() -> None:
    assert first_error("a\n│ Error: b") == 4
    assert first_error("nothing") == -1


@pytest.mark.parametrize("text", ["x" * 20_000_000, "a Error:\n" * 2_000_000, "x" + "Error:" * 3_000_000, "│" * 5_000_000])
def test_no_text_makes_the_search_slow(text: str) -> None:
    began = time.process_time()
    assert first_error(text) == -1
    assert time.process_time() - began < 1.0
