"""What is in view of a text: rows of lines, wherever they are wrapped."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from screens.widgets.drawn_line import LONGEST_DRAWN, column, drawn
from screens.widgets.pager import Pager
from screens.widgets.wrapping import MARK, Place, rows
from tests.hostile import HOSTILE

WORDS = "the quick brown fox jumps over the lazy dog and " * 5


def pager(text: str, width: int = 20, height: int = 5, *, wrap: bool = True) -> Pager:
    one = Pager(text)
    one.fit(width, height, wrap=wrap)
    while one.advance():
        pass
    return one


def seen(one: Pager) -> list[str]:
    """The rows in view."""
    found = []
    for place in one.page:
        line, parts = one.line(place.line)
        begin, end = parts[place.row]
        found.append(line.text.plain[begin:end])
    return found


@pytest.mark.parametrize("text", [*HOSTILE, WORDS, "x" * 500, "日本語" * 40, "", "a " * 300, "👩‍🚀" * 40])
@pytest.mark.parametrize("width", [1, 2, 3, 20, 80])
def test_rows_hold_every_character_and_fit(text: str, width: int) -> None:
    plain = drawn(text, 0, len(text)).text.plain
    parts = rows(plain, width)
    assert "".join(plain[begin:end] for begin, end in parts) == plain
    for row, (begin, end) in enumerate(parts):
        room = max(1, width - (len(MARK) if row else 0))
        assert cell_len(plain[begin:end].removesuffix(" ")) <= room or end - begin == 1


def test_words_stay_whole_where_they_can() -> None:
    assert [WORDS[begin:end] for begin, end in rows(WORDS, 20)][:3] == [
        "the quick brown fox ",
        "jumps over the ",
        "lazy dog and the ",
    ]


def test_moving_goes_row_by_row_through_wrapped_lines_and_back() -> None:
    one = pager(f"first\n{WORDS}\nlast\n")
    places = [one.top]
    for _ in range(40):
        one.move(1)
        places.append(one.top)
    assert places[:3] == [Place(0, 0), Place(1, 0), Place(1, 1)]
    assert places[-1] == one.last_top
    assert seen(one)[-1] == "last"
    for _ in range(60):
        one.move(-1)
    assert one.top == Place()


def test_a_page_further_begins_where_the_last_one_ended() -> None:
    one = pager(f"{WORDS}\n" * 20)
    before = one.page[-1]
    one.move(one.height)
    after = one.page[0]
    assert (after.line, after.row) in {(before.line, before.row + 1), (before.line + 1, 0)}


def test_a_line_longer_than_the_view_is_read_to_its_end() -> None:
    one = pager("x" * 500 + "END")
    one.go_to(one.last_top)
    assert seen(one)[-1].endswith("END")
    assert one.told == f"line 1 of 1, rows {one.top.row + 1}-{one.top.row + 5} of {one.rows_of(0)}"


def test_another_width_keeps_the_line_at_the_top() -> None:
    one = pager(f"{WORDS}\n" * 20)
    one.go_to(Place(7, 3))
    one.fit(60, 5, wrap=True)
    assert one.top == Place(7)
    one.fit(60, 5, wrap=False)
    assert one.top == Place(7)
    assert len({place.line for place in one.page}) == 5


def test_a_match_in_a_wrapped_line_is_brought_into_view() -> None:
    one = pager("start\n" + WORDS * 3 + "needle and more\nend")
    one.look_for("Needle", jump=True)
    while one.advance():
        pass
    assert any("needle" in row for row in seen(one))
    assert one.found == (1, 1)
    line, _ = one.line(1)
    assert line.text.plain[one.match_column :].startswith("needle")


def test_a_match_beyond_what_is_drawn_of_a_line_is_drawn() -> None:
    text = "first\n" + "x" * 3_000_000 + "needle" + "y" * 3_000_000
    one = pager(text, 80)
    one.look_for("needle", jump=True)
    while one.advance():
        pass
    assert any("needle" in row for row in seen(one))
    line, _ = one.line(1)
    assert line.text.plain.startswith("… 2,999,000 characters before … ")
    assert line.text.plain.endswith(" more characters in this line")
    assert column(line, text, text.index("needle")) == line.text.plain.index("needle")


def test_the_search_begins_at_the_top_and_starts_over() -> None:
    one = pager("\n".join("needle" if number % 30 == 0 else "x" for number in range(100)))
    one.go_to(Place(50))
    one.look_for("needle", jump=True)
    one.advance()
    assert one.found == (3, 4)
    for expected in (4, 1, 2):
        assert one.step(1)
        assert one.found == (expected, 4)
    one.step(-1)
    assert one.found == (1, 4)
    one.step(-1)
    assert one.found == (4, 4)


def test_back_from_no_match_is_the_last_one() -> None:
    one = pager("needle\nneedle")
    one.look_for("needle", jump=False)
    one.advance()
    assert one.found == (0, 2)
    one.step(-1)
    assert one.found == (2, 2)


def test_a_text_that_grows_stays_where_it_is_read() -> None:
    text = "\n".join(f"line {number}" for number in range(50))
    one = pager(text)
    one.go_to(Place(20))
    one.show(text + "\nmore")
    assert one.top == Place(20)
    assert one.index.line_count == 51
    one.show("other")
    assert one.top == Place()


def test_the_position_is_told_in_lines() -> None:
    one = pager("\n".join(f"line {number}" for number in range(100_000)), 80, 20)
    assert one.told == "lines 1-20 of 100,000"
    one.go_to(one.last_top)
    assert one.told == "lines 99,981-100,000 of 100,000"
    one.look_for("line 99999", jump=True)
    while one.advance():
        pass
    assert one.told.startswith("match 1 of 1 · lines")
    one.look_for("nowhere", jump=True)
    while one.advance():
        pass
    assert one.told.startswith("no match")
    assert pager("").told == ""
    assert pager("one").told == "line 1 of 1"


def test_a_column_of_a_drawn_line_leads_back_to_the_text() -> None:
    text = "first\n\x1b[31mred\x1b[0m and\tplain\nlast"
    one = pager(text, 80)
    plain = one.line(1)[0].text.plain
    assert text[one.offset_of(1, plain.index("plain")) :].startswith("plain")
    assert one.offset_of(1, len(plain) + 5) == text.index("\nlast")


def test_the_line_at_hand_is_that_of_the_match_and_else_the_first_in_view() -> None:
    one = pager("a\nb\n\x1b[31mneedle\x1b[0m here\nd")
    assert one.current_line == "a"
    one.look_for("needle", jump=True)
    one.advance()
    assert one.current_line == "needle here"
    assert len(one.current_line) < LONGEST_DRAWN
