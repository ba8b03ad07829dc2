"""One state, opened: from the bucket with its lock and owner, or from a file without asking anybody."""

from __future__ import annotations

import asyncio
import gc
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kumoss_console.clients.givenfile import read_document
from kumoss_console.clients.lock_objects import LockObjects
from kumoss_console.errors import AccessDenied, ConfigError, InputError, NotFound
from kumoss_console.model.state import Form
from kumoss_console.services.states import detail
from kumoss_console.services.states.detail import OpenedState, StateDetailService
from tests.fakes.clock import FakeClock
from tests.fakes.store import FakeStore
from tests.model.test_state import instance, resource, state
from tests.screens.objects import INFRA, INFRA_KEY
from tests.screens.world import CONTEXT

RAW = state(resource(instance()))
LOCK = json.dumps({"ID": "3f2504e0", "Operation": "OperationTypeApply", "Who": "ci@runner-7", "Created": "2026-01-02T00:00:00Z"})


def opened(store: FakeStore | None, key: str = INFRA_KEY) -> OpenedState:
    return asyncio.run(service(store).open(key))


def service(store: FakeStore | None) -> StateDetailService:
    owners = {INFRA_KEY.partition("/")[0]: INFRA}
    keepers = (LockObjects(store),) if store is not None else ()
    return StateDetailService(
        CONTEXT, store, lambda key: owners.get(key.partition("/")[0]), read_document, FakeClock(), keepers=keepers
    )


def test_an_object_comes_with_its_owner_its_lock_and_its_values() -> None:
    found = opened(FakeStore({INFRA_KEY: RAW, f"{INFRA_KEY}.tflock": LOCK.encode()}))
    assert found.detail is not None
    assert (found.key, found.name, found.detail.owner) == (INFRA_KEY, INFRA_KEY, INFRA)
    assert found.detail.lock_status == "locked"
    assert found.detail.lock is not None
    assert found.detail.lock.holder == "ci@runner-7"
    held = found.inside.object("aws_vpc.v", 0)
    assert held is not None
    assert held.values() == {"id": "vpc-1"}


def test_no_lock_and_a_lock_that_could_not_be_looked_for_are_two_answers() -> None:
    store = FakeStore({INFRA_KEY: RAW})
    assert opened(store).detail is not None
    free = opened(store).detail
    assert free is not None
    assert free.lock_status == "unlocked"
    store.errors[f"{INFRA_KEY}.tflock"] = AccessDenied("no")
    unknown = opened(store)
    assert unknown.detail is not None
    assert unknown.detail.lock_status == "unknown"
    assert "lock.unknown" in [finding.code for finding in unknown.findings]


def test_a_lock_object_is_opened_as_the_lock_it_is() -> None:
    found = opened(FakeStore({f"{INFRA_KEY}.tflock": LOCK.encode()}), f"{INFRA_KEY}.tflock")
    assert found.document.form is Form.LOCK
    assert found.detail is not None
    assert found.detail.lock is not None


def test_what_is_not_there_or_not_configured_says_so() -> None:
    with pytest.raises(NotFound):
        opened(FakeStore())
    with pytest.raises(ConfigError):
        opened(None)


def test_an_object_larger_than_any_state_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detail, "LARGEST_READ", 10)
    store = FakeStore({INFRA_KEY: RAW})
    found = opened(store)
    assert "state.too_large" in [finding.code for finding in found.findings]
    assert ("get", INFRA_KEY) not in store.calls


def test_a_file_is_read_with_the_time_it_was_modified_and_no_store_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "old.tfstate"
    file.write_bytes(RAW)
    store = FakeStore()
    found = asyncio.run(service(store).open_file(file))
    assert (found.file, found.key, found.document.serial) == (str(file), "", 7)
    assert found.modified == datetime.fromtimestamp(file.stat().st_mtime, UTC)
    assert store.calls == []
    with pytest.raises(InputError):
        asyncio.run(service(store).open_file(tmp_path))


def test_reading_leaves_the_collector_of_garbage_as_it_was() -> None:
    assert gc.isenabled()
    opened(FakeStore({INFRA_KEY: RAW}))
    assert gc.isenabled()
    gc.disable()
    try:
        opened(FakeStore({INFRA_KEY: RAW}))
        assert not gc.isenabled()
    finally:
        gc.enable()
