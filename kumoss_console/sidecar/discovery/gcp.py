"""Google Cloud: a project, asked through Resource Manager and Cloud Asset Inventory."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping

from kumoss_console.sidecar.discovery.failure import DiscoveryError, shown
from kumoss_console.sidecar.discovery.fields import objects, text
from kumoss_console.sidecar.discovery.found import Found
from kumoss_console.sidecar.discovery.gcp_identity import request_token
from kumoss_console.sidecar.discovery.gcp_rules import asset_id, grants
from kumoss_console.sidecar.discovery.threads import waiting
from kumoss_console.sidecar.discovery.wire import Caller, calling

_log = logging.getLogger(__name__)

INVENTORY = "Cloud Asset Inventory"
MANAGER = "Resource Manager"
INVENTORY_ENDPOINT = "https://cloudasset.googleapis.com/v1/"
MANAGER_ENDPOINT = "https://cloudresourcemanager.googleapis.com/v1/"
INVENTORY_VARIABLE = "GOOGLE_CLOUD_ASSET_CUSTOM_ENDPOINT"
MANAGER_VARIABLE = "GOOGLE_RESOURCE_MANAGER_CUSTOM_ENDPOINT"
PAGE_SIZE = 500
MAX_PAGES = 200

_PROJECT = re.compile(r"[a-z][a-z0-9-]{4,28}[a-z0-9]")
_POLICY = {"options": {"requestedPolicyVersion": 3}}


async def discover(scope_id: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The assets of project ``scope_id``, then who was granted what on it. Raises :class:`DiscoveryError`."""
    if not _PROJECT.fullmatch(scope_id):
        raise DiscoveryError(f"'{shown(scope_id)}' is not a GCP project id")
    inventory = f"{_base(environ, INVENTORY_VARIABLE, INVENTORY_ENDPOINT)}/projects/{scope_id}:searchAllResources"
    project = f"{_base(environ, MANAGER_VARIABLE, MANAGER_ENDPOINT)}/projects/{scope_id}"
    token = await waiting(request_token, environ)
    found = Found()
    async with calling(token) as caller:
        number = text(await caller.ask(MANAGER, "GET", project), "projectNumber")
        await _search(caller, inventory, scope_id, number, found)
        granted = tuple(grants(await caller.ask(MANAGER, "POST", f"{project}:getIamPolicy", body=_POLICY), scope_id))
    assets = len(found)
    found.add(granted)
    _log.info("gcp scope %s listed: %d pages, %d found, %d kept, %d iam", scope_id, found.pages, found.rows, assets, len(granted))
    return found.ids


async def _search(caller: Caller, url: str, scope_id: str, number: str, found: Found) -> None:
    params = {"pageSize": str(PAGE_SIZE), "readMask": "name,assetType,labels"}
    while True:
        page = await caller.ask(INVENTORY, "GET", url, params=params)
        assets = [asset_id(asset, scope_id, number) for asset in objects(page, "results")]
        found.page(len(assets), filter(None, assets))
        if not (following := text(page, "nextPageToken")):
            return
        if found.pages == MAX_PAGES:
            raise DiscoveryError(f"{INVENTORY} returned more than {MAX_PAGES} pages for {scope_id}")
        params["pageToken"] = following


def _base(environ: Mapping[str, str], variable: str, default: str) -> str:
    """The endpoint with its version, as the google provider's variable of that name gives it."""
    return (environ.get(variable, "").strip() or default).rstrip("/")
