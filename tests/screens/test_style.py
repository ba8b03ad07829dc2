"""Rules of the front end that no type checker knows, read from its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from screens.base import ViewScreen
from screens.commands import APPLICATION, EVERYWHERE, QUIT, Command
from screens.registry import homes
from screens.views import VIEW_COMMANDS

SCREENS = Path(__file__).parents[2] / "screens"
SOURCES = sorted(SCREENS.rglob("*.py"))
SHEETS = sorted(SCREENS.rglob("*.tcss"))


def calls(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield node


def name_of(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((given.value for given in call.keywords if given.arg == name), None)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SCREENS)))
def test_no_file_grows_into_a_god(path: Path) -> None:
    limit = 250 if path == SCREENS / "app.py" else 340
    assert len(path.read_text(encoding="utf-8").splitlines()) <= limit


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SCREENS)))
def test_text_never_becomes_markup(path: Path) -> None:
    """No ``escape``, no ``from_markup``, no toast that parses, no label from an f-string."""
    for call in calls(path):
        name = name_of(call)
        assert name not in {"escape", "from_markup"}, f"{path.name}:{call.lineno}"
        if name == "notify":
            given = keyword(call, "markup")
            assert isinstance(given, ast.Constant), f"{path.name}:{call.lineno}"
            assert given.value is False, f"{path.name}:{call.lineno}"
        if name in {"Static", "Label", "Button", "Option", "Tab", "Checkbox"} and call.args:
            assert not isinstance(call.args[0], ast.JoinedStr | ast.BinOp), f"{path.name}:{call.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SCREENS)))
def test_every_worker_names_its_group_and_none_is_a_thread(path: Path) -> None:
    for call in calls(path):
        if name_of(call) == "run_worker":
            assert keyword(call, "group") is not None, f"{path.name}:{call.lineno}"
            assert keyword(call, "thread") is None, f"{path.name}:{call.lineno}"
            assert keyword(call, "exit_on_error") is None, f"{path.name}:{call.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SCREENS)))
def test_what_scrolls_and_takes_the_focus_has_the_movement_keys(path: Path) -> None:
    """Textual's own container knows the arrows only: :class:`screens.widgets.reading.Reading` has all keys."""
    for call in calls(path):
        if name_of(call) == "VerticalScroll":
            assert ast.unparse(keyword(call, "can_focus") or ast.Constant(None)) == "False", f"{path.name}:{call.lineno}"


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: str(path.relative_to(SCREENS)))
def test_a_stylesheet_touches_only_its_own_screen(path: Path) -> None:
    """A screen's rules apply to the whole application: each one begins with a class of the screen or dialog it means."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for selectors in re.findall(r"([^{}]+)\{", text):
        for selector in selectors.split(","):
            assert re.match(r"\s*(&|[A-Z]\w*(Screen|Dialog|Palette)|Dialog)\b", selector), selector.strip()


def every_screen() -> list[type[ViewScreen]]:
    """Views, and what is pushed on top of them."""
    for path in SOURCES:
        import_module(".".join(path.relative_to(SCREENS.parent).with_suffix("").parts))
    found, waiting = [], [ViewScreen]
    while waiting:
        screen = waiting.pop()
        found.append(screen)
        waiting += screen.__subclasses__()
    return [screen for screen in found if screen.__module__.startswith("screens.")]


def commands_of(screen: type[ViewScreen]) -> tuple[Command, ...]:
    return (*screen.commands, *EVERYWHERE, *APPLICATION, QUIT, *VIEW_COMMANDS)


def all_commands() -> list[tuple[str, Command]]:
    return [(screen.__name__, command) for screen in every_screen() for command in commands_of(screen)]


def test_the_screens_that_are_pushed_are_among_those_looked_at() -> None:
    assert {"BucketScreen", "LocksScreen", "RawScreen", "EndpointScreen"} <= {screen.__name__ for screen in every_screen()}


def test_a_word_typed_elsewhere_is_known_wherever_it_has_a_home() -> None:
    at_home = {command.id for _, commands in homes() for command in commands}
    for screen in every_screen():
        assert {command.id for command in screen.commands} <= at_home, screen.__name__


def test_commands_have_one_meaning_per_screen() -> None:
    for screen in every_screen():
        commands = commands_of(screen)
        for names in ([c.id for c in commands], [k for c in commands for k in c.keys], [w for c in commands for w in c.words]):
            assert len(names) == len(set(names)), (screen.__name__, sorted(name for name in names if names.count(name) > 1))


def test_an_id_has_the_same_keys_everywhere() -> None:
    """A keymap names ids: the same one is the same gesture, though a view may say more exactly what it does there."""
    known: dict[str, tuple[str, ...]] = {}
    for screen, command in all_commands():
        assert known.setdefault(command.id, command.keys) == command.keys, (screen, command.id)


def test_the_words_of_commands_hold_no_markup() -> None:
    for _view, command in all_commands():
        assert "[" not in command.title + command.help + command.label


def test_a_dangerous_command_has_no_single_key_and_changes_something() -> None:
    for _view, command in all_commands():
        if command.dangerous:
            assert command.changes, command.id
            assert not [key for key in command.keys if len(key) == 1], command.id


def test_keys_that_never_arrive_or_stop_the_terminal_are_not_bound() -> None:
    lost = {"ctrl+i", "ctrl+m", "ctrl+h", "ctrl+j", "ctrl+left_square_bracket", "ctrl+s", "ctrl+z"}
    for view, command in all_commands():
        assert not lost & set(command.keys), (view, command.id)
