"""What a storage account really does, asked of it. Every answer is an aspect; one that fails does not hide the others.

Versioning, soft delete and lifecycle rules belong to the account, and the resource manager alone tells them all: a key or a SAS
does not reach it. What the blobs themselves tell is told, the rest is not guessed.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_client import must_have
from kumoss_console.clients.azure_errors import AzureTarget
from kumoss_console.clients.azure_trial import AzureTrial
from kumoss_console.clients.azure_versioning import versioning
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.tls import Way, transport, way_of_requests
from kumoss_console.errors import AccessDenied, ConsoleError, NotFound
from kumoss_console.model.endpoint import Aspect, AspectName
from kumoss_console.model.endpoint.aspect import no_access, not_answered
from kumoss_console.model.storage import StorageSettings
from kumoss_console.text import printable

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

    from kumoss_console.clients.azure_wire import Heard

_SAMPLE = 100
"""Blobs that are looked at for whether they have versions."""

_Asked = Callable[["ContainerClient", AzureTarget], Aspect]


class AzureExaminer:
    """:class:`~kumoss_console.ports.store.StoreExaminer` over the container of ``storage``."""

    def __init__(self, store: AzureStore, storage: StorageSettings) -> None:
        self._store = store
        self._storage = storage

    async def examine(self, *, thorough: bool = True) -> AsyncGenerator[Aspect, None]:
        heard: list[Aspect] = []
        refused: ConsoleError | None = None
        try:
            await self._store.ask(None, _access, heard)
        except ConsoleError as error:
            refused = error
        # Who refuses us has heard us, and its answer has a date like any other.
        answered = refused is None or (isinstance(refused, AccessDenied) and bool(heard))
        if refused is None:
            yield Aspect(name="access", standing="good", said="listing works", evidence="listed the container")
        else:
            yield no_access(refused)
        if thorough:
            yield self._identity()
        if thorough and answered:
            yield self._addressing(refused=refused is not None)
        if answered:
            for clock in heard:
                yield clock
        if thorough:
            yield await self._transport()
        if refused is not None and refused.code != "store.access_denied":
            return
        for name, ask in _QUESTIONS:
            yield await self._ask(name, ask)
        if thorough:
            yield _LIFECYCLE
        yield await self._ask("public_access", _public_access)

    def try_writes(self, key: str) -> AsyncGenerator[Aspect, None]:
        return AzureTrial(self._store, key).run()

    def _identity(self) -> Aspect:
        return Aspect(name="identity", standing="plain", said=self._store.identity, evidence="as it signs its requests")

    def _addressing(self, *, refused: bool) -> Aspect:
        named = f"/{self._storage.account_name}" in self._store.label
        said = "the account in the path, as the emulator has it" if named else "the account's own host"
        evidence = f"the listing was {'refused' if refused else 'answered'} that way"
        return Aspect(name="addressing", standing="plain", said=said, evidence=evidence)

    async def _transport(self) -> Aspect:
        try:
            way = await run_blocking(_way, self._storage.endpoint_url)
        except ConsoleError as error:
            return not_answered("transport", error)
        return await transport(self._storage, way)

    async def _ask(self, name: AspectName, ask: _Asked) -> Aspect:
        try:
            return await self._store.ask(None, ask)
        except ConsoleError as error:
            if error.code == "store.versions_unsupported":
                return Aspect(name=name, standing="bad", said="refused", evidence=error.detail)
            return not_answered(name, error)


# Everything below runs on bridge threads.


def _way(url: str) -> Way:
    must_have("requests")
    return way_of_requests(url)


def _access(container: ContainerClient, target: AzureTarget, told: list[Aspect]) -> None:
    """List a blob. ``told`` gets the clock of whoever answered, also where that is a refusal."""
    from kumoss_console.clients.azure_reads import list_blobs
    from kumoss_console.clients.azure_wire import heard

    try:
        list_blobs(container, target, "", None, 1)
    finally:
        if (answer := heard()) is not None:
            told.append(_clock(answer))


def _clock(answer: Heard) -> Aspect:
    from kumoss_console.clients.azure_failures import skew

    ahead = skew(answer)
    if ahead is None:
        return Aspect(name="clock", standing="unknown", said="it sends no date", evidence="no Date header", doubt="unsupported")
    # The header counts in whole seconds, and the answer was under way.
    seconds = 0.0 if abs(ahead) <= 2 else -round(ahead, 1)
    said = f"{abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} ours" if seconds else "right, to the second"
    evidence = f"Date: {printable(answer.headers.get('date', ''))}"
    return Aspect(name="clock", standing="plain", said=said, evidence=evidence, seconds=seconds)


def _version_listing(container: ContainerClient, target: AzureTarget) -> Aspect:
    from kumoss_console.clients.azure_reads import list_versions

    list_versions(container, target, "", None, 1)
    return Aspect(name="version_listing", standing="good", said="works", evidence="a listing with versions was answered")


def _encryption(container: ContainerClient, target: AzureTarget) -> Aspect:
    from kumoss_console.clients.azure_reads import list_blobs

    told = [blob.encrypted for blob in list_blobs(container, target, "", None, _SAMPLE).blobs if blob.encrypted is not None]
    if not told:
        return Aspect(
            name="encryption",
            standing="unknown",
            said="there is no blob to tell it",
            evidence="ServerEncrypted of the listed blobs",
            doubt="unsupported",
        )
    return Aspect(
        name="encryption",
        standing="good" if all(told) else "bad",
        said="by the service" if all(told) else "not all blobs",
        evidence=f"ServerEncrypted: {sum(told)} of {len(told)} blobs",
    )


def _public_access(container: ContainerClient, target: AzureTarget) -> Aspect:
    from kumoss_console.clients.azure_wire import heard

    container.get_container_properties()
    answer = heard()
    if answer is None:
        raise NotFound(f"there is no answer about {target.subject}")
    public = answer.headers.get("x-ms-blob-public-access")
    if public:
        return Aspect(
            name="public_access",
            standing="bad",
            said=f"level {printable(public)}",
            evidence="the container says so; it holds where the account allows public access",
        )
    return Aspect(name="public_access", standing="good", said="none", evidence="the container has no level of public access")


_LIFECYCLE = Aspect(
    name="lifecycle",
    standing="unknown",
    said="kept by the resource manager alone",
    evidence="az storage account management-policy show tells it",
    doubt="unsupported",
)
_QUESTIONS: tuple[tuple[AspectName, _Asked], ...] = (
    ("versioning", versioning),
    ("version_listing", _version_listing),
    ("encryption", _encryption),
)
