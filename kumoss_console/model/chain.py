"""The chain init, validate, plan, show, review, apply on one workspace, as the core sequences it: its values, and no I/O."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from posixpath import splitext
from typing import Literal

import msgspec

from kumoss_console.model.contract import (
    ApplyRequest,
    CloudProvider,
    InitRequest,
    PlanRequest,
    ShowRequest,
    SubmitRequest,
    ValidateRequest,
)
from kumoss_console.model.job import Job, Verdict
from kumoss_console.model.plan import Plan


class Step(StrEnum):
    INIT = "init"
    VALIDATE = "validate"
    PLAN = "plan"
    SHOW = "show"
    REVIEW = "review"
    APPLY = "apply"


ORDER = tuple(Step)


class StepStatus(StrEnum):
    """``stopped`` is a review that ended without an approval; ``unknown`` a job whose outcome cannot be learned."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRequest:
    """What is wanted. ``repo`` and ``path`` name the project whose override is written; without ``repo`` none is made up.

    ``plan_file`` is given where a plan that exists is shown or applied; else each chain has a name of its own. ``reviewed`` is
    the digest of a review that was made before: another plan is then refused.
    """

    workspace: str
    scope: str
    provider: CloudProvider
    plan_file: str = ""
    targets: tuple[str, ...] = ()
    first: Step = Step.INIT
    until: Step = Step.APPLY
    repo: str = ""
    path: str = ""
    write_override: bool = True
    reviewed: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is done. Nothing is applied that was not shown and reviewed, wherever the chain is taken up."""
        first = min(ORDER.index(self.first), ORDER.index(Step.SHOW)) if self.until is Step.APPLY else ORDER.index(self.first)
        return ORDER[first : ORDER.index(self.until) + 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepState:
    step: Step
    status: StepStatus = StepStatus.WAITING
    job: Job | None = None
    """The step's job as it was last seen, with its output once it has ended."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What became of the backend override before init. ``why`` is a sentence; ``warning`` another one, on what a written one
    does not do, or takes away, empty where there is nothing to say."""

    status: Literal["written", "kept", "not_needed", "not_written"]
    why: str
    warning: str = ""

    @property
    def words(self) -> str:
        """All of it in one line."""
        return f"{self.why}. But {self.warning}" if self.warning else self.why


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A plan as it was shown. ``digest`` is of all that ``show`` printed."""

    plan: Plan = field(repr=False)
    plan_file: str
    digest: str

    @property
    def destroyed(self) -> tuple[str, ...]:
        """Addresses of the objects that exist now and will be gone, those that are replaced among them."""
        return tuple(change.address for change in self.plan.changes if change.destroys)

    @property
    def nothing_to_apply(self) -> bool:
        """Whether the engine itself says that applying it makes no sense."""
        return self.plan.applyable is False and not self.plan.errored


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainState:
    request: ChainRequest
    plan_file: str
    steps: tuple[StepState, ...]
    placed: Placed | None = None
    review: Review | None = None
    reinitialised: bool = False
    ended: bool = False

    def of(self, step: Step) -> StepState:
        """The state of a step; one that is not part of this chain reads as skipped."""
        return next((one for one in self.steps if one.step is step), StepState(step=step, status=StepStatus.SKIPPED))

    def at(self, step: Step, status: StepStatus, *, job: Job | None = None, note: str = "") -> ChainState:
        """This state with one step's replaced."""
        new = StepState(step=step, status=status, job=job, note=note)
        return replace(self, steps=tuple(new if one.step is step else one for one in self.steps))

    @property
    def broken(self) -> StepState | None:
        """The step at which it stopped, ``None`` while it has not and where it went through."""
        ends = {StepStatus.FAILED, StepStatus.STOPPED, StepStatus.UNKNOWN}
        return next((one for one in self.steps if one.status in ends), None)

    @property
    def verdict(self) -> Verdict:
        broken = self.broken
        if broken is not None:
            return Verdict.UNKNOWN if broken.status is StepStatus.UNKNOWN else Verdict.BAD
        return Verdict.GOOD if self.ended else Verdict.PENDING


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainEvent:
    """Something happened: ``text`` says what, ``state`` is how everything stands since."""

    at: datetime
    text: str
    state: ChainState
    step: Step | None = None
    job: Job | None = None


def begun(request: ChainRequest, plan_file: str) -> ChainState:
    return ChainState(request=request, plan_file=plan_file, steps=tuple(StepState(step=step) for step in request.steps))


def own_plan_file(usual: str, suffix: str) -> str:
    """``session-7f3a2b1c.plan`` for ``session.plan``: a name that no other chain overwrites. At most 128 characters."""
    stem, extension = splitext(usual)
    extension = extension[:32]
    return f"{stem[: 127 - len(suffix) - len(extension)]}-{suffix}{extension}"


def job_request(step: Step, state: ChainState) -> SubmitRequest:
    """What is sent for a step. Raises :class:`msgspec.ValidationError` for a value out of the contract's bounds."""
    return _REQUESTS[step](state.request, state.plan_file)


_REQUESTS: dict[Step, Callable[[ChainRequest, str], SubmitRequest]] = {
    Step.INIT: lambda asked, _: InitRequest(
        workspace_path=asked.workspace, scope_id=asked.scope, terraform_provider=asked.provider
    ),
    Step.VALIDATE: lambda asked, _: ValidateRequest(workspace_path=asked.workspace),
    Step.PLAN: lambda asked, plan_file: PlanRequest(
        workspace_path=asked.workspace,
        scope_id=asked.scope,
        terraform_provider=asked.provider,
        plan_file=plan_file,
        targets=asked.targets,
    ),
    Step.SHOW: lambda asked, plan_file: ShowRequest(workspace_path=asked.workspace, plan_file=plan_file),
    Step.APPLY: lambda asked, plan_file: ApplyRequest(
        workspace_path=asked.workspace, scope_id=asked.scope, terraform_provider=asked.provider, plan_file=plan_file
    ),
}

_FRAME = re.compile(r"[\u2500-\u257f|\s]+")
_SGR = re.compile(r"\x1b\[[0-9;]*m")
_ASKS = re.compile(r"\b(terraform|tofu) init\b")


def asks_for_init(texts: Iterable[str]) -> bool:
    """Whether an engine's output tells to run init. Terraform and OpenTofu each name themselves, and wrap and frame lines."""
    said = " ".join(_FRAME.sub(" ", _SGR.sub("", text)) for text in texts)
    return _ASKS.search(said.replace("`", "").replace('"', "").lower()) is not None


def digest(shown: str) -> str:
    """Of what ``show -json`` printed, the same for the same plan however its members are ordered."""
    try:
        raw = msgspec.json.encode(msgspec.json.decode(shown), order="sorted")
    except (msgspec.DecodeError, RecursionError):
        raw = shown.encode(errors="replace")
    return hashlib.sha256(raw).hexdigest()
