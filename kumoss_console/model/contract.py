"""The wire types of the IaC sidecar, shared by the client and the bundled service.

A request object that exists is a request the contract accepts: every constructor checks the limits, so neither the client
can send nor the service can run one that is out of bounds. Lengths are in characters. Source: the sidecar's HTTP contract,
ten paths, eight job kinds; kinds use underscores where URLs use hyphens.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, ClassVar
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

JOB_TTL_SECONDS = 3600
"""How long the sidecar remembers a job after it ended."""

# Outside these, arithmetic on a time (its zone, its expiry) leaves the calendar.
EARLIEST_YEAR, LATEST_YEAR = 2, 9998


class JobKind(StrEnum):
    INIT = "init"
    VALIDATE = "validate"
    PLAN = "plan"
    SHOW = "show"
    APPLY = "apply"
    IMPORT = "import"
    STATE_RESOURCE_IDS = "state_resource_ids"
    SCOPE_RESOURCE_IDS = "scope_resource_ids"


class CloudProvider(StrEnum):
    AZURE = "azure"
    GCP = "gcp"
    AWS = "aws"
    OCI = "oci"
    KUBERNETES = "kubernetes"


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


WorkspacePath = Annotated[str, Meta(min_length=1, max_length=4096)]
ScopeId = Annotated[str, Meta(min_length=1, max_length=1024)]
# ``\Z``, not ``$``: the latter would let a trailing newline through.
PlanFile = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,128}\Z")]
Target = Annotated[str, Meta(min_length=1, max_length=1024)]
Targets = Annotated[tuple[Target, ...], Meta(max_length=256)]
ResourceText = Annotated[str, Meta(min_length=1, max_length=4096)]


_TYPES = {"str": "text", "int": "number", "float": "number", "bool": "boolean", "array": "list"}
_AT = re.compile(r"(?s)(.*) - at `\$\.?([^`]*)`\Z")
_WORDS = (
    (re.compile(r"Expected `str` matching regex '.*'"), "1 to 128 letters, digits, dots, underscores or hyphens are wanted"),
    (re.compile(r"Expected `str` of length >= 1\b"), "it is empty"),
    (re.compile(r"Expected `str` of length <= (\d+)"), r"it has more than \1 characters"),
    (re.compile(r"Expected `array` of length <= (\d+)"), r"there are more than \1 of them"),
    (re.compile(r"Invalid enum value (.*)"), r"\1 is none of those that are accepted"),
    (re.compile(r"Object contains unknown field `([^`]*)`"), r"\1 is no field of this request"),
    (re.compile(r"Object missing required field `([^`]*)`"), r"\1 is missing"),
)
_EXPECTED = re.compile(r"Expected `(\w+)`, got `(\w+)`")


def in_words(violation: str) -> str:
    """What :class:`msgspec.ValidationError` says of a request, for people: ``targets[0]: it is empty``."""
    found = _AT.match(violation)
    said, where = (found[1], found[2]) if found else (violation, "")
    for pattern, words in _WORDS:
        said = pattern.sub(words, said)
    said = _EXPECTED.sub(lambda kinds: f"{_TYPES.get(kinds[1], kinds[1])} wanted, not {_TYPES.get(kinds[2], kinds[2])}", said)
    return f"{where}: {said}" if where and not where.startswith("[") else said


@cache
def _field_types(struct: type[Struct]) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.type) for field in msgspec.structs.fields(struct))


class SubmitRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every submission has. Raises :class:`msgspec.ValidationError` naming the field that is out of bounds."""

    kind: ClassVar[JobKind]
    path: ClassVar[str]

    workspace_path: WorkspacePath

    def __post_init__(self) -> None:
        for name, expected in _field_types(type(self)):
            try:
                value = msgspec.convert(getattr(self, name), expected, strict=True)
            except msgspec.ValidationError as error:
                raise msgspec.ValidationError(f"{name}: {in_words(str(error))}") from None
            for text in value if isinstance(value, tuple) else (value,):
                if not _is_encodable(text):
                    raise msgspec.ValidationError(f"{name}: holds characters that UTF-8 cannot carry")
            # A list of targets becomes a tuple, "azure" the enum's member: what is held is what the annotation says.
            msgspec.structs.force_setattr(self, name, value)


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Scoped(SubmitRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    scope_id: ScopeId
    terraform_provider: CloudProvider


class InitRequest(_Scoped, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind = JobKind.INIT
    path = "/v1/init"


class ValidateRequest(SubmitRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind = JobKind.VALIDATE
    path = "/v1/validate"


class PlanRequest(_Scoped, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind = JobKind.PLAN
    path = "/v1/plan"

    plan_file: PlanFile
    targets: Targets = ()


class ShowRequest(SubmitRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind = JobKind.SHOW
    path = "/v1/show"

    plan_file: PlanFile


class ApplyRequest(_Scoped, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind = JobKind.APPLY
    path = "/v1/apply"

    plan_file: PlanFile


class ImportRequest(_Scoped, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind = JobKind.IMPORT
    path = "/v1/import"

    address: ResourceText
    resource_id: ResourceText


class StateResourceIdsRequest(SubmitRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind = JobKind.STATE_RESOURCE_IDS
    path = "/v1/import/state-resource-ids"


class ScopeResourceIdsRequest(_Scoped, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind = JobKind.SCOPE_RESOURCE_IDS
    path = "/v1/import/scope-resource-ids"


REQUESTS: tuple[type[SubmitRequest], ...] = (
    InitRequest,
    ValidateRequest,
    PlanRequest,
    ShowRequest,
    ApplyRequest,
    ImportRequest,
    StateResourceIdsRequest,
    ScopeResourceIdsRequest,
)
REQUEST_BY_KIND: dict[JobKind, type[SubmitRequest]] = {request.kind: request for request in REQUESTS}


class Accepted(Struct, frozen=True):
    """The body of a 202."""

    job_id: UUID
    status: JobStatus


def _about_blank() -> str:
    return "about:blank"


class Problem(Struct, frozen=True, omit_defaults=True):
    """An RFC 7807 problem document. The reference puts its text in ``title`` or in ``detail``: read both."""

    title: str
    status: int
    # The contract requires the member also where it says nothing: a value from a factory is never left out.
    type: str = msgspec.field(default_factory=_about_blank)
    detail: str | None = None
    instance: str | None = None


class JobResult(Struct, frozen=True):
    """What the engine answered. ``exit_code`` is negative where a signal ended the process."""

    exit_code: Annotated[int, Meta(ge=-(2**31), lt=2**32)]
    stdout: str
    stderr: str


class JobDocument(Struct, frozen=True, kw_only=True):
    """A job as the service reports it: eight keys, always all present.

    ``result`` is there if and only if the status is ``succeeded``, ``error`` if and only if it is ``failed``: a document that
    breaks this cannot be made (:class:`msgspec.ValidationError`). ``succeeded`` says that the service did its part, not that
    the command did: read ``result.exit_code``. Times are aware UTC; one without an offset is read as the UTC it must be.
    """

    job_id: UUID
    kind: JobKind
    status: JobStatus
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    result: JobResult | None
    error: Problem | None

    def __post_init__(self) -> None:
        for name, value, owner in (("result", self.result, JobStatus.SUCCEEDED), ("error", self.error, JobStatus.FAILED)):
            if (value is not None) != (self.status is owner):
                state = "without" if value is None else "with"
                raise msgspec.ValidationError(f"a job that is {self.status.value} {state} {name!r}")
        for name in ("created_at", "started_at", "finished_at"):
            moment: datetime | None = getattr(self, name)
            if moment is None:
                continue
            if not EARLIEST_YEAR <= moment.year <= LATEST_YEAR:
                raise msgspec.ValidationError(f"{name} lies in the year {moment.year}")
            utc = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
            msgspec.structs.force_setattr(self, name, utc)
