"""The commands over a storage account (Azurite): the same shapes as over any other store."""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from kumoss_console.cli.world import World
from tests.azurite import RealContainer
from tests.cli.harness import Run, run_in

REPO = "https://git.acme.example/team/infra.git"
SCOPE = "11111111-2222-3333-4444-555555555555"
PROJECT = ("--repo", REPO, "--scope", SCOPE)

Command = Callable[..., Run]


@pytest.fixture
def command(container: RealContainer, isolated: Path) -> Command:
    """Runs the command line on a configuration file that names the container; no adapter is given, all are its own."""
    document = {
        "console": {
            "contexts": [
                {
                    "name": "azure",
                    "storage": {
                        "provider": "STORAGE_ACCOUNT",
                        "terraform_state_bucket": container.name,
                        "endpoint_url": container.settings.endpoint_url,
                    },
                    "services": {"iac": {"endpoint": "http://127.0.0.1:1"}},
                    "sidecar": {"backend_config": ""},
                    "projects": [{"repo": REPO, "scope": SCOPE, "path": "", "provider": "azure", "name": "team/infra"}],
                }
            ]
        }
    }
    (isolated / "kumoss-console.yaml").write_text(json.dumps(document))
    environ = os.environ | {"STORAGE_ACCOUNT_KEY": container.azurite.key.reveal(), "KUMOSS_IAC_TOKEN": "t"}

    def run(*argv: str, **more: str) -> Run:
        world = World(stdin=io.BytesIO(), stdout=io.BytesIO(), stderr=io.BytesIO(), environ=environ | more, cwd=isolated)
        return run_in(world, *argv)

    return run


def state(serial: int, *names: str) -> bytes:
    resources = [
        {
            "mode": "managed",
            "type": "terraform_data",
            "name": name,
            "provider": 'provider["terraform.io/builtin/terraform"]',
            "instances": [{"schema_version": 0, "attributes": {"id": f"id-{name}"}}],
        }
        for name in names
    ]
    document = {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": serial,
        "lineage": "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "outputs": {"password": {"value": "hunter2", "type": "string", "sensitive": True}},
        "resources": resources,
    }
    return json.dumps(document).encode()


def lock(container: RealContainer, key: str) -> str:
    from azure.storage.blob import BlobLeaseClient

    lock_id = str(uuid4())
    BlobLeaseClient(container.blob(key), lease_id=lock_id).acquire()
    held = {"ID": lock_id, "Who": "ops@runner-7", "Operation": "OperationTypeApply", "Created": "2026-11-30T14:00:00Z"}
    metadata = {"terraformlockid": base64.b64encode(json.dumps(held).encode()).decode()}
    container.blob(key).set_blob_metadata(metadata, lease=lock_id)
    return lock_id


def test_a_day_at_a_storage_account(command: Command, container: RealContainer) -> None:
    key = command("key", *PROJECT, "--json").data["key"]
    assert command("key", *PROJECT, "--check", "--json").data["object"]["status"] == "absent"
    assert command("state", "list", "--json").data == []
    container.write(key, state(1, "one"))
    container.blob(key).create_snapshot()
    container.write(key, state(2, "one", "two"))
    container.write(f"{key}env:prod", state(7))
    lock_id = lock(container, key)

    looked = command("key", *PROJECT, "--check", "--json").data["object"]
    assert (looked["status"], looked["serial"], looked["lock_status"]) == ("present", 2, "locked")
    assert looked["lock"]["id"] == lock_id
    traced = command("trace", *PROJECT)
    assert "the store holds serial 2, 2 resources, locked by ops@runner-7" in traced.out

    listed = command("state", "list", "--json").data
    assert [(row["key"], row["kind"], row["locked"]) for row in listed] == [
        (key, "state", True),
        (f"{key}env:prod", "workspace", False),
    ]
    assert listed[1]["workspace"] == "prod"

    shown = command("state", "show", key)
    assert f"lock id    {lock_id}" in shown.out
    assert "hunter2" not in shown.out
    versions = command("state", "versions", key, "--json").data["versions"]
    assert [(version["kind"], version["serial"]) for version in versions] == [("version", 2), ("snapshot", 1)]
    different = command("state", "diff", key)
    assert (different.code, "terraform_data.two" in different.out) == (1, True)

    (held,) = command("state", "locks", "--json").data
    assert (held["key"], held["mechanism"]) == (key, "lease")
    wrong = command("state", "unlock", key, "--lock-id", str(uuid4()), "--json")
    assert wrong.code == 5
    assert command("state", "unlock", key, "--lock-id", lock_id).code == 0
    assert command("state", "locks", "--json").data == []
    assert container.blob(key).download_blob().readall() == state(2, "one", "two")

    # What an engine that was killed leaves once its lease was broken by hand.
    metadata = base64.b64encode(json.dumps({"ID": lock_id, "Who": "ops@runner-7"}).encode()).decode()
    container.blob(key).set_blob_metadata({"terraformlockid": metadata})
    left = command("state", "locks", key, "--json").data
    assert (left["locked"], [finding["code"] for finding in left["findings"]]) == (False, ["lock.metadata_left"])
    assert "ops@runner-7" in left["findings"][0]["message"]


def test_a_wrong_key_is_an_error_with_a_next_step_and_never_shown(command: Command) -> None:
    wrong = command("state", "list", STORAGE_ACCOUNT_KEY="bm90IHRoZSBrZXk=")
    assert wrong.code == 3
    assert "does not take the key in STORAGE_ACCOUNT_KEY" in wrong.err
    assert "bm90" not in wrong.err + wrong.out


def test_a_sas_is_enough_to_look(command: Command, container: RealContainer) -> None:
    container.write("a", b"x")
    sas = container.sas(permission="rl", expiry=datetime.now(UTC) + timedelta(hours=1))
    listed = command("state", "list", "--json", STORAGE_ACCOUNT_KEY="", STORAGE_ACCOUNT_SAS=sas)
    assert [row["key"] for row in listed.data] == ["a"]
    refused = command("state", "list", "--json", STORAGE_ACCOUNT_KEY="")
    assert refused.error["code"] == "store.no_credentials"
