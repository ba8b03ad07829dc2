"""What the services see of the outside world. Adapters satisfy these; tests bring fakes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol
from uuid import UUID

from kumoss_console.errors import ServiceError
from kumoss_console.model.contract import Accepted, JobDocument, SubmitRequest
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.job import Job
from kumoss_console.model.journal import Changes, Claim, Merged, Pruned

if TYPE_CHECKING:
    from kumoss_console.model.lock import LockDocument, LockMechanism, Removal, RemovalOutcome
    from kumoss_console.model.state.head import KnownHead


class Clock(Protocol):
    """UTC wall time, aware."""

    def __call__(self) -> datetime: ...


class Busy(ServiceError):
    """The service answers and asks us to come back later. ``retry_after`` in seconds, ``None`` where it named no time."""

    default_code = "service.busy"

    def __init__(
        self, title: str, *, detail: str = "", hint: str = "", code: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(title, detail=detail, hint=hint, code=code)
        self.retry_after = retry_after


class SubmissionUnclear(ServiceError):
    """The request went out and may have been accepted: no answer came, or one that does not tell.

    Whoever catches it must not send again without a person's word. ``job_id`` is the id that the answer named, if any.
    """

    default_code = "sidecar.no_answer"
    may_have_been_accepted = True

    def __init__(
        self, title: str, *, detail: str = "", hint: str = "", code: str | None = None, job_id: UUID | None = None
    ) -> None:
        super().__init__(title, detail=detail, hint=hint, code=code)
        self.job_id = job_id


class Sidecar(Protocol):
    """The ten paths of the IaC service. Every call raises a :class:`~kumoss_console.errors.ServiceError` of its own kind."""

    @property
    def endpoint(self) -> str: ...

    async def health(self) -> float:
        """Seconds that ``GET /healthz`` took. Needs no token."""
        ...

    async def token_accepted(self) -> bool:
        """Whether the service takes our token, asked with a job id that cannot exist."""
        ...

    async def open_to_all(self) -> bool:
        """Whether the service answers the same question without any token."""
        ...

    async def submit(self, request: SubmitRequest) -> Accepted:
        """Send it once. :class:`SubmissionUnclear` where it may have been accepted; any other error says that it was not."""
        ...

    async def job(self, job_id: UUID) -> JobDocument:
        """The job's document; :class:`~kumoss_console.errors.NotFound` where the service has forgotten it."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInfo:
    """One object of a store. ``key`` is as the store has it: hostile until printed. ``size`` in bytes.

    ``leased`` is whether the object itself is locked, ``None`` where a store keeps no such locks (S3: a lock is an object of its
    own); ``lock`` what its holder wrote, where one look tells that, which a listing does not.
    """

    key: str
    size: int
    modified: datetime | None
    etag: str | None
    version_id: str | None = None
    leased: bool | None = None
    lock: LockDocument | None = field(default=None, compare=False)
    """With ``leased`` the lock; without, what a lock that is held no longer left on the object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingPage:
    """Some objects of a listing, in key order. ``cursor`` leads to the next page, opaque; ``None`` at the end."""

    objects: tuple[ObjectInfo, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectContent:
    """An object, whole, with what the same answer said of it."""

    info: ObjectInfo
    content: bytes


VersionKind = Literal["version", "delete_marker", "snapshot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectVersion:
    """One version of an object, or the mark that it was deleted. ``size`` and ``etag`` are ``None`` for a delete marker.

    ``latest`` is the one a plain read gives: none where the newest is a delete marker. ``version_id`` is opaque and goes back
    to :meth:`ObjectStore.fetch`; ``"null"`` on S3 for what was written before versioning.
    """

    key: str
    version_id: str
    kind: VersionKind
    latest: bool
    size: int | None
    modified: datetime | None
    etag: str | None


class StoreExaminer(Protocol):
    """Finds out what a store really does. Neither raises for what the store answers: that is what the aspects are for."""

    def examine(self, *, thorough: bool = True) -> AsyncGenerator[Aspect, None]:
        """Every aspect that reading tells, as each is known. Writes nothing.

        Without ``thorough`` only what the store itself says of the bucket: no other service and no handshake of our own.
        """
        ...

    def try_writes(self, key: str) -> AsyncGenerator[Aspect, None]:
        """What only writing tells, on ``key``, which must be empty and is empty again afterwards, versions and all. Closed
        between two aspects it removes what was written; cancelled, it leaves it.

        :class:`~kumoss_console.errors.Refused` (``store.exists``) where something lies there; an error of the store where
        what was written could not be removed, which names the key.
        """
        ...


class ObjectStore(Protocol):
    """A bucket or container.

    A missing object is :class:`~kumoss_console.errors.NotFound`, never an empty one; a missing bucket is another
    :class:`~kumoss_console.errors.ServiceError`, since nobody could look for the object.
    """

    @property
    def label(self) -> str:
        """Bucket and host in words, without secrets."""
        ...

    @property
    def seeks(self) -> bool:
        """Whether :meth:`page` can begin behind any key: a listing is then asked for in parts, many at once. Where it cannot
        (``after`` is left out then), one page leads to the next."""
        ...

    def pages(self, prefix: str = "") -> AsyncIterator[tuple[ObjectInfo, ...]]:
        """The listing under ``prefix``, a page at a time, in key order within the prefix."""
        ...

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
        """One page under ``prefix``: from ``cursor``, else of the keys behind ``after``, at most ``limit`` of them."""
        ...

    async def head(self, key: str) -> ObjectInfo: ...

    async def get(self, key: str) -> bytes: ...

    async def get_range(self, key: str, start: int, length: int, *, version: str | None = None) -> bytes:
        """At most ``length`` bytes from ``start``; fewer at the end of the object."""
        ...

    async def fetch(self, key: str, *, version: str | None = None) -> ObjectContent:
        """The object, or that version of it, with its ETag. A delete marker is a missing object."""
        ...

    async def fetch_range(self, key: str, start: int, length: int, *, version: str | None = None) -> ObjectContent:
        """At most ``length`` bytes from ``start``, with what the same answer said of the whole object: its size, its ETag."""
        ...

    async def versions(self, key: str) -> tuple[ObjectVersion, ...]:
        """Every version of exactly this key, newest first, empty where the store has never had one.

        :class:`~kumoss_console.errors.ServiceError` with the code ``store.versions_unsupported`` where the store knows none.
        """
        ...

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        """Write it. With ``if_absent``, :class:`~kumoss_console.errors.Refused` (``store.exists``) where the store says that
        something lies there; a store that ignores conditions overwrites."""
        ...

    async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
        """Delete the object, or that version of it.

        With ``etag``, :class:`~kumoss_console.errors.Refused` (``store.changed``) where the store says that another object lies
        there by now; a store that ignores conditions deletes whatever is there, and one that refuses them is a
        :class:`~kumoss_console.errors.ServiceError` with the code ``store.conditions_unsupported``.
        """
        ...

    async def check(self) -> float:
        """Seconds that one cheap authorised request on the bucket took."""
        ...

    @property
    def examiner(self) -> StoreExaminer | None:
        """What finds out what this store really does; ``None`` where nobody has written one for its kind."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LockSighting:
    """A lock as it was seen at one moment. ``key`` is that of the state, hostile until printed.

    ``proof`` is what the keeper needs to tell this lock from another one later, opaque (an ETag, a lease with its blob's ETag, a
    row's text); ``None`` where nothing can tell. ``where`` is where it lies, in words and printable. ``raw`` is the document as
    it was found: the lock object's bytes, the decoded metadata, the row's text; empty where there is none.
    """

    key: str
    mechanism: LockMechanism
    document: LockDocument
    proof: str | None
    modified: datetime | None
    where: str
    raw: bytes = b""


class LockKeeper(Protocol):
    """Looks at the lock of one state, and removes one that was looked at. Raises a
    :class:`~kumoss_console.errors.ServiceError` where the store or the table cannot be asked."""

    @property
    def mechanism(self) -> LockMechanism: ...

    async def look(self, key: str) -> LockSighting | None:
        """The lock on the state ``key``; ``None`` where one was looked for and none is held."""
        ...

    async def remove(self, sighting: LockSighting) -> str | None:
        """Remove that lock and no other one.

        :class:`~kumoss_console.errors.Refused` with the code ``lock.changed`` where another lock is there by now, and with
        ``lock.gone`` where none is. ``None``, or in a sentence what could not be made sure of: a store that knows no conditions
        leaves a moment between the last look and the removal.
        """
        ...


class LockFinder(LockKeeper, Protocol):
    """A keeper of locks that no listing of keys shows: leases, and rows of a table."""

    async def held(self) -> tuple[LockSighting, ...]:
        """Every lock on a state of this bucket or container, in key order."""
        ...


class LockTable(LockFinder, Protocol):
    """A DynamoDB table, which keeps the MD5 of each state beside the locks: an engine refuses a state that is another one."""

    async def digest(self, key: str) -> str | None:
        """The MD5 of the state ``key`` that the table has, in hexadecimal; ``None`` where it has none."""
        ...


class HeadCache(Protocol):
    """Heads of objects on disk, by the label of their store, by key and ETag (without quotes). Calls block."""

    def load(self, store: str) -> dict[tuple[str, str], KnownHead]:
        """What was saved for that store; empty where that is nothing, or cannot be read."""
        ...

    def save(self, store: str, heads: Mapping[tuple[str, str], KnownHead]) -> None:
        """Keep them, the ones used last at the end. What cannot be kept is no error: it is read again."""
        ...


class LockJournal(Protocol):
    """The locks that were removed with this console. Raises as :class:`JobJournal` does."""

    async def removing(self, removal: Removal) -> int:
        """Before it is removed. The journal's number for it."""
        ...

    async def removed(self, entry: int, outcome: RemovalOutcome, note: str) -> None:
        """What became of it."""
        ...

    async def removals(self, context: str, limit: int) -> tuple[Removal, ...]:
        """Newest first."""
        ...


class JobJournal(LockJournal, Protocol):
    """What this console knows of jobs, kept across restarts and shared by several consoles.

    An ``entry`` is the journal's own number for a job. Rows of a list come without their output (``stdout``, ``stderr``); a
    single job comes with it. Raises :class:`~kumoss_console.errors.Refused` where the journal cannot be read or written.
    """

    @property
    def notices(self) -> tuple[str, ...]:
        """What happened to the journal that an operator should know, such as a damaged file set aside."""
        ...

    async def record(self, context: str, request: SubmitRequest, now: datetime) -> int:
        """Before it is sent. Until the answer is in, the job reads *sent, no answer*."""
        ...

    async def accept(self, entry: int, job_id: UUID, now: datetime) -> None:
        """The service took it and gave it this id."""
        ...

    async def adopt(self, context: str, job_id: UUID, now: datetime) -> int:
        """A job submitted elsewhere, known by its id. The entry that exists already where there is one."""
        ...

    async def save(self, job: Job) -> None:
        """What became of it. An end that is already recorded is never overwritten by older news."""
        ...

    async def share(
        self, saved: Sequence[Job], released: Iterable[int], claims: Sequence[Claim], now: datetime, busy: float
    ) -> frozenset[int]:
        """One transaction: save these, give these looks back, and claim those. The entries whose claim was granted.

        A look is claimed so that several consoles do not ask about one job each. A claim that is not given back within
        ``busy`` seconds lapses.
        """
        ...

    async def unclaim(self, entries: Iterable[int]) -> None:
        """Those claims came to nothing: whoever wants to look may."""
        ...

    async def changes(self, context: str, since: tuple[int, int] | None, limit: int) -> Changes:
        """What was written since that revision, by any console; the newest ``limit`` and all open ones for ``None``."""
        ...

    async def silent(self, context: str, job_id: str, now: datetime) -> datetime:
        """The service was asked in vain: since when, by any console. ``job_id`` is empty where that says nothing of one job."""
        ...

    async def answered(self, context: str, job_id: str) -> None:
        """The service answered about that job: any silence about it, and about all, is over."""
        ...

    async def prune(self, now: datetime) -> Pruned:
        """Let go of what is too old, or too much."""
        ...

    async def merge(self, jobs: Sequence[Job]) -> Merged:
        """Jobs of another journal, all of them or none. An end known there completes a job that is open here."""
        ...

    async def open_contexts(self) -> tuple[str, ...]:
        """The contexts with jobs whose end is not known."""
        ...

    async def entries(self, context: str | None) -> tuple[int, ...]:
        """The entries of a context, of all contexts for ``None``, oldest first."""
        ...

    async def jobs(self, context: str, limit: int) -> tuple[Job, ...]:
        """Newest first."""
        ...

    async def unfinished(self, context: str) -> tuple[Job, ...]:
        """Those with an id whose end is not known, newest first."""
        ...

    async def by_id(self, context: str, job_id: UUID) -> Job | None: ...

    async def by_entry(self, entry: int) -> Job | None: ...

    async def by_prefix(self, context: str, prefix: str, limit: int) -> tuple[Job, ...]:
        """Jobs whose id begins so, newest first."""
        ...

    def close(self) -> None: ...
