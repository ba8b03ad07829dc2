"""An IaC service that answers listings and imports at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from kumoss_console.model.contract import Accepted, ImportRequest, JobKind, SubmitRequest
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar


@dataclass
class Told:
    """How one job ends."""

    stdout: str = ""
    exit_code: int = 0
    stderr: str = ""


@dataclass
class Script:
    """What the service says: of the state, of the scope, and of imports by address."""

    state: Told = field(default_factory=Told)
    cloud: Told = field(default_factory=Told)
    imports: dict[str, Told] = field(default_factory=dict)
    held: set[JobKind] = field(default_factory=set)
    """Kinds that are left queued, for a test to move."""
    forgotten: set[JobKind] = field(default_factory=set)
    """Kinds that are taken and forgotten at once."""


class DiscoveringSidecar(FakeSidecar):
    """``lists(state, cloud)`` sets both answers; ``script`` has the rest."""

    def __init__(self, clock: FakeClock | None = None) -> None:
        super().__init__(clock)
        self.script = Script()

    def lists(self, state: Sequence[str], cloud: Sequence[str]) -> None:
        self.script.state.stdout = json.dumps(list(state))
        self.script.cloud.stdout = json.dumps(list(cloud))

    async def submit(self, request: SubmitRequest) -> Accepted:
        accepted = await super().submit(request)
        if request.kind in self.script.forgotten:
            self.forget(accepted.job_id)
        elif request.kind not in self.script.held:
            told = self._told(request)
            self.answer(accepted.job_id, told.exit_code, told.stdout, told.stderr)
        return accepted

    def _told(self, request: SubmitRequest) -> Told:
        if isinstance(request, ImportRequest):
            return self.script.imports.get(request.address, Told("Import successful!"))
        return self.script.state if request.kind is JobKind.STATE_RESOURCE_IDS else self.script.cloud
