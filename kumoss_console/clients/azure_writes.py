"""Writing to a container: few things do, each on a person's word. Nothing here is sent twice: an answer that was lost would
read, the second time, as if somebody else had been there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumoss_console.clients.azure_errors import EXISTS, AzureTarget, made
from kumoss_console.clients.azure_failures import code_of
from kumoss_console.clients.azure_listing import moment, quoted
from kumoss_console.clients.azure_reads import DELETED, blob_client
from kumoss_console.clients.azure_wire import heard
from kumoss_console.errors import NotFound
from kumoss_console.ports.objects import ObjectInfo

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

_THERE = frozenset({"BlobAlreadyExists", "ConditionNotMet", "LeaseIdMissing"})


def put_blob(container: ContainerClient, target: AzureTarget, content: bytes, if_absent: bool) -> ObjectInfo:
    """Write ``content`` at ``target.key``; :class:`~kumoss_console.errors.Refused` as the port says."""
    from azure.core.exceptions import HttpResponseError

    try:
        container.get_blob_client(target.key).upload_blob(content, overwrite=not if_absent, max_concurrency=1, retry_total=0)
    except HttpResponseError:
        if if_absent and code_of(heard()) in _THERE:
            raise made(EXISTS, target, "") from None
        raise
    answer = heard()
    headers = answer.headers if answer is not None else {}
    return ObjectInfo(
        key=target.key,
        size=len(content),
        modified=moment(headers.get("last-modified")),
        etag=quoted(headers.get("etag")),
        version_id=headers.get("x-ms-version-id") or None,
        leased=False,  # nobody else could have written it
    )


def delete_blob(
    container: ContainerClient, target: AzureTarget, etag: str | None, version: str | None, lease: str | None = None
) -> None:
    """Delete ``target.key``, or a version or snapshot of it; :class:`~kumoss_console.errors.Refused` as the port says.

    ``lease`` is the id of one that whoever deletes holds."""
    from azure.core import MatchConditions

    if version == DELETED:
        raise NotFound(f"{target.subject} was deleted already", hint="look again", code="store.object_missing")
    client = blob_client(container, target.key, version)
    if etag is None:
        client.delete_blob(lease=lease, retry_total=0)
    else:
        client.delete_blob(lease=lease, etag=etag, match_condition=MatchConditions.IfNotModified, retry_total=0)
