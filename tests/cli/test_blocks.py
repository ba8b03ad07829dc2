"""Plain output: tables that fit, fields that can be copied, and text that cannot harm."""

from __future__ import annotations

import pytest

from kumoss_console.cli.blocks import Cell, Column, Fields, Table, Text, render
from kumoss_console.text import printable, width
from tests.hostile import HOSTILE

COLUMNS = (Column("KEY", "middle"), Column("SIZE", right=True), Column("NOTE", "end"))


def test_a_table_aligns_its_columns_and_ends_no_line_in_blanks() -> None:
    table = Table(COLUMNS, [("a/b", "12", ""), ("a/longer", "3", "locked")])

    assert render(table) == "KEY       SIZE  NOTE\na/b         12\na/longer     3  locked\n"


def test_without_a_terminal_nothing_is_clipped() -> None:
    key = "k" * 500

    assert key in render(Table(COLUMNS, [(key, "1", "x" * 300)]))


def test_on_a_terminal_the_widest_column_that_may_give_way_does_and_digests_keep_both_ends() -> None:
    table = Table(COLUMNS, [("abcd" + "-" * 60 + "wxyz", "123456", "short")])

    lines = render(table, columns=40).splitlines()

    assert all(width(line) <= 40 for line in lines)
    assert lines[1].startswith("abcd")
    assert "wxyz" in lines[1]
    assert "123456" in lines[1]
    assert "short" in lines[1]


def test_wide_characters_do_not_break_the_alignment() -> None:
    lines = render(Table(COLUMNS, [("世界", "1", "x"), ("abcd", "2", "y")])).splitlines()

    assert [width(line) for line in lines] == [len("KEY   SIZE  NOTE"), len("abcd     2  y"), len("abcd     2  y")]


def test_a_table_without_rows_prints_nothing() -> None:
    assert render(Table(COLUMNS, [])) == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_takes_one_line_and_is_never_obeyed(text: str) -> None:
    for block in (Table(COLUMNS, [(text, text, text)]), Fields([("name", text)])):
        for columns in (None, 60):
            shown = render(block, columns=columns)
            assert printable(shown, newlines=True) == shown
            assert shown.count("\n") == (2 if isinstance(block, Table) else 1)


def test_text_keeps_its_lines_and_loses_its_escapes() -> None:
    assert render(Text("one\r\ntwo\x1b[31m\tthree")) == "one\ntwo␛[31m\tthree\n"


def test_colour_is_added_after_the_text_was_made_harmless() -> None:
    shown = render(Fields([("state", Cell("\x1b[2Jgone", "bad"))]), colour=True)

    assert shown == "\x1b[2mstate\x1b[0m  \x1b[31m␛[2Jgone\x1b[0m\n"
