"""The table draws what is in view, whatever the text is and however many rows there are."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult

from screens.widgets.cells import Cell
from screens.widgets.columns import Column, Sorting
from screens.widgets.rows import Rows
from screens.widgets.virtual_table import VirtualTable
from tests.hostile import HOSTILE

COLUMNS = (
    Column(key="name", title="NAME", width=20, stretch=1),
    Column(key="size", title="SIZE", width=8, priority=2, right=True),
)


def rows(names: Sequence[str]) -> Rows[str]:
    return Rows(names, identify=lambda name: name, draw=lambda name: (Cell(name), Cell(str(len(name)), "dim")))


class TableApp(App[None]):
    def __init__(self, names: Sequence[str], empty: str = "") -> None:
        super().__init__()
        self.names = names
        self.opened: list[object] = []
        self.highlighted: list[object] = []
        self.pressed: list[str] = []
        self.empty = empty

    @property
    def table(self) -> VirtualTable:
        return self.screen.query_one(VirtualTable)

    def compose(self) -> ComposeResult:
        yield VirtualTable(COLUMNS, empty=self.empty)

    def on_mount(self) -> None:
        self.table.source = rows(self.names)
        self.table.focus()

    def on_virtual_table_row_opened(self, event: VirtualTable.RowOpened) -> None:
        self.opened.append(event.row_id)

    def on_virtual_table_row_highlighted(self, event: VirtualTable.RowHighlighted) -> None:
        self.highlighted.append(event.row_id)

    def on_virtual_table_header_pressed(self, event: VirtualTable.HeaderPressed) -> None:
        self.pressed.append(event.column.key)

    def line(self, y: int) -> str:
        return self.table.render_line(y).text.rstrip()


async def test_movement_keys_mean_what_they_mean_in_less_and_k9s() -> None:
    app = TableApp([f"row-{number:03}" for number in range(100)])
    async with app.run_test(size=(60, 21)) as pilot:
        for key, expected in (
            ("j", 1),
            ("down", 2),
            ("k", 1),
            ("ctrl+f", 21),
            ("ctrl+b", 1),
            ("ctrl+d", 11),
            ("ctrl+u", 1),
            ("G", 99),
            ("j", 99),
            ("g", 0),
            ("k", 0),
        ):
            await pilot.press(key)
            assert (key, app.table.cursor) == (key, expected)


async def test_the_cursor_is_always_in_view() -> None:
    app = TableApp([f"row-{number:03}" for number in range(100)])
    async with app.run_test(size=(60, 11)) as pilot:
        for key in ("G", "ctrl+b", "ctrl+b", "j", "g", "ctrl+f"):
            await pilot.press(key)
            await pilot.pause()
            assert app.table.cursor in app.table.visible_rows
        await pilot.resize_terminal(60, 5)
        await pilot.pause()
        assert app.table.cursor in app.table.visible_rows


async def test_new_rows_keep_the_cursor_on_its_row() -> None:
    app = TableApp(["b", "d", "f"])
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("j")
        for names, expected in ((["a", "b", "c", "d", "e"], "d"), (["a", "b"], "b"), ([], None)):
            app.table.source = rows(names)
            await pilot.pause()
            assert app.table.row_id == expected
            assert app.highlighted[-1] == expected


async def test_a_second_click_opens_and_the_header_names_its_column() -> None:
    app = TableApp(["one", "two", "three"])
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.click(VirtualTable, offset=(2, 2))
        assert app.table.row_id == "two"
        assert app.opened == []
        await pilot.click(VirtualTable, offset=(2, 2), times=2)
        await pilot.pause()
        assert app.opened == ["two"]
        await pilot.click(VirtualTable, offset=(2, 0))
        await pilot.pause()
        assert app.pressed == ["name"]


async def test_the_header_tells_the_order() -> None:
    app = TableApp(["one"])
    async with app.run_test(size=(60, 11)):
        app.table.sorting = Sorting("name")
        assert "NAME ▲" in app.line(0)
        app.table.sorting = Sorting("name", descending=True)
        assert "NAME ▼" in app.line(0)


async def test_an_empty_table_says_why() -> None:
    app = TableApp([], empty="nothing here: press + to add one")
    async with app.run_test(size=(60, 11)) as pilot:
        assert "nothing here: press + to add one" in app.line(2)
        await pilot.press("j", "k", "G", "g", "ctrl+f")
        assert app.table.cursor == 0


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_is_shown_and_never_obeyed(text: str) -> None:
    app = TableApp([text, "after"])
    async with app.run_test(size=(60, 11), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        for y in range(4):
            strip = app.table.render_line(y)
            assert strip.cell_length == app.table.scrollable_content_region.width
            assert all(char.isprintable() or char in "\u200d\ufe0f" for char in strip.text)


async def test_a_narrow_terminal_hides_columns_whole() -> None:
    app = TableApp(["name"])
    async with app.run_test(size=(26, 11)) as pilot:
        assert "SIZE" not in app.line(0)
        await pilot.resize_terminal(60, 11)
        await pilot.pause()
        assert "SIZE" in app.line(0)


async def test_a_hundred_thousand_rows_cost_what_is_in_view() -> None:
    drawn: list[str] = []

    def draw(name: str) -> tuple[Cell, Cell]:
        drawn.append(name)
        return (Cell(name), Cell("0"))

    names = [f"row-{number:06}" for number in range(100_000)]
    app = TableApp([])
    async with app.run_test(size=(60, 21)) as pilot:
        started = time.process_time()
        app.table.source = Rows(names, identify=lambda name: name, draw=draw)
        await pilot.pause()
        await pilot.press("G", "g", "ctrl+f", "ctrl+f")
        await pilot.pause()
        assert time.process_time() - started < 2.0
        assert len(drawn) < 500
        assert app.table.row_id == "row-000040"
