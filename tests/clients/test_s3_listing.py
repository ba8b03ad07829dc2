"""A page of keys is read by a parser of our own: it must say what botocore would, and leave to botocore what it does not know."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from urllib.parse import quote
from xml.sax.saxutils import escape

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.errors import BadAnswer, ConsoleError
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.ports.objects import ListingPage, ObjectInfo
from kumoss_console.text import Secret
from tests.fakes.scripted_service import ScriptedService, raw_answer, scripted_service
from tests.hostile import HOSTILE

KEYS = StorageCredentials(access_key=Secret("AKIA-OURS"), secret_key=Secret("our-secret-key"), source="test")
SPACE = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
WRITTEN = datetime(2026, 11, 30, 14, 0, 0, 123000, UTC)


@asynccontextmanager
async def store_that_says(body: str | bytes) -> AsyncIterator[tuple[S3Store, ScriptedService]]:
    raw = body.encode() if isinstance(body, str) else body
    async with scripted_service(raw_answer(200, raw, {"Content-Type": "application/xml"})) as service:
        settings = StorageSettings(endpoint_url=service.endpoint, connect_timeout=1.0, read_timeout=1.0, max_attempts=1)
        store = S3Store(settings, KEYS)
        try:
            yield store, service
        finally:
            await store.aclose()


def item(key: str, *, size: str = "7", modified: str = "2026-11-30T14:00:00.123Z", more: str = "") -> str:
    return (
        f"<Contents><Key>{key}</Key><LastModified>{modified}</LastModified><ETag>&quot;e&quot;</ETag><Size>{size}</Size>"
        f"{more}</Contents>"
    )


def listing(*items: str, space: str = SPACE, encoded: bool = True, following: str = "") -> str:
    more = f"<NextContinuationToken>{following}</NextContinuationToken>" if following else ""
    kind = "<EncodingType>url</EncodingType>" if encoded else ""
    truncated = "true" if following else "false"
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><ListBucketResult{space}><Name>b</Name>{kind}'
        f"<IsTruncated>{truncated}</IsTruncated>{more}{''.join(items)}</ListBucketResult>"
    )


async def page_of(body: str | bytes) -> ListingPage:
    async with store_that_says(body) as (store, _):
        return await store.page()


@pytest.mark.parametrize("space", [SPACE, "", ' xmlns="http://doc.s3.amazonaws.com/2006-03-01"'])
async def test_objects_are_read_in_whatever_namespace_a_store_puts_them(space: str) -> None:
    page = await page_of(listing(item("a%2Fterraform.tfstate"), following="next&amp;more", space=space))
    assert page.objects == (ObjectInfo(key="a/terraform.tfstate", size=7, modified=WRITTEN, etag='"e"'),)
    assert page.cursor == "next&more"


@pytest.mark.parametrize("key", [*HOSTILE, "a%2Fb", "a+b", "a b", "100%", "%25", "é/世界", ""])
async def test_a_key_comes_back_exactly_as_it_is(key: str) -> None:
    (found,) = (await page_of(listing(item(quote(key, safe="/"))))).objects
    assert found.key == key


async def test_a_store_that_does_not_encode_keys_is_taken_at_its_word() -> None:
    page = await page_of(listing(item(escape("a%2Fb+c & <d>")), encoded=False))
    assert [info.key for info in page.objects] == ["a%2Fb+c & <d>"]


async def test_what_a_store_leaves_out_is_not_made_up() -> None:
    page = await page_of(listing("<Contents><Key>a</Key><Size>0</Size></Contents>"))
    assert page.objects == (ObjectInfo(key="a", size=0, modified=None, etag=None),)


async def test_a_time_without_a_zone_is_utc_and_one_that_is_none_is_no_time() -> None:
    page = await page_of(listing(item("a", modified="2026-11-30T14:00:00.123"), item("b", modified="")))
    assert [info.modified for info in page.objects] == [WRITTEN, None]


@pytest.mark.parametrize(
    "body",
    [
        listing(item("a", size="many")),
        listing(item("a", size="-1")),
        listing("<Contents><Size>1</Size></Contents>"),
        listing("<Contents><Key>a</Key></Contents>"),
        listing(item("a", modified="yesterday")),
        listing(item("a"))[:-20],
        listing().replace("<IsTruncated>false</IsTruncated>", ""),
        listing("<Contents><Size>1</Size></Contents>", encoded=False),
        listing(following="x").replace("<NextContinuationToken>x</NextContinuationToken>", ""),
    ],
    ids=lambda body: body[-60:],
)
async def test_what_cannot_be_a_listing_is_no_listing(body: str) -> None:
    with pytest.raises(BadAnswer):
        await page_of(body)


async def test_an_error_inside_a_200_is_the_stores_error() -> None:
    with pytest.raises(ConsoleError) as caught:
        await page_of("<Error><Code>SlowDown</Code><Message>later</Message></Error>")
    assert caught.value.code == "store.throttled"


async def test_entities_that_grow_without_end_are_never_expanded() -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE b [<!ENTITY e0 "boom">{levels}]>' + listing(item("&e11;")).partition("?>")[2]
    with pytest.raises(BadAnswer):
        await page_of(bomb)


async def test_a_page_asks_for_what_comes_after_a_key_or_from_a_cursor_never_for_both() -> None:
    async with store_that_says(listing()) as (store, service):
        await store.page("p/", after="p/8", limit=40)
        await store.page("p/", after="p/8", cursor="there")
    first, second = (seen.path for seen in service.seen)
    assert "start-after=p%2F8" in first
    assert "max-keys=40" in first
    assert "continuation-token=there" in second
    assert "start-after" not in second
