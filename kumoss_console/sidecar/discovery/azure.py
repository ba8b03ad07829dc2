"""Azure: a subscription, asked through Resource Graph."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from kumoss_console.sidecar.discovery.azure_identity import request_token
from kumoss_console.sidecar.discovery.azure_query import query
from kumoss_console.sidecar.discovery.failure import DiscoveryError, shown
from kumoss_console.sidecar.discovery.fields import objects, text, truthy
from kumoss_console.sidecar.discovery.found import Found
from kumoss_console.sidecar.discovery.threads import waiting
from kumoss_console.sidecar.discovery.wire import calling

_log = logging.getLogger(__name__)

SOURCE = "Resource Graph"
ENDPOINT = "https://management.azure.com"
ENDPOINT_VARIABLE = "ARM_ENDPOINT"
PAGE_SIZE = 1000
MAX_PAGES = 100

_PATH = "/providers/Microsoft.ResourceGraph/resources"
_VERSION = {"api-version": "2022-10-01"}
_SUBSCRIPTION = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


async def discover(scope_id: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The resource ids of subscription ``scope_id``, as Resource Graph spells them. Raises :class:`DiscoveryError`."""
    if not _SUBSCRIPTION.fullmatch(scope_id):
        raise DiscoveryError(f"'{shown(scope_id)}' is not an Azure subscription id")
    endpoint = (environ.get(ENDPOINT_VARIABLE, "").strip() or ENDPOINT).rstrip("/")
    token = await waiting(request_token, environ, f"{endpoint}/.default")
    found = Found()
    options: dict[str, object] = {"$top": PAGE_SIZE}
    question = {"query": query(scope_id), "subscriptions": [scope_id], "options": options}
    async with calling(token) as caller:
        while True:
            page = await caller.ask(SOURCE, "POST", f"{endpoint}{_PATH}", params=_VERSION, body=question)
            _keep(page, found)
            skip = text(page, "$skipToken")
            if not skip:
                break
            if found.pages == MAX_PAGES:
                raise DiscoveryError(f"{SOURCE} returned more than {MAX_PAGES} pages for {scope_id}")
            options["$skipToken"] = skip
    if truthy(page.get("resultTruncated")):
        raise DiscoveryError(f"{SOURCE} truncated the result set for {scope_id}")
    _log.info("azure scope %s listed: %d pages, %d found, %d kept", scope_id, found.pages, found.rows, len(found))
    return found.ids


def _keep(page: Mapping[str, Any], found: Found) -> None:
    rows = [text(row, "id") for row in objects(page, "data")]
    found.page(len(rows), filter(None, rows))
