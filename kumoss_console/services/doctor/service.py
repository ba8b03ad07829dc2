"""Every check of one context, each with its remedy, side by side and each with a deadline of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ParamSpec

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.config import LoadedConfig
from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding, Severity, worst
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.probe import sidecar_deadline, silence, store_deadline, store_hint
from kumoss_console.services.backend.override import BackendService
from kumoss_console.services.doctor import checks
from kumoss_console.text import printable

_LOCAL_SECONDS = 5.0
_LOCAL_HINT = "A disk or a network mount of this machine hangs: see which with df, and look at its log."
"""For questions to this machine's own disk: a dead network mount must not hold the answer."""

P = ParamSpec("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One question and what was found. ``severity`` is the worst of ``findings``; ``seconds`` is how long the answer took."""

    name: str
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def severity(self) -> Severity:
        return worst(self.findings) or Severity.INFO


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorReport:
    """All checks of a context, in the order in which they build upon each other."""

    context: str
    checks: tuple[Check, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for check in self.checks for finding in check.findings)

    @property
    def healthy(self) -> bool:
        return worst(self.findings) is not Severity.ERROR


@dataclass(frozen=True, slots=True)
class _Question:
    """``subject`` is who is asked, ``sentence`` the same where a sentence begins; ``hint`` what silence of theirs means."""

    name: str
    subject: str
    sentence: str
    ask: Callable[[], Awaitable[tuple[Finding, ...]]]
    deadline: float
    hint: str = ""


class DoctorService:
    """Asks everything this console depends on. Sends nothing that changes anything, and creates nothing."""

    def __init__(
        self,
        *,
        config: LoadedConfig,
        context: Context,
        sidecar: Sidecar,
        store: ObjectStore | None,
        backend: BackendService,
        journal_file: Path,
        environ: Mapping[str, str],
    ) -> None:
        self._config = config
        self._context = context
        self._sidecar = sidecar
        self._store = store
        self._backend = backend
        self._journal_file = journal_file
        self._environ = environ

    async def run(self) -> DoctorReport:
        """The report. Raises nothing: what goes wrong is what it reports."""
        results = await asyncio.gather(*(_answer(question) for question in self._questions()))
        return DoctorReport(context=self._context.name, checks=tuple(results))

    def _questions(self) -> tuple[_Question, ...]:
        context, sidecar, store = self._context, self._sidecar, self._store
        service = (printable(sidecar.endpoint), f"The sidecar at {printable(sidecar.endpoint)}")
        bucket = (store.label, f"The store {store.label}") if store else (context.name, "The store")
        patience, store_patience, hint = sidecar_deadline(context), store_deadline(context), store_hint(context)
        return (
            _local("configuration", checks.configuration, self._config, context),
            _local("ownership", checks.state_ownership, context),
            _local("override", checks.override, context, self._backend),
            _local("token", checks.token, context),
            _Question("sidecar", *service, lambda: checks.sidecar_reachable(sidecar), patience),
            _Question("sidecar token", *service, lambda: checks.token_accepted(sidecar, context), patience),
            _Question("store", *bucket, lambda: checks.store_reachable(store, context), store_patience, hint),
            _Question("listing", *bucket, lambda: checks.store_listable(store, context), store_patience, hint),
            _local("journal", checks.journal, self._journal_file),
            _local("engine", checks.engine, self._environ),
            _local("extras", checks.extras),
        )


def _local(name: str, check: Callable[P, tuple[Finding, ...]], *args: P.args, **kwargs: P.kwargs) -> _Question:
    ask = partial(run_blocking, partial(check, *args, **kwargs))
    return _Question(name, name, "This machine", ask, _LOCAL_SECONDS, _LOCAL_HINT)


async def _answer(question: _Question) -> Check:
    loop = asyncio.get_running_loop()
    started = loop.time()
    try:
        findings = await asyncio.wait_for(question.ask(), question.deadline)
    except TimeoutError:
        told = silence(question.sentence, question.deadline, hint=question.hint)
        findings = (checks.from_error(told, question.name, question.subject),)
    except ConsoleError as error:
        findings = (checks.from_error(error, question.name, question.subject),)
    return Check(name=question.name, findings=findings, seconds=loop.time() - started)
