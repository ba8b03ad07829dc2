"""What is pushed over a view: one plan, one output, one chain, one state. Esc and ``q`` go back to the view below."""

from __future__ import annotations

from screens.base import ViewScreen


class PushedScreen(ViewScreen):
    """A screen over the view that has its subject. What another view points at is looked for in the view below."""

    history_key: str = ""
    """The state whose history ``H`` shows, where a screen offers that; empty for none."""

    def step_back(self) -> bool:
        """There is always one thing to close: the screen itself."""
        self.dismiss()
        return True

    def action_history(self) -> None:
        """The versions of the state under the cursor."""
        from screens.versions.screen import VersionsScreen  # it is such a screen itself

        if self.history_key:
            self.app.push_screen(VersionsScreen(self.history_key))
        else:
            self.console.flash("there is no state of the bucket here: nothing has a history")

    def show_subject(self, subject: str) -> None:
        """Make way for what another view points at: the view below has it."""
        below = self.app.screen_stack[-2]
        self.dismiss()
        if isinstance(below, ViewScreen):
            below.show_subject(subject)
