"""Why a project has the key it has, what exists at that key and at its near-misses, and whose a key is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from kumoss_console.errors import InputError, ServiceError
from kumoss_console.model.collisions import Collision, collisions
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.project import ProjectKey, derive
from kumoss_console.model.scopes import InferredScope, scopes_in
from kumoss_console.model.storage import StorageProvider, object_url
from kumoss_console.model.twins import Twin, twins
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.objectfact import ObjectFact, look
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.keys.owners import KnownOwner, Owners, owners_of, wanted_digits
from kumoss_console.services.keys.whatif import WhatIf

__all__ = ["KeyExplanation", "KeyService", "KnownOwner", "ObjectFact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyExplanation:
    """A project's key in this context's bucket. ``bucket`` and ``url`` are empty where managed state is off.

    ``twin_keys`` are the object keys of ``twins``, in their order; ``collisions`` are spellings that share this very key.
    """

    key: ProjectKey
    bucket: str
    object_key: str
    url: str
    twins: tuple[Twin, ...]
    twin_keys: tuple[str, ...]
    collisions: tuple[Collision, ...]
    findings: tuple[Finding, ...]

    def as_data(self, facts: Sequence[ObjectFact] | None = None, *, now: datetime | None = None) -> dict[str, Any]:
        """The ``key`` shape of the command line. ``facts`` as :meth:`KeyService.check` gives them, ``now`` for a lock's age."""
        at = {fact.object_key: fact.as_data(now) for fact in facts or ()}
        return {
            "project_id": self.key.project_id,
            "key": self.object_key,
            "bucket": self.bucket,
            "url": self.url,
            "normalised": {"repo": self.key.repo, "scope": self.key.scope, "path": self.key.path},
            "steps": [
                {"field": step.field, "from": step.before, "to": step.after, "dropped": list(step.dropped), "rule": step.rule}
                for step in self.key.steps
            ],
            "twins": [
                {**asdict(twin), "key": key, "object": at.get(key)} for twin, key in zip(self.twins, self.twin_keys, strict=True)
            ],
            "object": at.get(self.object_key),
            "hashed": self.key.hashed,
            "findings": [asdict(finding) for finding in self.findings],
            "collisions": [asdict(collision) for collision in self.collisions],
        }


class KeyService:
    """Keys of one context. Without a ``store`` everything but :meth:`check` works; ``off_loop`` parses what it finds."""

    def __init__(self, context: Context, store: ObjectStore | None, *, off_loop: OffLoop = asyncio.to_thread) -> None:
        self._context = context
        self._store = store
        self._off_loop = off_loop

    def explain(self, repo: str, scope: str, path: str = "") -> KeyExplanation:
        """The key and all its reasons; no I/O. Raises :class:`InputError` as :func:`derive` does."""
        key = derive(repo, scope, path)
        storage = self._context.storage
        object_key = key.object_key(storage.terraform_state_filename)
        near = twins(key)
        return KeyExplanation(
            key=key,
            bucket=storage.terraform_state_bucket,
            object_key=object_key,
            url=object_url(storage, object_key),
            twins=near,
            twin_keys=tuple(f"{twin.project_id}/{storage.terraform_state_filename}" for twin in near),
            collisions=collisions(key),
            findings=(*key.findings, *self._doubts()),
        )

    def what_if(self, before: KeyExplanation, repo: str, scope: str, path: str = "") -> WhatIf:
        """The project with other inputs, beside ``before``; no I/O. Raises :class:`InputError` as :func:`derive` does."""
        return WhatIf(before=before, after=self.explain(repo, scope, path))

    async def check(self, explanation: KeyExplanation, *more: str) -> tuple[ObjectFact, ...]:
        """What exists at the key, then at each twin's, then at ``more`` keys. Raises :class:`ConfigError` without a store to ask.

        One object that cannot be asked for is ``unknown``; a store that answers for none raises its
        :class:`~kumoss_console.errors.ServiceError`. A key that is named twice is asked for once.
        """
        store = self._required_store()
        keys = tuple(dict.fromkeys((explanation.object_key, *explanation.twin_keys, *more)))
        answers = await asyncio.gather(*(self._answer(store, key) for key in keys))
        errors = [answer for answer in answers if isinstance(answer, ServiceError)]
        if len(errors) == len(answers):
            raise errors[0]
        return tuple(
            answer if isinstance(answer, ObjectFact) else ObjectFact(object_key=key, status="unknown", detail=str(answer))
            for key, answer in zip(keys, answers, strict=True)
        )

    async def scopes_at(self, key_or_digest: str) -> tuple[InferredScope, ...]:
        """Scopes that the resources of the state at this key name, most often named first; none where there is no such state.

        Raises :class:`InputError` for text that is not a whole project id, and as :meth:`check` does.
        """
        store = self._required_store()
        project_id = wanted_digits(key_or_digest)
        if len(project_id) < 64:
            raise InputError(
                "the beginning of a project id names no state",
                hint="Give the whole key, or leave out --check.",
                code="key.no_project_id",
            )
        answer = await self._answer(store, f"{project_id}/{self._context.storage.terraform_state_filename}")
        if isinstance(answer, ServiceError):
            raise answer
        return scopes_in(answer.state.ids or answer.state.recovered_ids) if answer.state is not None else ()

    def owners(self) -> Mapping[str, KnownProject]:
        """Project id -> the known project, with its path spelled the way that gives this id."""
        return self._owners.by_id

    def owner_of(self, key_or_digest: str) -> KnownOwner | None:
        """The known project of an object key, a project id or its beginning, as :meth:`Owners.find` does."""
        return self._owners.find(key_or_digest)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Known projects of the configuration that have no key, and why."""
        return self._owners.problems

    @cached_property
    def _owners(self) -> Owners:
        return owners_of(self._context.projects)

    def _doubts(self) -> tuple[Finding, ...]:
        if self._context.storage.managed:
            return ()
        return (
            Finding(
                code="key.managed_state_off",
                severity=Severity.INFO,
                subject="storage.terraform_state_bucket",
                message="managed state is off: the core writes no state under this key",
                remedy="Look at the backend block of the repository instead.",
            ),
        )

    def _required_store(self) -> ObjectStore:
        if self._store is None:
            raise no_store(self._context)
        return self._store

    async def _answer(self, store: ObjectStore, key: str) -> ObjectFact | ServiceError:
        lock_objects = self._context.storage.provider is not StorageProvider.STORAGE_ACCOUNT
        try:
            return await look(store, key, lock_objects=lock_objects, off_loop=self._off_loop)
        except ServiceError as error:
            return error
