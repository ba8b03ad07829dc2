"""Columns leave whole and by priority, and text keeps to its cells."""

from __future__ import annotations

from rich.cells import cell_len

from screens.widgets.cells import Cell, fit, wrapped
from screens.widgets.columns import GAP, Column, Sorting, place
from tests.hostile import HOSTILE

COLUMNS = (
    Column(key="state", title="STATE", width=10),
    Column(key="age", title="AGE", width=5, priority=3, right=True),
    Column(key="key", title="KEY", width=20, stretch=1),
    Column(key="note", title="NOTE", width=10, priority=2, stretch=1, sortable=False),
)


def shown(available: int) -> list[str]:
    return [placed.column.key for placed in place(COLUMNS, available)]


def test_a_column_that_does_not_fit_is_hidden_and_not_squeezed() -> None:
    assert shown(80) == ["state", "age", "key", "note"]
    assert shown(45) == ["state", "key", "note"]
    assert shown(33) == ["state", "key"]
    assert shown(20) == ["state"]


def test_what_is_left_over_goes_to_the_columns_that_stretch() -> None:
    placed = place(COLUMNS, 100)
    assert sum(one.width for one in placed) + GAP * (len(placed) - 1) == 100
    assert [one.width for one in placed if not one.column.stretch] == [10, 5]


def test_the_most_important_column_is_cut_rather_than_gone() -> None:
    assert [(one.column.key, one.width) for one in place(COLUMNS, 4)] == [("state", 4)]


def test_sorting_goes_through_the_sortable_columns_and_starts_over() -> None:
    sorting = Sorting("state", descending=True)
    assert (sorting := sorting.next(COLUMNS)) == Sorting("age")
    assert (sorting := sorting.next(COLUMNS)) == Sorting("key")
    assert sorting.next(COLUMNS) == Sorting("state")
    assert sorting.reversed() == Sorting("key", descending=True)


def test_any_text_takes_exactly_the_cells_it_is_given() -> None:
    for text in (*HOSTILE, "", "ab", "世界" * 20):
        printed = "".join(char for char in text if char.isprintable())
        for cells in (1, 2, 5, 7, 30):
            for middle in (False, True):
                assert cell_len(fit(printed, cells, middle=middle)) == cells


def test_a_digest_cut_in_the_middle_keeps_both_ends() -> None:
    assert fit("cca8550712f0e65e", 9, middle=True) == "cca8…e65e"


def test_long_values_wrap_between_words_and_keep_their_tone() -> None:
    lines = wrapped((Cell("one two three ", "bad"), Cell("four")), 9)
    assert ["".join(cell.text for cell in line).rstrip() for line in lines] == ["one two", "three", "four"]
    assert lines[1][0].tone == "bad"
    assert all(cell_len("".join(cell.text for cell in line)) <= 9 for line in wrapped((Cell("x" * 50),), 9))
