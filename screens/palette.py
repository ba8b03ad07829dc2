"""The palette: every command that can be used now, with the key that would have done it."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher

from screens.base import ViewScreen
from screens.commands import Command


class CommandProvider(Provider):
    """Reads the registry through the view the palette was opened on."""

    def _commands(self) -> list[tuple[ViewScreen, Command]]:
        view = self.screen
        if not isinstance(view, ViewScreen):
            return []
        return [(view, command) for command in view.available if command.listed]

    async def discover(self) -> Hits:
        for view, command in self._commands():
            line = _line(Content(command.title), command, self._key(view, command))
            yield DiscoveryHit(line, partial(view.run_command, command), text=command.title, help=command.help or None)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for view, command in self._commands():
            score = max(matcher.match(text) for text in (command.title, *command.words))
            if score > 0:
                line = _line(_marked(command.title, query, matcher), command, self._key(view, command))
                yield Hit(score, line, partial(view.run_command, command), text=command.title, help=command.help or None)

    def _key(self, view: ViewScreen, command: Command) -> str:
        for active in view.active_bindings.values():
            if active.binding.id == command.id:
                return self.app.get_key_display(active.binding)
        return f":{command.words[0]}" if command.words else ""


def _line(title: Content, command: Command, key: str) -> Content:
    mark = ("  asks first", "$text-warning") if command.dangerous else ""
    return Content.assemble(title, mark, (f"  {key}", "$foreground 60%") if key else "")


def _marked(title: str, query: str, matcher: Matcher) -> Content:
    """The title with the letters that matched underlined. Not ``matcher.highlight``: that one parses its argument as markup."""
    content = Content(title)
    _, offsets = matcher.fuzzy_search.match(query, title)
    for offset in offsets:
        content = content.stylize("underline", offset, offset + 1)
    return content
