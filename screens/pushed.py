"""What is pushed over a view: one plan, one output, one chain, one state. Esc and ``q`` go back to the view below."""

from __future__ import annotations

from screens.base import ViewScreen


class PushedScreen(ViewScreen):
    """A screen over the view that has its subject. What another view points at is looked for in the view below."""

    def step_back(self) -> bool:
        """There is always one thing to close: the screen itself."""
        self.dismiss()
        return True

    def show_subject(self, subject: str) -> None:
        """Make way for what another view points at: the view below has it."""
        below = self.app.screen_stack[-2]
        self.dismiss()
        if isinstance(below, ViewScreen):
            below.show_subject(subject)
