"""AWS: an account, asked through the default view of its Resource Explorer."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from kumoss_console.sidecar.discovery.aws_rules import resource_arn
from kumoss_console.sidecar.discovery.aws_sdk import Sdk, Service
from kumoss_console.sidecar.discovery.failure import DiscoveryError, shown
from kumoss_console.sidecar.discovery.fields import objects, text
from kumoss_console.sidecar.discovery.found import Found
from kumoss_console.sidecar.discovery.threads import waiting

_log = logging.getLogger(__name__)

IDENTITY = "STS"
EXPLORER = "Resource Explorer"
PAGE_SIZE = 500
MAX_PAGES = 200

_ACCOUNT = re.compile(r"[0-9]{12}")


async def discover(scope_id: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The ARNs of account ``scope_id``. Raises :class:`DiscoveryError`."""
    if not _ACCOUNT.fullmatch(scope_id):
        raise DiscoveryError(f"'{shown(scope_id)}' is not an AWS account id")
    region = environ.get("AWS_REGION", "").strip() or environ.get("AWS_DEFAULT_REGION", "").strip()
    if not region:
        raise DiscoveryError("AWS_REGION is not set")
    sdk = await waiting(Sdk, region)
    async with _service(sdk, IDENTITY, region) as identity:
        account = text(await waiting(identity.ask, "GetCallerIdentity"), "Account")
    if account != scope_id:
        raise DiscoveryError(f"AWS credentials belong to account {shown(account)}, not {scope_id}")
    async with _service(sdk, EXPLORER, region) as explorer:
        home = await _aggregator(explorer, scope_id)
    async with _service(sdk, EXPLORER, home or region) as explorer:
        found = await _listed(explorer, scope_id)
    _log.info("aws scope %s listed: %d pages, %d found, %d kept", scope_id, found.pages, found.rows, len(found))
    return found.ids


@asynccontextmanager
async def _service(sdk: Sdk, source: str, region: str) -> AsyncIterator[Service]:
    service = await waiting(sdk.service, source, region)
    try:
        yield service
    finally:
        service.close()


async def _aggregator(explorer: Service, scope_id: str) -> str:
    """The region of the index that gathers the account's others, empty where it does not say."""
    asked: dict[str, str] = {"Type": "AGGREGATOR"}
    for _ in range(MAX_PAGES):
        page = await waiting(explorer.ask, "ListIndexes", **asked)
        for index in objects(page, "Indexes"):
            return text(index, "Region")
        # A page may be empty and not the last.
        if not (following := text(page, "NextToken")):
            break
        asked["NextToken"] = following
    raise _not_enabled(scope_id)


async def _listed(explorer: Service, scope_id: str) -> Found:
    view = text(await waiting(explorer.ask, "GetDefaultView"), "ViewArn")
    if not view:
        raise _not_enabled(scope_id)
    found = Found()
    asked: dict[str, str | int] = {"ViewArn": view, "MaxResults": PAGE_SIZE}
    while True:
        page = await waiting(explorer.ask, "ListResources", **asked)
        arns = [resource_arn(resource, scope_id) for resource in objects(page, "Resources")]
        found.page(len(arns), filter(None, arns))
        if not (following := text(page, "NextToken")):
            return found
        if found.pages == MAX_PAGES:
            raise DiscoveryError(f"{EXPLORER} returned more than {MAX_PAGES} pages for {scope_id}")
        asked["NextToken"] = following


def _not_enabled(scope_id: str) -> DiscoveryError:
    return DiscoveryError(
        f"AWS {EXPLORER} is not enabled for account {scope_id}: create an aggregator index and a default view; see README"
    )
