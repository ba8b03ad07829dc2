"""The form of a discovery."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content

from kumoss_console.services.discovery.service import DiscoveryRequest
from screens.dialogs.known_project import KnownProjectDialog
from screens.discovery.draft import PROVIDERS, discovery_request
from screens.jobs.draft import FIELDS
from screens.widgets.cells import Cell
from screens.widgets.content import toned


class DiscoveryDialog(KnownProjectDialog[DiscoveryRequest]):
    """Answers a discovery that can be begun. ``values`` have ``key`` and ``number``, too."""

    HEADING = "Discover what exists beside what states manage"
    BUTTON = "Discover"
    LABELS: ClassVar = {
        "workspace_path": "Workspace",
        "project": "Project",
        "scope_id": "Scope",
        "terraform_provider": "Provider",
        "key": "State key",
        "number": "Number",
    }
    PROVIDERS = PROVIDERS

    def rows(self) -> ComposeResult:
        yield from self.row("workspace_path", self.line("workspace_path", FIELDS["workspace_path"].hint))
        yield from self.row("project", self.projects("none of those that are known"))
        yield from self.row("scope_id", self.line("scope_id", FIELDS["scope_id"].hint))
        yield from self.row("terraform_provider", self.providers(PROVIDERS))
        yield from self.row("key", self.line("key", "empty: the one with the workspace's identifiers"))
        yield from self.row("number", self.line("number", "a Google project's, where identifiers have it"))

    def answer(self) -> DiscoveryRequest:
        return discovery_request(self.lines_typed(("workspace_path", "scope_id", "key", "number")), self._world)

    def approval(self) -> Content:
        return toned(Cell("✓ two jobs will be sent, which only read", "good"))
