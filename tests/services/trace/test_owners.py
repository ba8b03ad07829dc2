"""Who owns the state at all: two owners, an override that outlived managed state, a file that nobody declared."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.build import Services
from kumoss_console.services.wiring.adapters import GivenAdapters
from tests.fakes.store import FakeStore
from tests.screens.objects import resource, state
from tests.screens.workspaces import bound_workspace
from tests.services.trace.test_service import ASKED, KEY, MANAGED, Desk, codes, desk

__all__ = ["desk"]


@pytest.mark.parametrize("text", ["max_retries = 7\n", f'key = "{KEY}"\n'])
async def test_two_owners_disagree_even_where_the_places_are_the_same(desk: Desk, tmp_path: Path, text: str) -> None:
    (tmp_path / "f.hcl").write_text(text)
    desk.context = replace(desk.context, backend_config=str(tmp_path / "f.hcl"))
    desk.objects[KEY] = state(41)
    trace = await desk.trace(desk.workspace())
    assert (trace.verdict, trace.cause) == ("disagree", "mixed_ownership")
    assert "lays that file over the core's override key by key" in trace.summary
    assert ("whose key the file sets" in trace.summary) is text.startswith("key")
    assert "trace.mixed_ownership" in codes(trace)
    assert "backend.mixed_ownership" not in codes(trace)


async def test_two_owners_disagree_without_a_workspace_and_without_the_file(desk: Desk) -> None:
    desk.context = replace(desk.context, backend_config="/etc/kumoss/backend.hcl")
    trace = await desk.trace(project=ASKED)
    assert (trace.verdict, trace.cause) == ("disagree", "mixed_ownership")
    assert "what it makes of the core's place" in trace.summary
    assert "is not known here" in trace.summary
    assert [finding.code for finding in trace.findings].count("trace.mixed_ownership") == 1


async def test_two_owners_are_told_beside_another_cause(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "f.hcl").write_text('key = "shared"\n')
    desk.context = replace(desk.context, backend_config=str(tmp_path / "f.hcl"))
    trace = await desk.trace(desk.workspace(bound="shared", hours=0))
    assert trace.cause == "key_in_shared_file"
    assert "one of the two has to own the state" in trace.summary


def local_state(folder: Path, serial: int = 7) -> None:
    (folder / "terraform.tfstate").write_bytes(state(serial, resources=[resource("a")]))


async def test_a_local_state_where_nothing_is_bound_was_applied_and_stops_the_next_init(desk: Desk) -> None:
    folder = desk.unbound()
    local_state(folder)
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "local_state_beside")
    assert "serial 7, 1 resource" in trace.summary
    assert "the next init stops at it" in trace.summary
    assert "whether one ran is not known" not in trace.summary
    aside, check, bind, push, _ = [step.command for step in trace.steps]
    assert aside == f"mv -n {folder}/terraform.tfstate {folder}/local-state.tfstate"
    assert bind == f"{check} && tofu -chdir={folder} init -input=false -reconfigure"
    assert push.startswith(f"{check} && ")
    assert push.endswith(f"< {folder}/local-state.tfstate")


async def test_a_local_state_beside_an_empty_binding_is_the_cause_and_beside_a_full_one_a_warning(desk: Desk) -> None:
    folder = desk.workspace()
    local_state(folder)
    empty = await desk.trace(folder)
    assert (empty.verdict, empty.cause) == ("disagree", "local_state_beside")
    desk.objects[KEY] = state(41)
    full = await desk.trace(folder)
    assert (full.verdict, full.cause) == ("agree", "")
    assert any(one.code == "trace.local_beside" and "the next init stops at it" in one.message for one in full.findings)


async def test_a_local_state_is_never_pushed_over_a_state_that_the_store_holds(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    folder = desk.unbound()
    local_state(folder)
    trace = await desk.trace(folder)
    assert trace.cause == "local_state_beside"
    assert not any("push" in step.command for step in trace.steps)


async def test_a_local_state_that_is_bound_is_moved_aside_before_the_init_that_would_stop_at_it(desk: Desk) -> None:
    folder = desk.workspace()
    local_state(folder)
    pointer = folder / ".terraform" / "terraform.tfstate"
    pointer.write_text(json.dumps({"version": 3, "backend": {"type": "local", "config": {"path": None}}}))
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "local_state_beside")
    assert trace.steps[0].command.startswith("mv -n ")


OWN = "own/mo-a.tfstate"


def block(bucket: str = MANAGED.terraform_state_bucket, endpoint: str = MANAGED.endpoint_url, key: str = OWN) -> str:
    values = f'    bucket = "{bucket}"\n    key = "{key}"\n    region = "us-east-1"\n    endpoints = {{ s3 = "{endpoint}" }}\n'
    return f'terraform {{\n  backend "s3" {{\n{values}  }}\n}}\n'


class LendingDesk(Desk):
    """One more bucket at the endpoint of the context. Counts what was asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.buckets: dict[str, dict[str, bytes]] = {}
        self.asked: list[str] = []

    @property
    def services(self) -> Services:
        made = super().services
        stores = self

        class Lending(GivenAdapters):
            def store_of(self, bucket: str) -> ObjectStore:
                stores.asked.append(bucket)
                own = bucket == MANAGED.terraform_state_bucket and stores.store is not None
                return FakeStore(stores.objects if own else stores.buckets.get(bucket, {}))

        adapters = Lending(sidecar=self.sidecar, store=self.store, journal=self.journal)
        return Services(config=made.config, context=self.context, adapters=adapters, clock=self.clock, environ={})


@pytest.fixture
def lending(tmp_path: Path) -> LendingDesk:
    return LendingDesk(tmp_path)


async def test_the_state_under_the_block_that_the_override_erased_is_named(lending: LendingDesk) -> None:
    lending.objects[OWN] = state(41)
    folder = lending.workspace()
    (folder / "backend.tf").write_text(block())
    trace = await lending.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "block_erased"), trace.summary
    assert "the repository's block (backend.tf:2, erased by the override) says s3 kumoss-terraform-state" in trace.summary
    assert f"key {OWN}, where serial 41" in trace.summary
    assert "turn managed state off" in trace.summary
    assert any(f"key={OWN}" in step.command for step in trace.steps)


async def test_the_erased_block_in_another_bucket_of_the_endpoint_is_looked_at_and_carried_by_hand(lending: LendingDesk) -> None:
    lending.buckets["team"] = {OWN: state(41)}
    folder = lending.workspace()
    (folder / "backend.tf").write_text(block("team"))
    trace = await lending.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "block_erased"), trace.summary
    assert lending.asked == ["team"]
    assert trace.steps == ()


async def test_an_erased_block_of_another_endpoint_gets_no_keys_and_is_said_as_possible(lending: LendingDesk) -> None:
    folder = lending.workspace()
    (folder / "backend.tf").write_text(block("team", "https://elsewhere.acme"))
    trace = await lending.trace(folder)
    assert lending.asked == []
    assert (trace.verdict, trace.cause, trace.unkept) == ("agree", "block_erased", True)
    assert "the state may lie there" in trace.summary


async def test_an_erased_block_with_nothing_under_it_or_a_state_of_the_cores_own_is_no_cause(lending: LendingDesk) -> None:
    folder = lending.workspace()
    (folder / "backend.tf").write_text(block())
    assert (await lending.trace(folder)).cause == ""
    lending.objects.update({OWN: state(41), KEY: state(3)})
    assert (await lending.trace(folder)).verdict == "agree"


def outlived(lending: LendingDesk, *, bound: str, own: str = block()) -> Path:
    """The core wrote its override; managed state was turned off after that."""
    folder = lending.workspace(bound=bound)
    if own:
        (folder / "backend.tf").write_text(own)
    lending.context = replace(lending.context, storage=replace(MANAGED, terraform_state_bucket=""))
    return folder


async def test_an_override_that_outlived_managed_state_is_wrong_and_not_the_engine(lending: LendingDesk) -> None:
    lending.objects[OWN] = state(41)
    folder = outlived(lending, bound=OWN)
    trace = await lending.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "leftover_override"), trace.summary
    assert "the engine is bound to the repository's block" in trace.summary
    assert "holds serial 41" in trace.summary
    assert "Wrong: backend_override.tf" in trace.summary
    assert [step.command.split(" ")[0] for step in trace.steps] == ["rm", "tofu", "tofu"]
    assert not any("state pu" in step.command for step in trace.steps)
    assert "is in force" in trace.layers[0].detail


async def test_an_override_that_outlived_managed_state_and_was_bound_is_no_agreement(lending: LendingDesk) -> None:
    lending.objects[KEY] = state(41)
    trace = await lending.trace(outlived(lending, bound=KEY))
    assert (trace.verdict, trace.cause) == ("disagree", "leftover_override"), trace.summary
    assert f"the repository's own block (backend.tf:2) says bucket kumoss-terraform-state key {OWN}" in trace.summary
    assert "it is in force" in trace.summary
    assert "state pull" in trace.steps[0].command
    assert not any("push" in step.command for step in trace.steps)


async def test_without_a_block_of_its_own_nobody_keeps_the_state_once_the_override_is_gone(lending: LendingDesk) -> None:
    trace = await lending.trace(outlived(lending, bound=KEY, own=""))
    assert (trace.verdict, trace.cause) == ("disagree", "leftover_override")
    assert "nobody keeps the state" in trace.summary
    assert trace.steps == ()


async def test_an_override_file_of_the_repositorys_own_is_no_leftover(lending: LendingDesk) -> None:
    folder = outlived(lending, bound=OWN)
    (folder / "backend_override.tf").write_text(block())
    trace = await lending.trace(folder)
    assert trace.cause != "leftover_override"


async def test_backend_says_what_is_in_force_and_that_the_context_says_off(lending: LendingDesk) -> None:
    folder = outlived(lending, bound=OWN)
    found = await lending.services.workspaces.inspect(folder)
    assert found.ownership.model == "repository"
    assert "is in force" in found.ownership.explanation
    assert not found.ownership.certain
    assert "backend.leftover_override" in {finding.code for finding in found.findings}


SHARED = "shared/all.tfstate"


def by_hand(lending: LendingDesk, name: str = "ws", *, key: str, hours: float) -> Path:
    """A module with its own block, written ``hours`` ago and bound to ``key`` 3 hours ago."""
    folder = bound_workspace(lending.folder / "root" / name, lending.context, lending.clock(), bound=key)
    pointer = folder / ".terraform" / "terraform.tfstate"
    text = pointer.read_text().replace('"bucket": ""', '"bucket": "team"')
    then = pointer.stat().st_mtime
    pointer.write_text(text)
    os.utime(pointer, (then, then))
    (folder / "backend.tf").write_text(block("team", key=f"own/{name}.tfstate"))
    written = lending.clock().timestamp() - hours * 3600
    for file in ("backend.tf", "main.tf"):
        os.utime(folder / file, (written, written))
    return folder


@pytest.fixture
def off(lending: LendingDesk) -> LendingDesk:
    storage = replace(MANAGED, terraform_state_bucket="")
    lending.context = replace(lending.context, storage=storage, projects=(), workspaces_root=str(lending.folder / "root"))
    lending.buckets["team"] = {SHARED: state(41)}
    return lending


async def test_a_file_that_nobody_declared_was_laid_over_a_block_older_than_the_init(off: LendingDesk) -> None:
    folder = by_hand(off, key=SHARED, hours=5)
    by_hand(off, "mo-b", key=SHARED, hours=5)
    trace = await off.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "unseen_file"), trace.summary
    assert "last written before that init (2 h" in trace.summary
    assert "mo-b has the same state" in trace.summary
    assert "it holds serial 41" in trace.summary
    assert trace.steps == ()


async def test_a_block_younger_than_the_init_was_changed_and_a_state_of_others_is_not_carried_away(off: LendingDesk) -> None:
    folder = by_hand(off, key=SHARED, hours=1)
    alone = await off.trace(folder)
    assert alone.cause == "block_changed"
    assert any("push" in step.command for step in alone.steps)
    by_hand(off, "mo-b", key=SHARED, hours=1)
    shared = await off.trace(folder)
    assert (shared.cause, shared.steps) == ("block_changed", ())
    assert "mo-b has the same state" in shared.summary
