"""A form in which a known project may be chosen: its scope and its provider are filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeVar

from textual import on
from textual.content import Content
from textual.widgets import Input, Select

from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider
from screens.dialogs.form import PROVIDER, FormDialog
from screens.widgets.content import safe

T = TypeVar("T")

_NONE = -1


class KnownProjectDialog(FormDialog[T]):
    """Extended by forms with the fields ``scope_id`` and ``terraform_provider``."""

    PROVIDERS: ClassVar[tuple[CloudProvider, ...]] = tuple(CloudProvider)
    """Those that can be chosen; one of another provider fills in its scope alone."""

    def __init__(self, context: Context, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self._world = context

    def projects(self, none: str) -> Select[object]:
        """The projects of the context; ``none`` says what choosing none of them means."""
        known = [(safe(one.name or f"{one.repo} {one.path}".strip()), at) for at, one in enumerate(self._world.projects)]
        return Select([(Content(none), _NONE), *known], value=_NONE, allow_blank=False, compact=True, id="project")

    @property
    def project(self) -> int | None:
        """The chosen one, as an index into the context's projects."""
        chosen = self.query_one("#project", Select).value
        return chosen if isinstance(chosen, int) and chosen != _NONE else None

    @on(Select.Changed, "#project")
    def _project_chosen(self) -> None:
        if self.project is None:
            return
        project = self._world.projects[self.project]
        self.query_one("#scope_id", Input).value = project.scope
        if project.provider in self.PROVIDERS:
            self.query_one(f"#{PROVIDER}", Select).value = project.provider.value
