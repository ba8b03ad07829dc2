"""A service whose jobs end by themselves, as a chain needs them to."""

from __future__ import annotations

from kumoss_console.model.contract import Accepted, JobKind, SubmitRequest
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar


class ChainedSidecar(FakeSidecar):
    """Every job ends at once: well, unless ``ends`` has another end for its kind; a kind in ``stuck`` stays queued.

    ``refusals`` maps a kind to what its submission raises.
    """

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.ends: dict[JobKind, tuple[int, str, str]] = {}
        self.refusals: dict[JobKind, Exception] = {}
        self.stuck: set[JobKind] = set()

    async def submit(self, request: SubmitRequest) -> Accepted:
        if request.kind in self.refusals:
            raise self.refusals[request.kind]
        accepted = await super().submit(request)
        if request.kind not in self.stuck:
            self.answer(accepted.job_id, *self.ends.get(request.kind, (0, "", "")))
        return accepted

    @property
    def sent(self) -> list[str]:
        """The kinds that were submitted, in order."""
        return [request.kind.value for request in self.requests]
