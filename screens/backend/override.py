"""The text of the override. ``w`` picks a workspace in this view, as in State, so that lines are wrapped from the ``:`` line."""

from __future__ import annotations

from screens.commands import MOVE, bindings
from screens.widgets.line_view import SCROLL_SIDEWAYS, LineView


class OverrideView(LineView, inherit_bindings=False):
    """Lines without a key for wrapping."""

    BINDINGS = bindings((*MOVE, *SCROLL_SIDEWAYS))
