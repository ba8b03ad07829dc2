"""Discovery: what exists in a cloud's scope beside what states manage.

Both listings run as jobs of the service, through the journal, or come from files at hand; the bucket's states are read
meanwhile. A listing that failed ends the comparison, for half of it would be wrong; a state that could not be read does not, and
is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.importdiff import Comparison, Listing, compare, settle
from kumoss_console.model.suppressions import Suppression, Suppressions
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.services.discovery.found import Discovery, DiscoveryRequest
from kumoss_console.services.discovery.sources import Sources
from kumoss_console.services.discovery.states import BucketLook, BucketStates
from kumoss_console.services.jobs.service import JobService

__all__ = ["Discovery", "DiscoveryRequest", "DiscoveryService"]


class DiscoveryService:
    """Of one context. ``jobs`` is asked for only where a listing is not at hand."""

    def __init__(
        self,
        jobs: Callable[[], JobService],
        states: BucketStates,
        clock: Clock,
        *,
        suppressions: Callable[[], tuple[Suppression, ...]] = tuple,
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        """``suppressions`` reads the operator's usual file; it may raise :class:`~kumoss_console.errors.ConfigError`."""
        self._jobs = jobs
        self._states = states
        self._clock = clock
        self._suppressions = suppressions
        self._off_loop = off_loop

    async def discover(self, request: DiscoveryRequest) -> AsyncGenerator[Discovery, None]:
        """The discovery as it goes on, the last one ``complete``.

        Raises :class:`~kumoss_console.errors.ConfigError` for a file of suppressions that cannot be used, and what a submission
        raises, after what was known until then; what a listing answered is never raised, see
        ``stopped``. Leaving it early leaves the jobs as they are: they go on, and the journal has them.
        """
        if request.suppressions is None:
            # Before anything is submitted: a file that cannot be read is the operator's to mend first.
            request = replace(request, suppressions=await self._off_loop(self._suppressions))
        run = Sources(request, self._jobs, self._states, self._clock)
        async with aclosing(run.gather()) as progress:
            async for seen in progress:
                yield seen
        if run.stopped:
            yield run.progress(complete=True)
            return
        yield await self._compared(run)

    async def _compared(self, run: Sources) -> Discovery:
        now = self._clock()

        def work() -> tuple[Comparison, dict[str, Suppression], tuple[Finding, ...]]:
            return _compare(run.request, run.state_ids, run.cloud_ids, run.doubt, run.look, now)

        comparison, covered, findings = await self._off_loop(work)
        return Discovery(
            request=run.request,
            jobs=run.jobs,
            bucket=run.look,
            at=now,
            complete=True,
            comparison=comparison,
            covered=covered,
            findings=findings,
        )


def _compare(
    request: DiscoveryRequest,
    state: tuple[str, ...],
    cloud: tuple[str, ...],
    doubt: str,
    look: BucketLook,
    now: datetime,
) -> tuple[Comparison, dict[str, Suppression], tuple[Finding, ...]]:
    looked = request.bucket and look.error is None
    settled = settle(state, look.states, key=request.key, given=request.state, looked=looked)
    listing = Listing(provider=request.provider, scope=request.scope, ids=cloud, number=request.number, doubt=doubt)
    found = compare(listing, settled.here, settled.elsewhere, settled.unread)
    suppressions = Suppressions(request.suppressions or (), now.date())
    findings = (
        *_bucket_findings(look, asked=request.bucket),
        *found.findings,
        *settled.findings,
        *suppressions.findings(found.items, request.provider),
    )
    order = {severity: place for place, severity in enumerate(Severity)}
    covered = suppressions.covering(found.items, request.provider)
    return found, covered, tuple(sorted(findings, key=lambda finding: order[finding.severity]))


def _bucket_findings(look: BucketLook, *, asked: bool) -> list[Finding]:
    """What a bucket that could not be looked at means for what is called unmanaged."""
    if asked and look.error is None:
        return []
    why = f"could not be looked at: {look.error.title}" if look.error is not None else "was not looked at"
    return [
        Finding(
            code="discover.bucket_not_looked",
            severity=Severity.WARNING,
            subject="the state bucket",
            message=f"{why}; what another state manages is called unmanaged",
            remedy=(look.error.hint if look.error is not None else "") or "look there before an import",
        )
    ]
