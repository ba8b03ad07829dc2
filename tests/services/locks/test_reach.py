"""How far the jobs of other contexts reach: elsewhere only where that is sure."""

from __future__ import annotations

import pytest

from kumoss_console.model.context import Context, IacSettings
from kumoss_console.model.lock.holder import Reach
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.services.locks.reach import reaches

OWN = StorageSettings(endpoint_url="http://store:9000", terraform_state_bucket="tf")
AZURE = StorageSettings(
    provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url="https://one.blob.core.windows.net", terraform_state_bucket="tf"
)


def context(storage: StorageSettings, name: str = "other", *, sidecar: str = "http://iac:8082") -> Context:
    return Context(name=name, storage=storage, iac=IacSettings(endpoint=sidecar))


@pytest.mark.parametrize(
    ("own", "other", "elsewhere"),
    [
        (OWN, OWN, False),
        # A proxy, a forwarded port, a name within a cluster: another name may be the same store.
        (OWN, StorageSettings(endpoint_url="http://localhost:19000", terraform_state_bucket="tf"), False),
        (OWN, StorageSettings(endpoint_url="http://store:9000", terraform_state_bucket="tf-dev"), True),
        # The repository says where the state goes.
        (OWN, StorageSettings(endpoint_url="http://store:9000", terraform_state_bucket=""), False),
        (StorageSettings(terraform_state_bucket=""), OWN, False),
        (OWN, StorageSettings(provider=StorageProvider.S3, terraform_state_bucket="tf"), False),
        (OWN, AZURE, True),
        (AZURE, AZURE, False),
        (AZURE, StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT, terraform_state_bucket="tf"), False),
        (
            AZURE,
            StorageSettings(
                provider=StorageProvider.STORAGE_ACCOUNT,
                endpoint_url="https://two.blob.core.windows.net",
                terraform_state_bucket="tf",
            ),
            True,
        ),
    ],
)
def test_another_context_keeps_its_states_elsewhere_only_where_that_is_sure(
    own: StorageSettings, other: StorageSettings, elsewhere: bool
) -> None:
    assert reaches(context(own, "own"), [context(other)])["other"] == Reach(here=True, elsewhere=elsewhere)


def test_the_workspaces_of_another_sidecar_are_not_those_that_can_be_seen_from_here() -> None:
    own = context(OWN, "own")
    found = reaches(own, [own, context(OWN, "same", sidecar="http://IAC:8082/"), context(OWN, sidecar="http://iac-2:8082")])
    assert found == {"own": Reach(here=True), "same": Reach(here=True), "other": Reach()}
