"""Whether the lock in a blob's metadata is the one that is held: the service tells, where it is asked for the blob under its id.

Everything here runs on bridge threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple
from uuid import UUID

from kumoss_console.clients.azure_errors import AzureTarget
from kumoss_console.clients.azure_lockdata import METADATA, MISMATCH, NO_LEASE, held_lock, leased, of_another_lease, unasked
from kumoss_console.clients.azure_wire import Heard, heard
from kumoss_console.model.lock import LockDocument
from kumoss_console.model.lock.word import legible_id

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

Whose = Literal["its own", "another", "gone", "not told"]
"""Whether the id of a lock in the metadata is that of the lease; ``gone`` where none is held any more."""


class Told(NamedTuple):
    """``why`` is the status and the code of an answer that does not tell, else empty."""

    whose: Whose
    why: str = ""


_LOOKS = 3
"""How often a blob is looked at anew that is written or let go while it is looked at."""
_SAME = ("etag", "x-ms-lease-status", f"x-ms-meta-{METADATA}")


def look_at(container: ContainerClient, target: AzureTarget) -> tuple[Heard, LockDocument | None]:
    """The blob's headers, and the lock of the lease on it, or what is left of one where none is held; ``None`` without either."""
    answer = _headers(container, target)
    for _ in range(_LOOKS):
        document = held_lock(answer.headers)
        lock_id = legible_id(document) if document is not None and leased(answer.headers) else None
        if document is None or lock_id is None:
            return answer, document
        told, why = whose(container, target, lock_id)
        if told == "its own":
            return answer, document
        if told == "not told":
            return answer, unasked(document, why)
        # Another run may have written its lock between the two looks: then that one's is the lock.
        again = _headers(container, target)
        if told == "another" and all(again.headers.get(name) == answer.headers.get(name) for name in _SAME):
            return again, of_another_lease(document)
        answer = again
    return answer, held_lock(answer.headers)


def whose(container: ContainerClient, target: AzureTarget, lock_id: str) -> Told:
    """Whether a lease of that id is held on the blob. Only what the service says of leases is an answer."""
    from azure.core.exceptions import HttpResponseError

    from kumoss_console.clients.azure_failures import code_of

    if not _names_a_lease(lock_id):
        return Told("another")
    try:
        container.get_blob_client(target.key).get_blob_properties(lease=lock_id)
    except HttpResponseError:
        answer = heard()
        code = code_of(answer)
        if code in NO_LEASE or (answer is not None and answer.status == 404):
            return Told("gone")
        if code in MISMATCH:
            return Told("another")
        return Told("not told", f"{answer.status if answer is not None else ''} {code}".strip() or "no answer")
    return Told("its own")


def _headers(container: ContainerClient, target: AzureTarget) -> Heard:
    from kumoss_console.clients.azure_reads import must_be_a_blob

    container.get_blob_client(target.key).get_blob_properties()
    return must_be_a_blob(heard(), target)


def _names_a_lease(lock_id: str) -> bool:
    """The service gives a lease no id but a GUID."""
    try:
        UUID(lock_id)
    except ValueError:
        return False
    return lock_id.isascii()
