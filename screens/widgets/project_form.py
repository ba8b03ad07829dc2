"""Repository, scope and path, typed; judged by whoever listens."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Label

from screens.commands import Command, bindings
from screens.subject import NOTHING, Subject
from screens.widgets.shown_input import RepositoryInput, ShownInput

FIELDS = (
    ("repo", "Repository", "https://github.com/acme/infra"),
    ("scope", "Scope", "the subscription, project or account id"),
    ("path", "Path", "the root module's folder; empty for none"),
)
LONGEST = 16_384
"""Characters a field takes. A key can be derived from more; nobody types it."""


LEAVE = Command(id="project.leave", action="leave", title="Leave the inputs", keys=("escape",), label="leave the inputs")


class ProjectForm(Vertical):
    """Three inputs. Never clears nor corrects what was typed; Enter goes on to the next one."""

    BINDINGS = bindings((LEAVE,))
    DEFAULT_CSS = """
    ProjectForm { height: auto; padding: 0 1; }
    ProjectForm Horizontal { height: 1; }
    ProjectForm Label { width: 12; color: $foreground 70%; }
    ProjectForm Input { width: 1fr; }
    """

    @dataclass
    class Changed(Message):
        """Something was typed."""

        form: ProjectForm
        subject: Subject

        @property
        def control(self) -> ProjectForm:
            return self.form

    @dataclass
    class Finished(Message):
        """Enter in the last input, or Esc."""

        form: ProjectForm

        @property
        def control(self) -> ProjectForm:
            return self.form

    def compose(self) -> ComposeResult:
        for name, label, placeholder in FIELDS:
            with Horizontal():
                yield Label(label)
                kind = RepositoryInput if name == "repo" else ShownInput
                yield kind(placeholder=placeholder, id=name, compact=True, select_on_focus=False, max_length=LONGEST)

    def _field(self, name: str) -> ShownInput:
        return self.query_one(f"#{name}", ShownInput)

    @property
    def subject(self) -> Subject:
        """What the three inputs spell."""
        if not self.is_mounted:
            return NOTHING
        return Subject(repo=self._field("repo").value, scope=self._field("scope").value, path=self._field("path").value)

    @property
    def editing(self) -> bool:
        """Whether one of the inputs has the focus."""
        return any(self._field(name).has_focus for name, _, _ in FIELDS)

    def show(self, subject: Subject) -> None:
        """Put these texts into the inputs; one that has its text already keeps its cursor."""
        with self.prevent(Input.Changed):
            for (name, _, _), text in zip(FIELDS, (subject.repo, subject.scope, subject.path), strict=True):
                field = self._field(name)
                if field.value != text:
                    field.value = text

    def edit(self) -> None:
        """Focus the first input that is empty, the repository where none is."""
        fields = [self._field(name) for name, _, _ in FIELDS]
        # An empty path is a path; it is no reason to go there.
        next((field for field in fields[:2] if not field.value.strip()), fields[0]).focus()

    def action_leave(self) -> None:
        self.post_message(self.Finished(self))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(self, self.subject))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        names = [name for name, _, _ in FIELDS]
        here = names.index(event.input.id or names[-1])
        if here + 1 < len(names):
            self._field(names[here + 1]).focus()
        else:
            self.post_message(self.Finished(self))
