"""Managed state is off: the repository's bucket is looked into where it lies at the endpoint that this context has keys for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.config import LoadedConfig
from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.trace import Trace
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.build import Services
from kumoss_console.services.wiring.adapters import GivenAdapters
from tests.fakes.store import FakeStore
from tests.screens.objects import state
from tests.screens.workspaces import bound_workspace
from tests.services.trace.test_service import MANAGED, Desk, desk

__all__ = ["desk"]

OWN = "team/prod.tfstate"


class Lending(GivenAdapters):
    """One store for every bucket."""

    asked: list[str] = []  # noqa: RUF012 - emptied by each test

    def store_of(self, bucket: str) -> ObjectStore:
        self.asked.append(bucket)
        return FakeStore({OWN: state(41)})


async def traced(desk: Desk, endpoint: str) -> Trace:
    Lending.asked.clear()
    context = replace(desk.context, storage=StorageSettings(endpoint_url=MANAGED.endpoint_url, terraform_state_bucket=""))
    adapters = Lending(sidecar=desk.sidecar, store=None, journal=desk.journal)
    services = Services(
        config=LoadedConfig(contexts=(context,), default="prod"), context=context, adapters=adapters, clock=desk.clock, environ={}
    )
    made = replace(context, storage=StorageSettings(endpoint_url=endpoint, terraform_state_bucket="team"))
    folder: Path = bound_workspace(desk.folder / "ws", made, desk.clock(), bound=OWN)
    values = f'    bucket = "team"\n    key = "{OWN}"\n    region = "us-east-1"\n    endpoints = {{ s3 = "{endpoint}" }}\n'
    (folder / "main.tf").write_text(f'terraform {{\n  backend "s3" {{\n{values}  }}\n}}\n')
    return await services.trace.trace(folder=folder)


async def test_a_repositorys_bucket_at_this_contexts_endpoint_is_looked_into(desk: Desk) -> None:
    trace = await traced(desk, MANAGED.endpoint_url)

    assert Lending.asked == ["team"]
    assert (trace.verdict, trace.layers[2].status) == ("agree", "present"), trace.summary
    assert "the store holds serial 41" in trace.summary


@pytest.mark.parametrize("endpoint", ["https://elsewhere.acme:9000", "https://store.acme:9001"])
async def test_no_other_endpoint_ever_gets_this_contexts_keys(desk: Desk, endpoint: str) -> None:
    trace = await traced(desk, endpoint)

    assert Lending.asked == []
    assert (trace.verdict, trace.layers[2].status) == ("unknown", "unknown")
