"""What a discovery is asked for, and what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.finding import Finding
from kumoss_console.model.importdiff import Comparison, StateIds
from kumoss_console.model.job import Job
from kumoss_console.model.suppressions import Suppression
from kumoss_console.services.discovery.states import BucketLook


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryRequest:
    """``key`` names the workspace's own state in the bucket where the operator knows it; ``number`` is a Google project's.

    ``state_ids`` and ``cloud_ids`` are listings at hand: what is ``None`` is asked for in a job. ``state`` is the workspace's
    state at hand as a document. ``suppressions`` are read from the operator's usual file where ``None``. Without ``bucket`` no
    other state is read.
    """

    workspace: str
    scope: str
    provider: CloudProvider
    key: str = ""
    number: str = ""
    state_ids: tuple[str, ...] | None = None
    cloud_ids: tuple[str, ...] | None = None
    state: StateIds | None = None
    suppressions: tuple[Suppression, ...] | None = None
    bucket: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """A discovery as far as it is. ``jobs`` are the state listing's and the scope listing's, from when they are recorded on: one
    that the service has not taken yet, or gave no answer about, has an entry and no id.

    ``comparison`` is there in the last one, unless ``stopped`` says why there is none. ``covered`` are the suppressions in force
    by the identifier they cover.
    """

    request: DiscoveryRequest
    jobs: tuple[Job, ...]
    bucket: BucketLook
    at: datetime
    complete: bool = False
    stopped: str = ""
    error: ConsoleError | None = None
    comparison: Comparison | None = None
    covered: Mapping[str, Suppression] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
