"""Which state is active for a project or a workspace: the evidence of three layers, gathered, and the verdict on it.

Nothing is run and nothing is changed: files are read, the journal is asked, and the store is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kumoss_console.errors import InputError, Refused
from kumoss_console.model.context import Context
from kumoss_console.model.corelog import LoggedState, last_for, logged_states
from kumoss_console.model.trace import (
    Engine,
    Evidence,
    Logged,
    Place,
    Stored,
    Trace,
    judge,
    outside,
    written_place,
)
from kumoss_console.model.trace.judge import core_place
from kumoss_console.model.trace.place import default_place, lent_bucket
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.backend.effective import WorkspaceBackend, WorkspaceBackendService
from kumoss_console.services.trace.applied import applied_elsewhere
from kumoss_console.services.trace.files import declared_of, engine_of, ownership_of, written_of
from kumoss_console.services.trace.holders import doubtful, holders
from kumoss_console.services.trace.jobs import Told, told_by
from kumoss_console.services.trace.look import Look
from kumoss_console.services.trace.near import near_misses
from kumoss_console.services.trace.others import keys_of_others, sharing
from kumoss_console.services.trace.own import own_block, own_looked
from kumoss_console.services.trace.project import Asked, Surveyed, Surveyor, Witness
from kumoss_console.services.trace.roles import with_roles
from kumoss_console.services.workspaces.service import WorkspaceListService

_PLAIN = "terraform.tfstate"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gathered:
    """What the files, the log and the journal say, before the store is asked."""

    inspected: WorkspaceBackend | None
    engine: Engine
    logged: Logged | None
    lines: tuple[LoggedState, ...]
    told: Told


class TraceService:
    """Traces of one context. ``store`` is ``None`` where there is none to read; ``survey`` reads the clone around a folder.

    ``lend`` gives the store of another bucket at this context's endpoint, ``None`` where that cannot be had.
    """

    def __init__(
        self,
        context: Context,
        *,
        store: ObjectStore | None,
        journal: Callable[[], JobJournal],
        workspaces: WorkspaceBackendService,
        listing: WorkspaceListService,
        surveyor: Surveyor,
        clock: Clock,
        off_loop: OffLoop,
        lend: Callable[[str], ObjectStore | None] = lambda bucket: None,
    ) -> None:
        self._lend = lend
        self._context = context
        self._look = Look(store, context.storage, off_loop)
        self._journal = journal
        self._workspaces = workspaces
        self._listing = listing
        self._surveyor = surveyor
        self._clock = clock
        self._off_loop = off_loop

    async def trace(
        self, *, folder: Path | None = None, project: Asked | None = None, log: str | None = None, engine: str | None = None
    ) -> Trace:
        """The verdict on a workspace folder, a project, a core's log, or what of them is given.

        ``engine`` as in :func:`~kumoss_console.model.backend.parse_engine`. Raises :class:`InputError` where nothing is given,
        for a project without a key and for a folder that is not there while no project is given; :class:`Refused` for a folder
        that may not be looked into. A store that does not answer raises nothing: then it is unknown.
        """
        if folder is None and project is None and log is None:
            raise InputError(
                "there is nothing to trace",
                hint="Give a workspace folder, repository and scope, or a log of the core.",
                code="trace.nothing",
            )
        lines = await self._off_loop(lambda: logged_states(log)) if log is not None else ()
        gathered = await self._gathered(folder, project, engine, lines, given_log=log is not None)
        surveyed = await self._surveyed(folder, project, gathered)
        evidence = self._evidence(folder, gathered, surveyed)
        return judge(await self._with_store(evidence, surveyed))

    async def _gathered(
        self, folder: Path | None, project: Asked | None, engine: str | None, lines: tuple[LoggedState, ...], *, given_log: bool
    ) -> _Gathered:
        inspected: WorkspaceBackend | None = None
        bound = Engine(status="unknown", detail="no workspace was given")
        told = await told_by(self._journal, self._context.name, folder)
        if folder is not None:
            try:
                inspected = await self._workspaces.inspect(folder, engine=engine)
                bound = engine_of(inspected)
            except (InputError, Refused) as error:
                if project is None or not error.code.startswith("workspace."):
                    raise
                bound = Engine(status="unknown", detail=f"{error.title} on this machine")
        logged = Logged(lines=len(lines), found=None) if given_log else None
        return _Gathered(inspected=inspected, engine=replace(bound, init=told.init), logged=logged, lines=lines, told=told)

    async def _surveyed(self, folder: Path | None, project: Asked | None, gathered: _Gathered) -> Surveyed:
        """The project, given or found by the keys that lie about."""
        written = written_of(gathered.inspected, self._context.paths.backend_override_filename) if gathered.inspected else None
        single = {line.key for line in gathered.lines}
        selected = gathered.inspected.selected if gathered.inspected is not None else "default"
        named = (written.place if written else None, gathered.engine.place)
        keys = [key for place in named if place and (key := default_place(place, selected).key)]
        if not keys and len(single) == 1:
            keys = list(single)
        told = gathered.told
        scopes = (*((told.init.scope,) if told.init is not None and told.init.scope else ()), *told.scopes)
        core_wrote = written is not None and written.place is not None and written.place.key is not None
        return await self._surveyor.survey(
            folder, project, tuple(keys), Witness(scopes=scopes, paths=told.paths), written=core_wrote
        )

    def _evidence(self, folder: Path | None, gathered: _Gathered, surveyed: Surveyed) -> Evidence:
        storage, inspected = self._context.storage, gathered.inspected
        name = self._context.paths.backend_override_filename
        selected = inspected.selected if inspected is not None else "default"
        derived = None
        if surveyed.project is not None and storage.managed:
            key = f"{surveyed.project.project_id}/{storage.terraform_state_filename}"
            derived = written_place(storage, key, selected=selected)
        written = written_of(inspected, name) if inspected is not None else None
        evidence = Evidence(
            now=self._clock(),
            storage=storage,
            ownership=ownership_of(storage, self._context.backend_config, inspected),
            override_name=name,
            sidecar_file=self._context.backend_config,
            workspace=None if folder is None else str(folder),
            project=surveyed.project,
            project_from=surveyed.found_by,
            around=surveyed.around,
            derived=derived,
            written=written,
            declared=declared_of(inspected) if inspected is not None else None,
            own=own_block(inspected) if inspected is not None else None,
            engine=gathered.engine,
            engine_name=inspected.engine.name if inspected is not None else "tofu",
            engine_label=inspected.engine.label if inspected is not None else "",
            engine_assumed=inspected is not None and inspected.engine.assumed,
            engine_note=inspected.engine.note if inspected is not None else "",
            selected=selected,
            context=self._context.name,
            applied=(gathered.told.applied,) if gathered.told.applied is not None else (),
            identities=dict(surveyed.identities),
            scopes=surveyed.scopes,
            inspection=inspected.findings if inspected is not None else (),
            store_label=self._look.label,
        )
        return replace(evidence, logged=self._logged(evidence, gathered))

    def _logged(self, evidence: Evidence, gathered: _Gathered) -> Logged | None:
        if gathered.logged is None:
            return None
        places = (evidence.derived, evidence.written.place if evidence.written else None, evidence.engine.place)
        keys = [place.key for place in places if place is not None and place.key]
        single = list({line.key for line in gathered.lines}) if not keys else []
        return replace(gathered.logged, found=last_for(gathered.lines, keys or (single if len(single) == 1 else [])))

    async def _with_store(self, evidence: Evidence, surveyed: Surveyed) -> Evidence:
        core = core_place(evidence)
        binds = evidence.declared.place if evidence.declared is not None else None
        written = evidence.written.place if evidence.written else None
        places: tuple[Place | None, ...] = (core, evidence.engine.place, written, binds, evidence.derived)
        places = (*places, *(default_place(place, evidence.selected) for place in places if place is not None))
        evidence, look = self._lent(evidence, places)
        near = [place for place in dict.fromkeys(places) if place is not None and not outside(place, evidence.reads)]
        stored = await look.at([place.key for place in near if place.key])
        evidence = replace(evidence, stored={one.key: with_roles(one, evidence, surveyed) for one in stored})
        near_by = await holders(self._listing, evidence, surveyed.top, doubtful(evidence))
        evidence = replace(
            evidence,
            holders=near_by,
            sharing=await sharing(self._listing, evidence),
            local=await self._local(evidence),
            beside=await self._beside(evidence),
            own=await own_looked(evidence.own, self._context.storage, self._lend, self._off_loop, workspace=evidence.workspace),
            applied=(*evidence.applied, *(await self._look.left(Path(evidence.workspace)) if evidence.workspace else ())),
        )
        active = evidence.engine.place or core
        if active is None or active.key is None or surveyed.project is None or not self._context.storage.managed:
            return evidence
        here = evidence.stored.get(active.key)
        if here is None or here.status != "absent":
            return evidence
        others = await applied_elsewhere(self._journal, self._listing, evidence, surveyed.top, active.key)
        evidence = replace(evidence, applied=(*evidence.applied, *others))
        related = await self._surveyor.related(surveyed)
        misses = near_misses(surveyed, self._context.storage.terraform_state_filename, related)
        candidates = await self._look.candidates(misses, skip=frozenset(evidence.stored))
        if any(not one.strong for one in candidates):
            live = await keys_of_others(self._listing, evidence)
            candidates = tuple(one for one in candidates if one.strong or one.stored.key not in live)
        left = {one.stored.key for one in candidates if one.strong}
        also = await holders(self._listing, evidence, surveyed.top, left)
        return replace(evidence, candidates=candidates, holders=(*near_by, *also))

    async def _local(self, evidence: Evidence) -> Stored | None:
        place = evidence.engine.place
        if place is None or place.type != "local" or not place.key or evidence.workspace is None:
            return None
        if evidence.selected != "default":
            return None  # its file lies in a folder beside: that this one is absent would say nothing
        return await self._look.file(Path(evidence.workspace), place.key)

    async def _beside(self, evidence: Evidence) -> Stored | None:
        """The file that an engine without a backend block writes: where it lies beside another binding, somebody ran one."""
        place = evidence.engine.place
        if evidence.workspace is None or (place is not None and place.type == "local"):
            return None
        found = await self._look.file(Path(evidence.workspace), _PLAIN)
        return None if found.status == "absent" else found

    def _lent(self, evidence: Evidence, places: Iterable[Place | None]) -> tuple[Evidence, Look]:
        """With managed state off, the store that the repository names where this context's keys are for that endpoint."""
        storage = self._context.storage
        bucket = next((name for place in places if place is not None and (name := lent_bucket(place, storage))), "")
        store = self._lend(bucket) if bucket else None
        if store is None:
            return evidence, self._look
        evidence = replace(evidence, lent=bucket, store_label=store.label)
        return evidence, Look(store, evidence.reads, self._off_loop)
