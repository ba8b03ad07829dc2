"""The histories of many states: the versions of each, and their heads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity
from kumoss_console.model.scan import ScanFinding, Subject, Version, because, of_history
from kumoss_console.ports.objects import ObjectInfo, ObjectVersion
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.arriving import arriving
from kumoss_console.services.states.xray import XrayService

NEWEST_VERSIONS = 50
"""Versions of one key that are read; older ones are counted."""

_AT_ONCE = 4


async def histories(
    store: ObjectStore, xray: XrayService, states: Iterable[Subject]
) -> AsyncGenerator[tuple[ScanFinding, ...], None]:
    """What is found in the history of each of ``states``, one answer a state, in no order.

    Where the store keeps no versions at all, the first answer says so of the bucket as a whole, and is the last.
    """
    coming = iter(states)
    done: asyncio.Queue[tuple[ScanFinding, ...] | ConsoleError | None] = asyncio.Queue()

    async def work() -> None:
        for subject in coming:
            done.put_nowait(await _history(store, xray, subject))

    async with aclosing(arriving(done, work, _AT_ONCE)) as answers:
        async for found in answers:
            if isinstance(found, ConsoleError):
                yield (_no_versions(found),)
                return
            yield found


async def _history(store: ObjectStore, xray: XrayService, subject: Subject) -> tuple[ScanFinding, ...] | ConsoleError:
    """The error where the store keeps no versions."""
    try:
        listed = await store.versions(subject.key)
    except ConsoleError as error:
        return error if error.code == "store.versions_unsupported" else (_not_looked(subject, error),)
    versions = [version for version in listed if version.kind != "delete_marker"]
    chosen = versions[:NEWEST_VERSIONS]
    heads = await asyncio.gather(*(xray.head(_info(version)) for version in chosen))
    told = [
        Version(version_id=version.version_id, modified=version.modified, head=head)
        for version, head in zip(chosen, heads, strict=True)
    ]
    return tuple(of_history(subject, told, left_out=len(versions) - len(chosen)))


def _info(version: ObjectVersion) -> ObjectInfo:
    return ObjectInfo(
        key=version.key,
        size=version.size or 0,
        modified=version.modified,
        etag=version.etag,
        version_id=version.version_id,
    )


def _no_versions(error: ConsoleError) -> ScanFinding:
    return ScanFinding(
        code="scan.no_versions",
        severity=Severity.WARNING,
        key="",
        owner=None,
        message=f"no history could be looked at: {because(error)}",
        remedy=error.hint,
    )


def _not_looked(subject: Subject, error: ConsoleError) -> ScanFinding:
    return ScanFinding(
        code="scan.history_not_looked",
        severity=Severity.ERROR,
        key=subject.key,
        owner=subject.owner,
        message=f"its versions could not be listed: {because(error)}",
        remedy=error.hint,
    )
