"""Job output: colours stay, nothing else is obeyed, any length is readable."""

from __future__ import annotations

import time

import pytest
from textual.app import App, ComposeResult

from screens.widgets.ansi import LONGEST_DRAWN, coloured, plain, uncoloured
from screens.widgets.line_view import LineView
from tests.hostile import HOSTILE


class LinesApp(App[None]):
    def __init__(self, text: str, empty: str = "") -> None:
        super().__init__()
        self._text = text
        self._empty = empty

    @property
    def lines(self) -> LineView:
        return self.screen.query_one(LineView)

    def compose(self) -> ComposeResult:
        yield LineView(self._text, empty=self._empty)

    def on_mount(self) -> None:
        self.lines.focus()

    def line(self, y: int) -> str:
        return self.lines.render_line(y).text.rstrip()


def test_colours_become_styles_and_leave_no_trace_in_the_text() -> None:
    text = coloured("\x1b[1m\x1b[31mError:\x1b[0m no")
    assert text.plain == "Error: no"
    style = text.spans[0].style
    assert "red" in str(style) or "color(1)" in str(style)
    assert plain("\x1b[31mError:\x1b[0m\tno") == "Error:    no"
    assert uncoloured("\x1b[31ma\x1b[0m\r\nb\x1b]52;c;QQ==\x07") == "a\nb␛]52;c;QQ==␇"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_lines_keep_every_character_visible(text: str) -> None:
    for line in (text, f"\x1b[32m{text}\x1b[0m"):
        for shown in (coloured(line).plain, plain(line)):
            assert all(char.isprintable() or char in "\u200d\ufe0f" for char in shown)
    assert coloured("[red]x[/] [/tmp [@click=app.quit]x").plain == "[red]x[/] [/tmp [@click=app.quit]x"


def test_an_endless_line_is_cut_in_drawing_only_and_says_so() -> None:
    line = "x" * (LONGEST_DRAWN + 5000)
    assert coloured(line).plain.endswith("5,000 more characters in this line")
    assert len(plain(line)) == len(line)


async def test_search_goes_to_the_match_and_on_and_starts_over() -> None:
    text = "\n".join("needle" if number in {30, 60, 90} else f"line {number}" for number in range(100))
    app = LinesApp(text)
    async with app.run_test(size=(60, 10)) as pilot:
        assert app.lines.search("NEEDLE") == 3
        await pilot.pause()
        assert app.lines.found == (1, 3)
        assert any(app.line(y) == "needle" for y in range(10))
        app.lines.next_match()
        app.lines.next_match()
        assert app.lines.found == (3, 3)
        app.lines.next_match()
        assert app.lines.found == (1, 3)
        app.lines.next_match(-1)
        assert app.lines.found == (3, 3)
        assert app.lines.search("nowhere") == 0
        assert app.lines.found == (0, 0)


async def test_search_finds_words_that_colours_cut_apart() -> None:
    app = LinesApp("a\nInvalid\x1b[31mAccess\x1b[0mKeyId")
    async with app.run_test(size=(60, 10)):
        assert app.lines.search("invalidaccesskeyid") == 1


async def test_movement_keys_scroll_and_end_at_the_ends() -> None:
    app = LinesApp("\n".join(f"line {number}" for number in range(100)))
    async with app.run_test(size=(60, 20)) as pilot:
        for key, top in (("j", 1), ("k", 0), ("ctrl+f", 20), ("ctrl+d", 30), ("ctrl+u", 20), ("G", 80), ("j", 80), ("g", 0)):
            await pilot.press(key)
            await pilot.pause()
            assert (key, app.lines.scroll_offset.y) == (key, top)


async def test_a_long_line_is_read_by_going_right() -> None:
    app = LinesApp("a" * 100 + "END\nshort")
    async with app.run_test(size=(40, 10)) as pilot:
        assert "END" not in app.line(0)
        app.lines.scroll_to(x=70, animate=False)
        await pilot.pause()
        assert app.line(0).endswith("END")
        assert app.line(1) == ""


async def test_the_same_text_again_leaves_the_reader_where_they_are() -> None:
    text = "\n".join(f"line {number}" for number in range(100))
    app = LinesApp(text)
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("ctrl+f")
        app.lines.show(text)
        await pilot.pause()
        assert app.lines.scroll_offset.y == 10
        app.lines.show("other")
        await pilot.pause()
        assert app.lines.scroll_offset.y == 0
        assert app.line(0) == "other"


async def test_an_empty_text_says_why() -> None:
    app = LinesApp("", empty="nothing was written to stderr")
    async with app.run_test(size=(60, 10)):
        assert app.line(0) == "nothing was written to stderr"


async def test_a_hundred_thousand_lines_open_at_once() -> None:
    text = "\n".join(f"\x1b[32mline\x1b[0m {number}" for number in range(100_000))
    app = LinesApp("")
    async with app.run_test(size=(60, 20)) as pilot:
        started = time.perf_counter()
        app.lines.show(text)
        await pilot.pause()
        await pilot.press("G")
        await pilot.pause()
        assert time.perf_counter() - started < 2.0
        assert app.line(19) == "line 99999"
