"""Comparing 20,000 identifiers of each cloud with three states, reading those states, and the worksheet of what is left over.

The memory is what a comparison keeps and needs at most, beside that of one an eighth its size: it has to grow in proportion.
"""

from __future__ import annotations

import time
import tracemalloc

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff import Comparison, Listing, Settled, Status, compare, from_listing, settle, state_ids
from kumoss_console.model.importdiff.held import StateIds
from kumoss_console.model.importids.blocks import import_blocks
from kumoss_console.model.importids.worksheet import worksheet
from tests.fakes.clouds import ACCOUNT, PROJECT, SUBSCRIPTION, aws_arns, azure_ids, gcp_ids
from tests.model.discovery.states import document

COUNT = 20_000
CLOUDS = {
    CloudProvider.AZURE: (SUBSCRIPTION, azure_ids, "azurerm_storage_account"),
    CloudProvider.GCP: (PROJECT, gcp_ids, "google_pubsub_topic"),
    CloudProvider.AWS: (ACCOUNT, aws_arns, "aws_sns_topic"),
}
MB = 1 << 20


async def main() -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for provider, (scope, ids_of, type_) in CLOUDS.items():
        ids = ids_of(COUNT)
        rows += _cloud(provider, scope, ids, type_)
    return rows


def _cloud(provider: CloudProvider, scope: str, ids: list[str], type_: str) -> list[tuple[str, str]]:
    half = len(ids) // 2
    raw = document(*((type_, f"r{n}", {"arn": one, "id": one, "tags": {"Name": "x"}}) for n, one in enumerate(ids[:half])))
    began = time.perf_counter()
    here = state_ids(raw, key="here")
    read = time.perf_counter() - began
    other = StateIds(key="other", objects=from_listing(tuple(ids[half : half + half // 2])))
    settled = settle(ids[:half], [here, other])

    began = time.perf_counter()
    found = _compared(provider, scope, ids, settled)
    compared = time.perf_counter() - began

    began = time.perf_counter()
    sheet = worksheet([item for item in found.items if item.status is Status.UNMANAGED], found)
    text = import_blocks(sheet)
    written = time.perf_counter() - began
    small, large = _peak(provider, scope, ids[: COUNT // 8]), _peak(provider, scope, ids)
    name = provider.value
    return [
        (f"{name}: {COUNT:,} identifiers compared", f"{compared * 1000:>8.0f} ms"),
        (f"{name}: a state of {half:,} objects, {len(raw) / MB:.1f} MB, read", f"{read * 1000:>8.0f} ms"),
        (f"{name}: a worksheet of {len(sheet):,} and its {len(text) / MB:.1f} MB of import blocks", f"{written * 1000:>8.0f} ms"),
        (f"{name}: memory at most, {COUNT:,} and {COUNT // 8:,}", f"{large / MB:>8.1f} MB {small / MB:.1f} MB"),
    ]


def _compared(provider: CloudProvider, scope: str, ids: list[str], settled: Settled) -> Comparison:
    return compare(Listing(provider=provider, scope=scope, ids=ids), settled.here, settled.elsewhere)


def _peak(provider: CloudProvider, scope: str, ids: list[str]) -> int:
    """Bytes that a comparison takes at most, without the identifiers themselves."""
    here = StateIds(key="here", objects=from_listing(tuple(ids[: len(ids) // 2])))
    tracemalloc.start()
    try:
        compare(Listing(provider=provider, scope=scope, ids=ids), here)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
