"""Job output: colours stay, nothing else is obeyed, any length is readable."""

from __future__ import annotations

import asyncio
import time

import pytest
from textual import events
from textual.app import App, ComposeResult

from screens.widgets.ansi import coloured, plain, uncoloured
from screens.widgets.drawn_line import LONGEST_DRAWN, drawn
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
    assert drawn(line, 0, len(line)).text.plain.endswith("5,000 more characters in this line")
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
        await pilot.press("w")
        await pilot.pause()
        assert "END" not in app.line(0)
        app.lines.scroll_to(x=70, animate=False)
        await pilot.pause()
        assert app.line(0).endswith("END")
        assert app.line(1) == ""


async def test_a_long_line_goes_on_in_marked_rows_unless_wrapping_is_off() -> None:
    app = LinesApp("word " * 20 + "END\nshort")
    async with app.run_test(size=(40, 10)) as pilot:
        assert [app.line(y) for y in range(4)] == [
            "word word word word word word word word",
            "↳ word word word word word word word",
            "↳ word word word word word END",
            "short",
        ]
        await pilot.press("w")
        await pilot.pause()
        assert app.line(1) == "short"
        await pilot.press("w")
        await pilot.pause()
        assert app.line(3) == "short"


async def test_progress_that_overwrites_itself_is_read_state_by_state() -> None:
    app = LinesApp("Get: 10%\rGet: 20%\rGet: done\r\nnext")
    async with app.run_test(size=(40, 10)):
        assert [app.line(y) for y in range(4)] == ["Get: 10%", "Get: 20%", "Get: done", "next"]


async def test_the_wheel_goes_row_by_row_through_a_wrapped_line() -> None:
    app = LinesApp("x" * 4000)
    async with app.run_test(size=(40, 10)) as pilot:
        first = app.lines.told
        await pilot._post_mouse_events([events.MouseScrollDown], "LineView", offset=(5, 5))
        await pilot.pause()
        assert app.lines.told != first
        assert ", rows 4-13 of" in app.lines.told


async def test_a_selection_over_wrapped_rows_is_the_text_of_the_lines() -> None:
    app = LinesApp("first " + "word " * 20 + "END\n\x1b[31msecond\x1b[0m line\nthird")
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.mouse_down("LineView", offset=(2, 1))
        await pilot.hover("LineView", offset=(5, 4))
        await pilot.mouse_up("LineView", offset=(5, 4))
        await pilot.pause()
        selected = app.screen.get_selected_text()
        assert selected is not None
        assert selected == "word " * 14 + "END\nsecond"


async def test_a_text_that_grows_is_followed_where_that_was_asked_for() -> None:
    text = "\n".join(f"line {number}" for number in range(50))
    app = LinesApp(text)
    async with app.run_test(size=(60, 10)) as pilot:
        app.lines.show(text + "\nmore")
        await pilot.pause()
        assert app.lines.scroll_offset.y == 0
        app.lines.follow = True
        app.lines.show(text + "\nmore\nend")
        await pilot.pause()
        assert app.line(9) == "end"


async def test_the_first_error_is_one_key_away() -> None:
    app = LinesApp("\n".join(f"line {number}" for number in range(100)) + "\n╷\n│ Error: no such key\n" + "more\n" * 30)
    async with app.run_test(size=(60, 10)) as pilot:
        assert app.lines.go_to_first_error()
        await pilot.pause()
        assert app.line(0) == "│ Error: no such key"
        app.lines.show("nothing wrong")
        assert not app.lines.go_to_first_error()


async def test_searching_a_large_text_never_holds_the_loop() -> None:
    line = "\x1b[32maws_instance.x[0]\x1b[0m: Creating... \x1b[1m[id=i-0abc]\x1b[0m │\n"
    app = LinesApp(line * 200_000 + "needle\n")
    async with app.run_test(size=(60, 20)) as pilot:
        longest = 0.0
        app.lines.search("needle")
        while app.lines.found[1] == 0 or "searching" in app.lines.told:
            began = time.process_time()
            await asyncio.sleep(0)
            longest = max(longest, time.process_time() - began)
        await pilot.pause()
        assert any(app.line(y) == "needle" for y in range(20))
        assert longest < 0.25


async def test_a_new_search_ends_the_one_under_way() -> None:
    app = LinesApp("line of text\n" * 1_000_000 + "needle\n")
    async with app.run_test(size=(60, 20)) as pilot:
        app.lines.search("needle")
        app.lines.search("text")
        await pilot.pause()
        app.lines.search("")
        await pilot.pause()
        assert app.lines.found == (0, 0)
        assert not [worker for worker in app.workers if worker.is_running]


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
        started = time.process_time()
        app.lines.show(text)
        await pilot.pause()
        await pilot.press("G")
        await pilot.pause()
        assert time.process_time() - started < 2.0
        assert app.line(19) == "line 99999"
