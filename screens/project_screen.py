"""A view of one project: the three inputs and the gestures around them. The views share the project through the application."""

from __future__ import annotations

import shlex

from textual import events, getters, on

from kumoss_console.errors import InputError
from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Severity
from kumoss_console.model.project import ProjectKey
from kumoss_console.model.spelling import UnusableSpelling
from kumoss_console.model.twins import as_url
from kumoss_console.text import MASK
from screens.base import ViewScreen
from screens.commands import Command
from screens.dialogs.choose import ChooseDialog
from screens.subject import Subject
from screens.widgets.cells import Cell
from screens.widgets.facts import Fact, fact
from screens.widgets.project_form import ProjectForm

EDIT = Command(
    id="project.edit",
    action="edit",
    title="Type repository, scope and path",
    help="Esc leaves the inputs",
    keys=("e",),
    label="edit",
)
PICK = Command(
    id="project.pick",
    action="pick",
    title="Pick a known project…",
    help="Projects that the configuration names for this context",
    keys=("p",),
    label="pick",
    words=("project",),
    argument="NAME",
)
TAKE = Command(
    id="project.take",
    action="take",
    title="Take the https spelling",
    help="Replaces the repository by the URL that is offered",
    keys=("ctrl+t",),
    label="take the URL",
    words=("take",),
)


class ProjectScreen(ViewScreen):
    """Subclasses compose a :class:`ProjectForm` named ``project`` and write :meth:`renew`; the project is :attr:`subject`."""

    polls = False

    form = getters.query_one("#project", ProjectForm)

    def renew(self) -> None:
        """The project changed, or the view was opened: judge it and show what came of it."""

    @property
    def offered(self) -> Subject | None:
        """What :data:`TAKE` would put into the inputs."""
        return None

    @property
    def subject(self) -> Subject:
        return self.console.subject

    def on_mount(self) -> None:
        self.watch(self.app, "subject", self._changed)

    def _changed(self) -> None:
        self.form.show(self.subject)
        self.renew()
        self.refresh_bindings()

    @on(ProjectForm.Changed, "#project")
    def _typed(self, event: ProjectForm.Changed) -> None:
        self.console.subject = event.subject

    @on(ProjectForm.Finished, "#project")
    def _finished(self) -> None:
        self.step_back()

    def on_paste(self, event: events.Paste) -> None:
        """A URL pasted anywhere in the view is the repository."""
        lines = event.text.splitlines()
        if lines and not any(form.editing for form in self.query(ProjectForm)):
            self.console.subject = Subject(lines[0], self.subject.scope, self.subject.path)
            self.form.edit()

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command is TAKE:
            return self.is_mounted and self.offered is not None
        return True

    def step_back(self) -> bool:
        """Leave the inputs."""
        if not self.form.editing:
            return False
        self.query(self.AUTO_FOCUS or "*").first().focus()
        return True

    def action_edit(self) -> None:
        self.form.edit()

    def action_take(self) -> None:
        offered = self.offered
        if offered is not None:
            self.console.subject = offered

    def action_pick(self, name: str = "") -> None:
        projects = self.services.context.projects
        if not projects:
            self.console.flash("this context names no projects: list them under its `projects:` in the configuration")
        elif name:
            self._pick_named(name)
        else:
            options = [(project.name or project.repo, place(project)) for project in projects]
            self.app.push_screen(ChooseDialog("Known projects", options), self._picked)

    def _pick_named(self, name: str) -> None:
        wanted = name.casefold()
        projects = self.services.context.projects
        found = [project for project in projects if project.name.casefold() == wanted]
        found = found or [project for project in projects if wanted in f"{project.name} {place(project)}".casefold()]
        if len(found) == 1:
            self._show_project(found[0])
        else:
            many = f"{len(found)} known projects match {name!r}: p lists them" if found else f"no known project matches {name!r}"
            self.console.flash(many, Severity.WARNING)

    def _picked(self, index: int | None) -> None:
        if index is not None:
            self._show_project(self.services.context.projects[index])

    def _show_project(self, project: KnownProject) -> None:
        self.console.subject = Subject(project.repo, project.scope, project.path)


def place(project: KnownProject) -> str:
    """``repo · scope · path`` of a known project."""
    return " · ".join((project.repo, project.scope, project.path or "(no path)"))


def offered_instead(subject: Subject, refusal: InputError | None, key: ProjectKey | None) -> Subject | None:
    """The project spelled as it should be: by https, and without a user name or a password."""
    if isinstance(refusal, UnusableSpelling) and refusal.https is not None:
        return Subject(refusal.https, subject.scope, subject.path or refusal.path)
    if key is not None and any(finding.code == "key.credentials_in_url" for finding in key.findings):
        return Subject(as_url(key.repo), subject.scope, subject.path)
    return None


def offer_facts(offered: Subject | None, refusal: InputError | None) -> tuple[Fact, ...]:
    """The key that takes :func:`offered_instead`, and what it would give."""
    if offered is None:
        return ()
    why = "" if refusal is not None else ", without what may be a password"
    return (fact("ctrl+t", "takes ", Cell(offered.repo, "accent"), why),)


def project_options(subject: Subject, key: ProjectKey) -> str:
    """``--repo … --scope … --path …`` for a command line, as typed; without anything that was masked in the steps."""
    hidden = any(MASK in step.before for step in key.steps)
    repo = as_url(key.repo) if hidden else subject.repo.strip()
    options = [("--repo", repo), ("--scope", subject.scope.strip())]
    if subject.path.strip():
        options.append(("--path", subject.path.strip()))
    return " ".join(f"{name} {shlex.quote(value)}" for name, value in options)
