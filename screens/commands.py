"""One definition per command: key, footer, palette entry, ``:`` word, help line and keymap id come from here.

A screen lists what it can do and implements one ``action_NAME`` per command::

    RESUBMIT = Command(id="jobs.resubmit", action="resubmit", title="Submit this job again", keys=("s",), changes=True, ...)

    class JobsScreen(ViewScreen):
        commands = (OPEN, FILTER, RESUBMIT)

Everything else follows: the base screen binds the keys, the footer, the palette, the ``:`` line and the help read the same tuple,
and a command that ``changes`` something is absent in read-only mode.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding, BindingType


class Group(StrEnum):
    """A heading of the help, in the order of the help."""

    HERE = "This view"
    MOVE = "Move"
    VIEWS = "Views"
    GENERAL = "Everywhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something an operator can ask for.

    ``id`` is stable and dotted: keymaps refer to it. ``action`` is a Textual action, in the screen's namespace unless it names
    another. ``label`` is the short word of the footer; empty keeps the command out of it. ``words`` are its names on the ``:``
    line, ``argument`` names what may follow the word. ``changes`` marks what alters the world outside this program: absent,
    not greyed, in read-only mode. ``dangerous`` marks what cannot be taken back: its action asks first, naming its subject.
    """

    id: str
    action: str
    title: str
    help: str = ""
    keys: tuple[str, ...] = ()
    label: str = ""
    words: tuple[str, ...] = ()
    argument: str = ""
    group: Group = Group.HERE
    changes: bool = False
    dangerous: bool = False
    listed: bool = True
    """Whether the palette offers it; moving a cursor is not worth a line there."""

    @property
    def action_name(self) -> str:
        """The action without its parameters: what ``check_action`` is asked about."""
        return self.action.partition("(")[0]

    def action_with(self, argument: str) -> str:
        """The action called with what was typed after the word. ``repr`` keeps any text one literal."""
        return f"{self.action_name}({argument!r})" if argument and self.argument else self.action


KEY_SIGNS = {
    "slash": "/",
    "colon": ":",
    "question_mark": "?",
    "exclamation_mark": "!",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "plus": "+",
    "escape": "esc",
}
"""How keys are shown that Textual names in words."""


def key_display(binding: Binding) -> str:
    """A key as an operator would type it: ``ctrl+p``, ``enter``, ``/``."""
    if binding.key_display:
        return binding.key_display
    modifiers, key = binding.parse_key()
    return "+".join((*modifiers, KEY_SIGNS.get(key, key)))


def bindings(commands: Iterable[Command], *, priority: bool = False) -> list[BindingType]:
    """Textual bindings with stable ids. Several keys of one command share one footer entry."""
    return [
        Binding(
            ",".join(command.keys),
            command.action,
            command.label or command.title,
            show=bool(command.label),
            tooltip=command.help or command.title,
            id=command.id,
            priority=priority,
        )
        for command in commands
        if command.keys
    ]


def by_action(commands: Iterable[Command]) -> dict[str, Command]:
    """Commands by the name of their action; the first one wins, so a screen's own come before the shared ones."""
    found: dict[str, Command] = {}
    for command in commands:
        found.setdefault(command.action_name, command)
    return found


def by_word(commands: Iterable[Command]) -> dict[str, Command]:
    """Commands by what may be typed on the ``:`` line."""
    return {word: command for command in reversed(tuple(commands)) for word in command.words}


# What a screen offers by listing it and writing the action. The gesture means the same thing everywhere.
OPEN = Command(id="open", action="open", title="Open", help="Open the selected line", keys=("enter",), label="open", listed=False)
DETAILS = Command(id="details", action="details", title="Show details", keys=("d",))
RAW = Command(id="raw", action="raw", title="Show the raw document", keys=("v",), label="raw")
FILTER = Command(
    id="filter",
    action="filter",
    title="Filter the list",
    help="Type to narrow the list; Esc clears",
    keys=("slash",),
    label="filter",
)
SEARCH = Command(
    id="search", action="search", title="Search the text", help="Find text in the output", keys=("slash",), label="search"
)
NEXT_MATCH = Command(id="search.next", action="next_match", title="Next match", keys=("n",))
PREVIOUS_MATCH = Command(id="search.previous", action="previous_match", title="Previous match", keys=("N",))
SORT = Command(id="sort", action="sort", title="Sort by the next column", keys=("o",), label="sort")
REVERSE = Command(id="sort.reverse", action="reverse", title="Reverse the order", keys=("O",))
ONLY_WRONG = Command(
    id="only_wrong", action="only_wrong", title="Show only what is wrong", keys=("exclamation_mark",), label="only wrong"
)
COPY = Command(id="copy", action="copy", title="Copy", help="Copy the thing itself", keys=("y",), label="copy")
COPY_JSON = Command(id="copy.json", action="copy_json", title="Copy as JSON", keys=("Y",))
COPY_MENU = Command(
    id="copy.menu",
    action="copy_menu",
    title="Copy…",
    help="Choose what to copy, the command that shows this included",
    keys=("c",),
)
COPIES = (COPY, COPY_JSON, COPY_MENU)
SAVE = Command(id="save", action="save", title="Save to a file", keys=("S",), words=("save",), argument="FILE")
FULL_SCREEN = Command(
    id="full_screen", action="full_screen", title="Full screen", help="The focused part alone; again to return", keys=("z",)
)
WRAP = Command(id="lines.wrap", action="wrap", title="Wrap long lines, or not", keys=("w",))
FIRST_ERROR = Command(
    id="lines.error", action="first_error", title="Go to the first error", help="The first line that begins one", keys=("e",)
)
FOLLOW_END = Command(
    id="lines.follow", action="follow_end", title="Follow the end of the text", help="While it can still grow", keys=("f",)
)
REVEAL = Command(
    id="reveal",
    action="reveal",
    title="Reveal one secret for 30 seconds",
    help="Shows it on this screen only",
    keys=("x",),
    label="reveal",
)

# Bound by the application. Quitting also goes ahead of whatever has the focus: no dialog may hold anybody.
QUIT = Command(
    id="quit",
    action="app.quit",
    title="Quit",
    help="Jobs go on; they belong to the sidecar",
    keys=("ctrl+q",),
    words=("quit", "q"),
    group=Group.GENERAL,
)
APPLICATION = (
    Command(
        id="palette",
        action="app.command_palette",
        title="Palette",
        help="Find a command by its name",
        keys=("ctrl+p",),
        label="palette",
        group=Group.GENERAL,
        listed=False,
    ),
)
EVERYWHERE = (
    Command(
        id="back",
        action="back",
        title="Back",
        help="Closes what is open, then the banner, else goes to the view before; never quits",
        keys=("escape",),
        group=Group.GENERAL,
        listed=False,
    ),
    Command(
        id="leave",
        action="leave",
        title="Close, or quit",
        help="Closes what is open: full screen, filter, detail; with nothing open it leaves the program",
        keys=("q",),
        group=Group.GENERAL,
        listed=False,
    ),
    Command(id="refresh", action="refresh_now", title="Refresh now", keys=("r",), words=("refresh",), group=Group.GENERAL),
    Command(
        id="command_line",
        action="command_line",
        title="Command line",
        help="Type a command; Tab completes, Up recalls",
        keys=("colon",),
        label="command",
        group=Group.GENERAL,
        listed=False,
    ),
    Command(
        id="help",
        action="help",
        title="Keys of this view",
        keys=("question_mark", "f1"),
        label="help",
        words=("help",),
        group=Group.GENERAL,
    ),
    Command(
        id="log",
        action="show_log",
        title="What was said so far",
        help="The messages of the flash line, newest first",
        words=("log",),
        group=Group.GENERAL,
    ),
    Command(
        id="context",
        action="switch_context",
        title="Switch context",
        help="Leave this world for another; the old one need not answer",
        words=("context", "ctx"),
        argument="NAME",
        group=Group.GENERAL,
    ),
    Command(
        id="locks",
        action="show_locks",
        title="Locks",
        help="Who holds which state, since when, for which job",
        keys=("L",),
        words=("locks",),
        group=Group.VIEWS,
    ),
    Command(id="theme", action="app.change_theme", title="Change the theme", words=("theme",), group=Group.GENERAL),
    Command(
        id="picture",
        action="app.screenshot",
        title="Save a picture of this screen (SVG)",
        help="Written to the downloads folder",
        words=("picture",),
        group=Group.GENERAL,
    ),
    Command(id="history.back", action="app.go_back", title="Previous view", keys=("left_square_bracket",), group=Group.VIEWS),
    Command(id="history.forward", action="app.go_forward", title="Next view", keys=("right_square_bracket",), group=Group.VIEWS),
)

# Bound by the widgets that have a cursor or scroll; shown in the help of every view.
MOVE = tuple(
    Command(id=f"move.{action}", action=action, title=title, keys=keys, group=Group.MOVE, listed=False)
    for action, title, keys in (
        ("cursor_down", "Down", ("j", "down")),
        ("cursor_up", "Up", ("k", "up")),
        ("page_down", "Page down", ("ctrl+f", "pagedown")),
        ("page_up", "Page up", ("ctrl+b", "pageup")),
        ("half_page_down", "Half a page down", ("ctrl+d",)),
        ("half_page_up", "Half a page up", ("ctrl+u",)),
        ("top", "Top", ("g", "home")),
        ("bottom", "Bottom", ("G", "end")),
    )
)
