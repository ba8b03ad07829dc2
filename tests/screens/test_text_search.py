"""Searching: every match is counted and found again, in any case, through colours, in lines of any length."""

from __future__ import annotations

import pytest

from screens.widgets.ansi import raw_offset, shown, uncoloured, uncoloured_pieces
from screens.widgets.text_search import BLOCK, TextSearch, folded
from tests.hostile import HOSTILE


def searched(text: str, needle: str) -> TextSearch:
    search = TextSearch(text, needle)
    while search.advance():
        pass
    return search


def offsets(search: TextSearch) -> list[int]:
    return [search.offset(number) for number in range(search.total)]


def test_every_match_is_counted_and_has_its_place() -> None:
    text = "needle\nno\nNeedle and needle\n"
    assert offsets(searched(text, "NEEDLE")) == [0, 10, 21]


def test_matches_are_found_over_many_blocks() -> None:
    line = "x" * 99 + "\n"
    text = line * (BLOCK // 50) + "needle\n" + line * (BLOCK // 50) + "needle"
    search = searched(text, "needle")
    assert [text[at : at + 6] for at in offsets(search)] == ["needle", "needle"]


def test_a_match_over_the_border_of_two_blocks_of_one_line_is_found_once() -> None:
    for shift in range(-8, 3):
        text = "x" * (BLOCK + shift) + "needle" + "y" * 300
        assert offsets(searched(text, "needle")) == [BLOCK + shift]


def test_a_match_is_found_through_colours_at_any_border() -> None:
    for shift in range(-40, 3):
        text = "x" * (BLOCK + shift) + "nee\x1b[1m\x1b[31mdle\x1b[0m" + "y" * 300
        assert offsets(searched(text, "needle")) == [BLOCK + shift]


def test_colours_in_the_middle_of_a_word_do_not_hide_it() -> None:
    text = "a\nInvalid\x1b[31mAccess\x1b[0mKeyId\n"
    assert offsets(searched(text, "invalidaccesskeyid")) == [2]


def test_what_is_shown_for_a_character_is_found() -> None:
    assert offsets(searched("a\tb \x1b]52;c;\x07", "␛]52")) == [4]
    assert offsets(searched("x\u202ey", "u+202e")) == [1]


@pytest.mark.parametrize("needle", ["straße", "STRASSE", "i̇", "é"])
def test_case_is_ignored_without_moving_what_follows(needle: str) -> None:
    text = "Straße İ É é"
    assert len(folded(text)) == len(text)
    for at in offsets(searched(text, needle)):
        assert folded(text[at : at + len(needle)]) == folded(needle)


def test_the_first_match_from_a_place_on_is_known() -> None:
    text = "needle\n" + "x\n" * BLOCK + "needle\nend"
    search = searched(text, "needle")
    assert search.first_from(0) == 0
    assert search.first_from(7) == 1
    assert search.first_from(text.index("end")) is None


def test_an_empty_needle_finds_nothing() -> None:
    search = searched("text", "")
    assert (search.total, search.complete) == (0, True)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_shown_of_many_lines_is_what_is_shown_of_each(text: str) -> None:
    lines = f"one\n{text[:2000]}\r\n\x1b[31m{text[:2000]}\x1b[0m\tend\n"
    assert all(char.isprintable() or char in "\r\n\u200d\ufe0f" for char in shown(lines))
    assert "\r" not in uncoloured(lines)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_place_in_what_is_shown_leads_back_to_the_text(text: str) -> None:
    raw = f"\x1b[31m{text[:200]}\x1b[0m\tend"
    for column in range(len(shown(raw))):
        at = raw_offset(raw, column)
        assert len(shown(raw[:at])) <= column
    assert raw_offset(raw, len(shown(raw))) == len(raw)


def test_the_pieces_of_a_text_are_the_text() -> None:
    text = ("\x1b[32mline\x1b[0m of\r\n" * 40_000) + "tail \x1b[1m"
    pieces = list(uncoloured_pieces(text))
    assert len(pieces) > 2
    assert "".join(pieces) == uncoloured(text)
