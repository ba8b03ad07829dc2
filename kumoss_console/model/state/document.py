"""What is read from a document in the bucket, as values. No attribute and no sensitive output of a state is in here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from kumoss_console.model.dependency_lock import ProviderLock
from kumoss_console.model.finding import Finding
from kumoss_console.model.lock import LockDocument


class DocumentKind(StrEnum):
    """What a document is, in the words of the command line."""

    STATE = "state"
    LOCK = "lock"
    ENCRYPTED = "encrypted"
    PLAN = "plan"
    DEPENDENCY_LOCK = "dependency_lock"
    UNKNOWN = "unknown"


class Form(StrEnum):
    """What a document is, told apart as finely as its bytes allow."""

    STATE = "state"
    DAMAGED = "damaged-state"
    EMPTY = "empty"
    NOT_A_STATE = "not-a-state"
    ENCRYPTED = "encrypted-state"
    COMPRESSED = "compressed"
    PLAN_FILE = "plan-file"
    BACKEND_CACHE = "backend-cache"
    LOCK = "lock"
    DEPENDENCY_LOCK = "dependency-lock"


Engine = Literal["terraform", "opentofu"]
Mode = Literal["managed", "data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Resources are distinct addresses, instances are current objects; deposed objects are counted on their own.

    ``tainted`` counts current objects, ``modules`` the distinct module addresses other than the root.
    """

    resources_managed: int = 0
    resources_data: int = 0
    instances_managed: int = 0
    instances_data: int = 0
    deposed: int = 0
    tainted: int = 0
    outputs: int = 0
    outputs_sensitive: int = 0
    modules: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceRow:
    """One object. ``deposed`` is its deposed key, empty for the current object; ``identifier`` is the arn, else the id."""

    address: str
    identifier: str | None
    tainted: bool = False
    deposed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRow:
    """One resource, its objects merged over all entries that name it. ``module`` is empty for the root module."""

    address: str
    mode: Mode
    module: str
    type: str
    name: str
    provider: str
    instances: tuple[InstanceRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRow:
    """``value`` is compact JSON, or the mask where the output is sensitive or named like a secret."""

    name: str
    sensitive: bool
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRow:
    """One provider configuration that resources of the state name. ``source`` is its address, ``alias`` empty for the default
    one; ``written`` is what the state has. ``objects`` counts deposed ones as well."""

    source: str
    alias: str
    written: str
    resources: int
    objects: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedObject:
    """One object that was checked. ``messages`` are the module author's, with what looks like a secret masked."""

    address: str
    status: str
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """The result of the checks on one thing of the configuration, as of the last apply.

    ``kind`` is ``resource``, ``output_value``, ``check`` or ``input_variable``; ``status`` is ``pass``, ``fail``, ``error`` or
    ``unknown``, or whatever a later engine writes.
    """

    kind: str
    address: str
    status: str
    objects: tuple[CheckedObject, ...] = ()

    @property
    def failed(self) -> bool:
        return self.status in {"fail", "error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A managed object without a usable identifier."""

    address: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendCache:
    """``.terraform/terraform.tfstate``: what an engine bound. Values as text, credentials masked, absent ones left out."""

    type: str
    config: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Everything read from the body of a state. ``violations`` are what makes an engine refuse it, in the engine's words."""

    counts: Counts
    ids: tuple[str, ...] = ()
    ids_only_from_deposed: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    resources: tuple[ResourceRow, ...] = ()
    outputs: tuple[OutputRow, ...] = ()
    checks: tuple[CheckRow, ...] = ()
    engine: Engine | None = None
    violations: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDocument:
    """A document, read as far as it can be.

    ``readable`` says whether an engine takes it. Where it does not, ``reason`` says why, ``engine_error`` what the engine
    prints (``None`` where it prints nothing or we do not know), ``ids`` is empty and ``recovered_ids`` is what could be read
    all the same. ``counts``, ``serial`` and the like are ``None`` where the document does not tell.
    """

    kind: DocumentKind
    form: Form
    readable: bool
    size: int
    reason: str = ""
    engine_error: str | None = None
    format_version: int | None = None
    engine_version: str | None = None
    engine: Engine | None = None
    serial: int | None = None
    lineage: str | None = None
    counts: Counts | None = None
    ids: tuple[str, ...] = ()
    ids_only_from_deposed: tuple[str, ...] = ()
    recovered_ids: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    resources: tuple[ResourceRow, ...] = ()
    outputs: tuple[OutputRow, ...] = ()
    checks: tuple[CheckRow, ...] = ()
    backend: BackendCache | None = None
    key_providers: tuple[str, ...] = ()
    encryption_version: str | None = None
    lock: LockDocument | None = None
    providers: tuple[ProviderLock, ...] = ()
    findings: tuple[Finding, ...] = ()
