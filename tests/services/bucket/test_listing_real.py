"""A listing in ranges over a real store, which keeps keys as paths: nothing is lost whatever the keys are."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.ports.objects import ListingPage
from kumoss_console.services.bucket.walk import Walk
from tests.stack import RealStore

DIGESTS = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(120)]
STATES = [f"{digest}/terraform.tfstate" for digest in DIGESTS]


class SmallPages(S3Store):
    """A real store asked for twenty keys at a time, so that a few keys are many pages."""

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
        return await super().page(prefix, cursor=cursor, after=after, limit=min(limit, 20))


@pytest.mark.parametrize(
    "others",
    [
        [f"{state}.tflock" for state in STATES[:20]],
        [f"env:/prod/{state}" for state in STATES[:40]] + ["a", "g", "zz/last", "ENV", "été/x"],
        [f"deep/{digest}/x" for digest in DIGESTS[:50]] + ["deep-er/x", "deep.txt", "deep!"],
        [f"{digest}-copy/terraform.tfstate" for digest in DIGESTS] + [f"{digest}.backup" for digest in DIGESTS],
    ],
    ids=["locks", "workspaces and strangers", "a folder and its neighbours", "neighbours of every digest"],
)
async def test_every_key_of_a_real_store_comes(real_store: RealStore, others: list[str]) -> None:
    keys = [*STATES, *others]
    for key in keys:
        real_store.client.put_object(Bucket=real_store.bucket, Key=key, Body=b"x")
    store = SmallPages(real_store.settings, real_store.credentials)
    walk = Walk(store)
    found = Counter([info.key async for page in walk.pages() for info in page])
    await store.aclose()
    assert set(found) == set(keys)
    assert walk.one_by_one or set(found.values()) == {1}
    assert walk.share in {1.0, None} or walk.share == pytest.approx(1.0)
