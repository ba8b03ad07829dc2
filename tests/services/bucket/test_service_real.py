"""The bucket service over a real store."""

from __future__ import annotations

import json

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.s3 import S3Store
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.services.bucket.service import BucketService
from tests.fakes.clock import FakeClock
from tests.stack import RealStore

STATE = {"version": 4, "terraform_version": "1.11.4", "serial": 41, "lineage": "7d1e", "resources": []}


async def test_states_locks_and_strangers_of_a_real_bucket(real_store: RealStore) -> None:
    mine, lone, stranger = f"{'a' * 64}/terraform.tfstate", f"{'b' * 64}/terraform.tfstate", "x/\x1b[31m.txt"
    objects = {mine: json.dumps(STATE), f"{mine}.tflock": '{"ID":"1","Who":"a@b"}', f"{lone}.tflock": "by hand", stranger: "?"}
    for key, body in objects.items():
        real_store.client.put_object(Bucket=real_store.bucket, Key=key, Body=body.encode())
    store = S3Store(real_store.settings, real_store.credentials)
    owner = KnownProject(repo="https://github.com/acme/net", scope="prod")
    context = Context(name="prod", storage=real_store.settings)
    bucket = BucketService(context, store, lambda: {"a" * 64: owner}, FakeClock(), off_loop=run_blocking)
    *_, last = [snapshot async for snapshot in bucket.stream()]
    assert {(row.key, row.kind, row.locked, row.owner) for row in last.rows} == {
        (mine, "state", True, owner),
        (f"{lone}.tflock", "lock", True, None),
        (stranger, "other", False, None),
    }
    detail = await bucket.detail(mine)
    assert (detail.state.serial, detail.lock_status, detail.lock and detail.lock.holder) == (41, "locked", "a@b")
    assert (await bucket.detail(stranger)).lock_status == "unlocked"
    assert [(held.key, held.lock is None, held.since is None) for held in await bucket.locks()] == [
        (mine, False, False),
        (lone, True, False),
    ]
    await store.aclose()
