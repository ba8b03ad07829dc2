"""``scope-resource-ids``: which cloud is asked, and what its answer or refusal becomes."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.contract import CloudProvider, JobResult
from kumoss_console.sidecar.discovery import aws, azure, gcp
from kumoss_console.sidecar.discovery.failure import DiscoveryError
from kumoss_console.text import printable

_log = logging.getLogger(__name__)
_LOGGED = 500

Discover = Callable[[str, Mapping[str, str]], Awaitable[tuple[str, ...]]]

_DISCOVER: dict[CloudProvider, Discover] = {
    CloudProvider.AZURE: azure.discover,
    CloudProvider.GCP: gcp.discover,
    CloudProvider.AWS: aws.discover,
}
# At INFO they tell every request with its address and page token. azure-identity warns of what we say ourselves, in Azure's whole
# words.
_TALKATIVE = {
    "httpx": logging.WARNING,
    "httpcore": logging.WARNING,
    "google": logging.WARNING,
    "botocore": logging.WARNING,
    "boto3": logging.WARNING,
    "urllib3": logging.WARNING,
    "azure": logging.ERROR,
    "msal": logging.ERROR,
}


async def list_scope(provider: CloudProvider, scope_id: str, environ: Mapping[str, str]) -> JobResult:
    """Exit code 0 and the identifiers as a JSON array, 1 and the reason, or 2 for a provider that has no such inventory.

    ``environ`` is the service's own environment: what it says of tokens and endpoints is read here, while the SDKs read the
    rest of their settings from the process itself. Anything that nobody foresaw raises.
    """
    discover = _DISCOVER.get(provider)
    if discover is None:
        return JobResult(2, "", f"no scope discovery for provider '{provider}'")
    _hush()
    try:
        ids = await discover(scope_id, environ)
    except DiscoveryError as refusal:
        _log.info("%s scope %s was not listed: %s", provider, printable(scope_id), printable(str(refusal))[:_LOGGED])
        return JobResult(1, "", str(refusal))
    # ASCII escapes on purpose: a name may hold lone surrogates, which UTF-8 cannot carry.
    return JobResult(0, await run_blocking(json.dumps, ids), "")


def _hush() -> None:
    for name, level in _TALKATIVE.items():
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(level)
