"""A history on a storage account: a snapshot is a version to compare with and to go back to."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_leases import AzureLeases
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.services.versions.restore.commands import restore_commands
from kumoss_console.services.versions.service import VersionService
from kumoss_console.services.workspaces.places import Binding, Places
from tests.azurite import RealContainer
from tests.fakes.clock import FakeClock
from tests.histories import document

KEY = f"{'a' * 64}/terraform.tfstate"


@pytest.fixture
def loop_stays_free() -> None:
    """What a test does behind the console's back blocks."""


async def test_a_snapshot_is_listed_compared_and_gone_back_to(container: RealContainer, tmp_path: Path) -> None:
    async def none_bound() -> tuple[Binding, ...]:
        return ()

    async def bound() -> Places:
        return {}

    store = AzureStore(container.settings, container.credentials)
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    context = Context(name="azure", storage=container.settings)
    service = VersionService(
        context,
        store,
        lambda: journal,
        FakeClock(),
        places=bound,
        bindings=none_bound,
        keepers=(AzureLeases(store),),
        off_loop=run_blocking,
    )
    container.write(KEY, document(1, "a", "b"))
    container.blob(KEY).create_snapshot()
    container.write(f"{KEY}env:other", document(7, "z"))
    container.write(KEY, document(2, "a"))

    timeline = await service.timeline(KEY)
    found = await service.diff(KEY)
    restore = await service.restore_plan(KEY, "previous")

    assert [(row.version.kind, row.version.latest, row.serial) for row in timeline.rows] == [
        ("version", True, 2),
        ("snapshot", False, 1),
    ]
    assert timeline.findings == ()
    assert [(change.kind.value, change.address) for change in found.changes] == [("removed", "aws_vpc.b")]
    assert (restore.plan.serial, restore.locked, restore.deleted) == (3, False, False)
    assert restore.version.version_id in restore_commands(restore)[0].text

    # The lock of this backend is a lease, and no object beside the state.
    container.blob(KEY).acquire_lease()
    held = await service.restore_plan(KEY, "previous")
    assert (held.locked, held.findings[0].code) == (True, "restore.locked")
    await store.aclose()
    journal.close()
