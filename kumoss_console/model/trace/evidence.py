"""What was found out about one project or workspace, layer by layer, before anybody judges it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from kumoss_console.model.backend.result import Layer as Source
from kumoss_console.model.corelog import LoggedState
from kumoss_console.model.finding import Finding
from kumoss_console.model.storage import Ownership, StorageSettings
from kumoss_console.model.trace.kept import Kept
from kumoss_console.model.trace.place import Place
from kumoss_console.model.trace.suspects import Around, Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The core's override on disk. ``beaten_by`` names the override file that replaces it, empty where it is in force."""

    file: str
    place: Place | None
    at: datetime | None
    beaten_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """What a core's log says: how many of its lines there are, and the one for this project."""

    lines: int
    found: LoggedState | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the workspace's files, with the sidecar's over them, make the next init bind.

    ``place`` is ``None`` where the engine refuses. ``key_from`` is the layer that the key stands in and ``key_at`` its place.
    ``block`` is whether there is a backend block at all, ``complete`` whether every file that may matter was read. ``beats`` is
    the key of the repository's own block that a file given to init replaces, with its place; empty where it replaces none.
    """

    place: Place | None
    block: bool
    key_from: Source | None = None
    key_at: str = ""
    complete: bool = True
    beats: str = ""
    changed: datetime | None = None
    """When the youngest of the module's files that the place stands in was written; ``None`` where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitJob:
    """The newest init of the workspace in the journal. ``backend`` is the type its output says was configured."""

    name: str
    at: datetime
    good: bool | None
    summary: str
    backend: str | None = None
    scope: str = ""
    missing_block: bool = False
    """Whether it warned that a file was given and no backend block exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A sign that a state was written before: ``words`` go after *though*. ``at`` is when, ``None`` where that is not known."""

    words: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What the engine bound. ``unknown`` with its reason in ``detail`` where nobody could look."""

    status: Literal["bound", "unbound", "unreadable", "unknown"]
    place: Place | None = None
    at: datetime | None = None
    detail: str = ""
    version: str | None = None
    init: InitJob | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What the store holds at one key; ``detail`` says why something is not known.

    ``role`` is why the key was looked at, in words; ``version`` the version id that the store gave the object, ``None`` where
    it gave none; ``kept`` its earlier versions, ``None`` where nobody asked.
    """

    key: str
    status: Literal["present", "absent", "unknown"]
    role: str = ""
    readable: bool = False
    serial: int | None = None
    lineage: str | None = None
    engine_version: str | None = None
    resources: int | None = None
    size: int | None = None
    modified: datetime | None = None
    lock_status: Literal["unlocked", "locked", "unknown"] = "unknown"
    holder: str = ""
    operation: str = ""
    since: datetime | None = None
    version: str | None = None
    kept: Kept | None = None
    detail: str = ""
    owner: str = ""
    unanswered: bool = False
    """Whether the store was asked and did not answer, which is another thing than a place that is not looked at."""
    unreachable: bool = False
    """Whether nothing answered at all: that the sidecar reaches it is another question."""
    why: str = ""
    """What is known of why it did not answer, beside that it did not; empty for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Another workspace that has a key of this trace. ``module`` is its path in the same clone, empty for one elsewhere.

    ``bound`` is false where only its override names the key; ``at`` is when it was bound, ``folder`` where it lies.
    """

    name: str
    folder: str
    key: str
    bound: bool
    module: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBlock:
    """The backend block of the repository's plain files, at ``at``; ``erased`` where an override replaces it, and then ``stored``
    is what lies at the place it names."""

    place: Place
    at: str
    erased: bool
    stored: Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A state that exists at another key, which may be the one that is missed. ``why`` tells how the keys are related.

    ``strong`` where nothing but an earlier life of this very project would have that key.
    """

    why: str
    identity: Identity
    stored: Stored
    strong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the judge looks at. ``stored`` is by object key of this context's store.

    ``derived`` is where the core would write for the project, ``None`` where no project is known or managed state is off.
    ``identities`` are the projects that keys were found to belong to, by project id. ``sharing`` names other workspaces that are
    bound to the same place. ``inspection`` are the findings about the workspace's files, ``around`` the
    clone that its folder lies in.

    ``engine_label`` is the engine the files were read for, ``engine_assumed`` where nobody named it with its
    version, ``engine_note`` how that is known. ``selected`` is the engine's
    workspace, ``context`` this context's name, ``local`` the state in the file that the engine bound, under its
    path, ``beside`` the plain ``terraform.tfstate`` of the folder where something else is bound. ``applied`` are signs of an
    apply, the journal's and those of files that an engine leaves. ``lent`` is
    the bucket of the repository that was looked into with managed state off, at the endpoint of this context.
    """

    now: datetime
    storage: StorageSettings
    ownership: Ownership
    override_name: str
    sidecar_file: str | None = None
    workspace: str | None = None
    project: Identity | None = None
    project_from: str = ""
    around: Around | None = None
    derived: Place | None = None
    written: Written | None = None
    logged: Logged | None = None
    declared: Declared | None = None
    engine: Engine = field(default_factory=lambda: Engine(status="unknown", detail="no workspace was given"))
    engine_name: str = "tofu"
    engine_label: str = ""
    engine_assumed: bool = False
    engine_note: str = ""
    selected: str = "default"
    context: str = ""
    local: Stored | None = None
    beside: Stored | None = None
    own: OwnBlock | None = None
    applied: tuple[Applied, ...] = ()
    stored: dict[str, Stored] = field(default_factory=dict)
    store_label: str = ""
    lent: str = ""
    candidates: tuple[Candidate, ...] = ()
    identities: dict[str, Identity] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    """Those that were tried for whose a key is: the journal's and the configuration's."""
    sharing: tuple[str, ...] = ()
    holders: tuple[Holder, ...] = ()
    """Other workspaces that have one of the keys of this one."""
    inspection: tuple[Finding, ...] = ()

    @property
    def reads(self) -> StorageSettings:
        """The settings of the store that was looked at: with managed state off, the repository's bucket at the same endpoint."""
        return replace(self.storage, terraform_state_bucket=self.lent) if self.lent else self.storage
