"""Plans the way back to a version: what goes on from what, who holds the key, what is in the way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from kumoss_console.errors import InputError
from kumoss_console.model.context import Context
from kumoss_console.model.statediff import RestorePlan, plan_restore, recorded
from kumoss_console.model.storage import StorageProvider
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.locks import LockKeeper
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.services.asking.lock_status import lock_on
from kumoss_console.services.versions.choice import NEWEST, chosen, holds_nothing
from kumoss_console.services.versions.restore.base import Fetch, base_of
from kumoss_console.services.versions.restore.clearing import digest_removal, removal_of
from kumoss_console.services.versions.restore.digest import digest_in_the_way
from kumoss_console.services.versions.restore.files import Files, files_of
from kumoss_console.services.versions.restore.pin import Expected, must_be_on_top, must_have_serial
from kumoss_console.services.versions.restore.remarks import about_damage, about_digest, about_the_key
from kumoss_console.services.versions.restore.standing import standing
from kumoss_console.services.versions.restore.value import Restore
from kumoss_console.services.workspaces.places import Binding
from kumoss_console.text import printable


class RestorePlanner:
    """Of the keys of one context. ``bindings`` tells which workspaces that can be seen from here are bound to what; ``config`` is
    the console's file that ``--config`` named, empty for none."""

    def __init__(
        self,
        context: Context,
        clock: Clock,
        *,
        bindings: Callable[[], Awaitable[Sequence[Binding]]],
        keepers: Sequence[LockKeeper],
        off_loop: OffLoop,
        config: str = "",
    ) -> None:
        self._config = config
        self._context = context
        self._clock = clock
        self._bindings = bindings
        self._keepers = keepers
        self._off_loop = off_loop

    async def plan(self, found: Sequence[ObjectVersion], wanted: ObjectVersion, fetch: Fetch, expected: Expected) -> Restore:
        """The way back to ``wanted``, one of ``found`` (newest first). ``fetch`` gives a version with what it is called.

        :class:`~kumoss_console.errors.Refused` (``restore.changed``) where the newest is another one than ``expected``.
        """
        key = wanted.key
        must_be_on_top(found, expected, key)
        newest = chosen(found, NEWEST, key)
        deleted = holds_nothing(found)
        if wanted == newest and not deleted:
            raise InputError(
                f"{printable(wanted.version_id)} is the newest version of {printable(key)} already",
                hint="state versions lists the older ones",
                code="input.nothing_to_restore",
            )
        kept = [one for one in found if one.kind != "delete_marker"]
        (label, old), base, locked, bindings = await asyncio.gather(
            fetch(wanted), base_of(kept, fetch, self._off_loop), self._locked(key), self._bindings()
        )

        def planned() -> tuple[RestorePlan, Files]:
            goes_on_from = recorded(base.content.content, label=base.label)
            plan = plan_restore(old.content, recorded(old.content, label=label), goes_on_from, highest=base.highest)
            where = (self._context.name, key, wanted.version_id)
            return plan, files_of(*where, content=plan.content.reveal(), serial=plan.serial, lineage=plan.lineage)

        plan, files = await self._off_loop(planned)
        must_have_serial(found, expected, plan.newest.document.serial, key)
        context = self._context
        active = None if deleted else base.found
        digest = await digest_in_the_way(self._keepers, context.storage.terraform_state_bucket, key, active, self._off_loop)
        damage = tuple(about_damage(key, base, deleted=deleted))
        # Where nothing is active that could be read, being equal to what the plan goes on from is no reason to stay.
        told = [one for one in plan.findings if one.code != "restore.no_difference" or not (deleted or damage)]
        azure = context.storage.provider is StorageProvider.STORAGE_ACCOUNT
        stands = standing(bindings, key, azure=azure)
        return Restore(
            context=context.name,
            key=key,
            version=wanted,
            newest=newest,
            base=base.version,
            files=files,
            plan=plan,
            locked=locked,
            findings=(*about_the_key(key, locked, deleted=deleted), *damage, *about_digest(key, digest), *told),
            at=self._clock(),
            deleted=deleted,
            damaged=base.damaged is not None,
            top=found[0].version_id,
            clearing=(
                *(removal_of(newest, context.storage, files) if base.must_go and not deleted else ()),
                *(digest_removal(digest, context.locks, context.storage, files) if digest is not None else ()),
            ),
            folders=stands.folders,
            apart=stands.apart,
            selected=stands.selected,
            bound_as=stands.key,
            config=self._config,
        )

    async def _locked(self, key: str) -> bool | None:
        """Asked of everybody who may keep its lock: an object, a lease, a row of a table."""
        status, _, _ = await lock_on(self._keepers, key)
        return None if status == "unknown" else status == "locked"
