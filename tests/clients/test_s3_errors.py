"""Each way a store can fail becomes an error of its own, with a next step and without a secret."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.errors import AccessDenied, BadAnswer, ConsoleError, InputError, NotFound, ServiceError, Unreachable
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import Secret
from tests.fakes.scripted_service import (
    Exchange,
    Move,
    ScriptedService,
    closed_port,
    drip,
    hang,
    hang_up,
    raw_answer,
    reset,
    scripted_service,
    speak,
    truncated,
)

KEYS = StorageCredentials(access_key=Secret("AKIA-OURS"), secret_key=Secret("our-secret-key"), source="test")


def settings(endpoint: str) -> StorageSettings:
    return StorageSettings(endpoint_url=endpoint, connect_timeout=1.0, read_timeout=1.0, max_attempts=1)


OBJECT = {"ETag": '"x"', "Last-Modified": "Mon, 30 Nov 2026 14:00:00 GMT"}
"""What every store sends with an object."""


def xml_error(
    status: int, code: str, message: str = "as the store says", *, more: str = "", headers: dict[str, str] | None = None
) -> Move:
    body = f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>{message}</Message>{more}</Error>'
    return raw_answer(status, body.encode(), {"Content-Type": "application/xml", **(headers or {})})


@asynccontextmanager
async def store_that(*moves: Move) -> AsyncIterator[tuple[S3Store, ScriptedService]]:
    async with scripted_service(*moves) as service:
        store = S3Store(settings(service.endpoint), KEYS)
        try:
            yield store, service
        finally:
            await store.aclose()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (xml_error(412, "PreconditionFailed"), "store.changed"),
        (xml_error(501, "NotImplemented", "A header you provided implies functionality"), "store.conditions_unsupported"),
        (xml_error(403, "AccessDenied"), "store.access_denied"),
    ],
)
async def test_a_deletion_on_a_condition_tells_a_changed_object_from_a_store_that_knows_no_conditions(
    answer: Move, code: str
) -> None:
    async with store_that(answer) as (store, _):
        with pytest.raises(ConsoleError) as caught:
            await store.delete("a.tflock", etag='"e"')
    assert caught.value.code == code


ANSWERS = [
    (403, "AccessDenied", AccessDenied, "store.access_denied"),
    (403, "InvalidAccessKeyId", AccessDenied, "store.wrong_credentials"),
    (403, "SignatureDoesNotMatch", AccessDenied, "store.wrong_credentials"),
    (400, "InvalidToken", AccessDenied, "store.wrong_credentials"),
    (400, "ExpiredToken", AccessDenied, "store.expired_token"),
    (403, "RequestTimeTooSkewed", AccessDenied, "store.clock_skew"),
    (404, "NoSuchBucket", ServiceError, "store.bucket_missing"),
    (404, "NoSuchKey", NotFound, "store.object_missing"),
    (301, "PermanentRedirect", ServiceError, "store.redirected"),
    (400, "AuthorizationHeaderMalformed", ServiceError, "store.redirected"),
    (503, "SlowDown", ServiceError, "store.throttled"),
    (429, "TooManyRequests", ServiceError, "store.throttled"),
    (500, "InternalError", ServiceError, "store.fault"),
    (503, "ServiceUnavailable", ServiceError, "store.fault"),
    (400, "InvalidBucketName", InputError, "store.settings"),
    (403, "InvalidObjectState", ServiceError, "store.archived"),
    (400, "KMS.DisabledException", ServiceError, "store.encryption_key"),
    (403, "NotSignedUp", ServiceError, "store.refused"),
    (400, "RequestTimeout", ServiceError, "store.refused"),
    (409, "OperationAborted", ServiceError, "store.refused"),
    (400, "InvalidRequest", ServiceError, "store.refused"),
    (400, "SomethingNew", ServiceError, "store.refused"),
]


@pytest.mark.parametrize(("status", "code", "error", "ours"), ANSWERS, ids=[row[1] for row in ANSWERS])
async def test_what_the_store_says_becomes_an_error_of_its_own(
    status: int, code: str, error: type[ConsoleError], ours: str
) -> None:
    async with store_that(xml_error(status, code)) as (store, _):
        with pytest.raises(error) as caught:
            await store.get("a/terraform.tfstate")
    assert caught.value.code == ours
    assert caught.value.hint
    assert code in caught.value.detail


@pytest.mark.parametrize("code", ["NotSignedUp", "InvalidRequest", "SomethingNew"])
async def test_a_code_that_nobody_foresaw_is_the_stores_own_word_and_no_sign_of_another_service(code: str) -> None:
    async with store_that(xml_error(400, code, "in the store's own words")) as (store, _):
        with pytest.raises(ServiceError) as caught:
            await store.get("a/terraform.tfstate")
    assert not isinstance(caught.value, BadAnswer)
    assert caught.value.title.endswith("refused what was asked of a/terraform.tfstate")
    assert caught.value.detail == f"400 {code}: in the store's own words"
    assert "endpoint_url" not in caught.value.hint


async def test_an_archived_object_is_to_be_restored_and_a_key_of_kms_to_be_looked_at() -> None:
    hints = []
    for code, words in (("InvalidObjectState", "storage class"), ("AccessDenied", "not authorized to perform: kms:Decrypt")):
        async with store_that(xml_error(403, code, words)) as (store, _):
            with pytest.raises(ServiceError) as caught:
                await store.get("a/terraform.tfstate")
        hints.append(caught.value.hint)
    assert "restore the object" in hints[0]
    assert "kms:Decrypt" in hints[1]


async def test_the_two_ways_to_have_wrong_keys_are_told_apart() -> None:
    titles = set()
    for code in ("InvalidAccessKeyId", "SignatureDoesNotMatch"):
        async with store_that(xml_error(403, code)) as (store, _):
            with pytest.raises(AccessDenied) as caught:
                await store.check()
        titles.add(caught.value.title.partition(" ")[2])
    assert titles == {"does not know our access key", "knows our access key, and the secret key does not match it"}


async def test_the_region_the_bucket_is_in_is_named() -> None:
    moved = xml_error(301, "PermanentRedirect", headers={"x-amz-bucket-region": "eu-west-1"})
    async with store_that(moved) as (store, _):
        with pytest.raises(ServiceError) as caught:
            await store.check()
    assert caught.value.code == "store.redirected"
    assert "the bucket is in eu-west-1, the settings say us-east-1" in caught.value.detail


def bare_head(status: int, move: Move, headers: dict[str, str] | None = None) -> Move:
    """A store that answers a HEAD as HTTP has it, without a body, and everything else with ``move``."""
    bare = raw_answer(status, b"", headers)

    async def moved(exchange: Exchange) -> None:
        await (bare if exchange.request.method == "HEAD" else move)(exchange)

    return moved


@pytest.mark.parametrize(("status", "code", "error", "ours"), ANSWERS, ids=[row[1] for row in ANSWERS])
async def test_looking_at_an_object_is_refused_for_the_reason_that_a_listing_is_refused_for(
    status: int, code: str, error: type[ConsoleError], ours: str
) -> None:
    async with store_that(bare_head(status, xml_error(status, code))) as (store, _):
        with pytest.raises(error) as looked:
            await store.head("a/terraform.tfstate")
        with pytest.raises(error) as listed:
            await store.page()
    assert looked.value.code == ours == listed.value.code
    assert code in looked.value.detail or ours == "store.object_missing"


async def test_an_object_that_may_be_read_and_not_looked_at_is_looked_at_by_reading_a_byte() -> None:
    part = raw_answer(206, b"{", {**OBJECT, "Content-Range": "bytes 0-0/180"})
    async with store_that(bare_head(403, part)) as (store, _):
        info = await store.head("a/terraform.tfstate")
    assert (info.key, info.size, info.etag) == ("a/terraform.tfstate", 180, '"x"')


async def test_who_may_not_list_is_told_that_a_missing_object_is_refused_alike() -> None:
    async with store_that(bare_head(403, xml_error(403, "AccessDenied"))) as (store, _):
        with pytest.raises(AccessDenied) as caught:
            await store.head("a/terraform.tfstate")
    assert "without s3:ListBucket a store says 403 for that, too" in caught.value.detail


async def test_a_missing_object_of_a_bucket_that_may_not_be_listed_leaves_the_bucket_open() -> None:
    async with store_that(bare_head(404, xml_error(403, "AccessDenied"))) as (store, _):
        with pytest.raises(NotFound) as caught:
            await store.head("a/terraform.tfstate")
    assert "the answer carries no reason" in caught.value.detail


@pytest.mark.parametrize("status", [301, 400])
async def test_a_region_that_is_named_by_a_header_alone_is_told(status: int) -> None:
    async with store_that(raw_answer(status, b"", {"x-amz-bucket-region": "eu-west-3"})) as (store, _):
        for asked in (store.head("a"), store.check()):
            with pytest.raises(ServiceError) as caught:
                await asked
            assert caught.value.code == "store.redirected"
            assert "the bucket is in eu-west-3, the settings say us-east-1" in caught.value.detail


async def test_a_truncated_body_is_never_taken_for_the_object() -> None:
    async with store_that(truncated(200, b'{"version": 4', OBJECT)) as (store, _):
        with pytest.raises(BadAnswer) as caught:
            await store.get("a/terraform.tfstate")
    assert "ended" in caught.value.detail
    assert caught.value.hint.startswith("read it again")


@pytest.mark.parametrize(
    "body", [b"", b"<html><body>Sign in</body></html>", b'{"ok": true}', b"\xff\xfe\x00", b"<ListBucketResult>"], ids=repr
)
async def test_an_answer_that_is_no_listing_never_passes_for_an_empty_bucket(body: bytes) -> None:
    async with store_that(raw_answer(200, body, {"Content-Type": "text/html"})) as (store, _):
        with pytest.raises(BadAnswer) as caught:
            _ = [page async for page in store.pages()]
        with pytest.raises(BadAnswer):
            await store.check()
    assert caught.value.code == "store.bad_answer"
    assert "endpoint_url" in caught.value.hint


PAGES: list[tuple[str, Move]] = [
    ("html", raw_answer(200, b"<html><body>Sign in</body></html>", {"Content-Type": "text/html"})),
    ("html of a file server", raw_answer(200, b"<html></html>", {"Content-Type": "text/html; charset=utf-8", **OBJECT})),
    ("json", raw_answer(200, b'{"version": 4}', {"Content-Type": "application/json"})),
    ("etag alone", raw_answer(200, b"{}", {"ETag": '"x"'})),
    ("nothing", raw_answer(200)),
    ("no length", speak(b"HTTP/1.1 200 OK\r\nETag: x\r\nLast-Modified: Mon, 30 Nov 2026 14:00:00 GMT\r\n\r\n{}")),
    ("a length that is none", raw_answer(200, b"", {**OBJECT, "Content-Length": "many"})),
    ("a length below zero", raw_answer(200, b"", {**OBJECT, "Content-Length": "-5"})),
    ("a time that is none", raw_answer(200, b"", {**OBJECT, "Last-Modified": "yesterday"})),
]


@pytest.mark.parametrize("page", [move for _, move in PAGES], ids=[name for name, _ in PAGES])
async def test_a_200_without_the_signs_of_an_object_is_never_taken_for_one(page: Move) -> None:
    async with store_that(page) as (store, _):
        for asked in (store.head("a"), store.get("a"), store.get_range("a", 0, 4)):
            with pytest.raises(ServiceError) as caught:
                await asked
            assert not isinstance(caught.value, NotFound)
            assert caught.value.code in {"store.bad_answer", "store.unreachable"}


async def test_an_html_object_of_a_store_is_an_object() -> None:
    headers = {**OBJECT, "Content-Type": "text/html", "x-amz-request-id": "1"}
    async with store_that(raw_answer(200, b"<html></html>", headers)) as (store, _):
        assert await store.get("index.html") == b"<html></html>"


async def test_a_web_server_that_knows_no_page_is_not_a_store_without_the_object() -> None:
    async with store_that(raw_answer(404, b"<html>nginx</html>", {"Content-Type": "text/html"})) as (store, _):
        for asked in (store.head("a"), store.get("a")):
            with pytest.raises(BadAnswer):
                await asked


WEB = [
    (500, {"Content-Type": "text/html"}, "store.fault", "500 Internal Server Error (text/html)"),
    (404, {"Content-Type": "text/html"}, "store.bad_answer", "404"),
    (403, {"Content-Type": "text/html"}, "store.bad_answer", "text/html"),
    (301, {"Location": "https://store.example/b?token=abc"}, "store.bad_answer", "it points to https://store.example/b"),
    (502, {"Content-Type": "text/html"}, "store.fault", "a proxy in front of the store"),
    (429, {}, "store.throttled", "429"),
]


@pytest.mark.parametrize(("status", "headers", "code", "told"), WEB, ids=[str(row[0]) for row in WEB])
async def test_a_web_server_is_not_taken_for_a_store_without_the_bucket(
    status: int, headers: dict[str, str], code: str, told: str
) -> None:
    async with store_that(raw_answer(status, b"<html><body>nginx</body></html>", headers)) as (store, _):
        with pytest.raises(ServiceError) as caught:
            await store.check()
    assert caught.value.code == code
    assert told in caught.value.detail


@pytest.mark.parametrize(
    "item",
    [
        "<Size>3</Size>",
        "<Key>a</Key>",
        "<Key>a</Key><Size>-1</Size>",
        "<Key>a</Key><Size>many</Size>",
        "<Key>a</Key><Size>3</Size><LastModified>9999999999999999-01-01</LastModified>",
        f"<Key>a</Key><Size>{'9' * 5000}</Size>",
    ],
)
async def test_a_listing_with_values_that_cannot_be_is_a_bad_answer(item: str) -> None:
    body = f"<ListBucketResult><IsTruncated>false</IsTruncated><Contents>{item}</Contents></ListBucketResult>"
    async with store_that(raw_answer(200, body.encode())) as (store, _):
        with pytest.raises(BadAnswer):
            _ = [page async for page in store.pages()]


async def test_a_page_that_is_not_even_xml_is_told_as_the_200_it_was() -> None:
    async with store_that(raw_answer(200, b"<html><br>Sign in", {"Content-Type": "text/html"})) as (store, _):
        with pytest.raises(BadAnswer) as caught:
            await store.check()
    assert "200, without an S3 document in it (text/html)" in caught.value.detail


HALF = b"<ListBucketResult><Name>b</Name><IsTruncated>fal"


@pytest.mark.parametrize(
    ("move", "told"),
    [
        (truncated(200, HALF, {"Content-Type": "application/xml"}, missing=60), f"after {len(HALF)} of {len(HALF) + 60} bytes"),
        (speak(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<List\r\n"), "after 5 bytes"),
    ],
    ids=["of a known length", "in chunks"],
)
async def test_a_listing_that_is_cut_off_on_its_way_is_not_taken_for_the_page_of_another_service(move: Move, told: str) -> None:
    async with store_that(listing("a", token="t1"), move) as (store, _):
        pages = store.pages()
        await anext(pages)
        with pytest.raises(BadAnswer) as caught:
            await anext(pages)
    assert caught.value.code == "store.cut_off"
    assert told in caught.value.detail
    assert "endpoint_url" not in caught.value.hint


async def test_a_listing_that_is_cut_off_once_is_asked_for_again() -> None:
    async with scripted_service(truncated(200, HALF), listing("a")) as service:
        store = S3Store(replace(settings(service.endpoint), max_attempts=2), KEYS)
        assert [[info.key for info in page] async for page in store.pages()] == [["a"]]


def endless(head: bytes, chunk: bytes) -> Move:
    async def move(exchange: Exchange) -> None:
        with suppress(ConnectionError):
            await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n" + head)
            while not exchange.released.is_set():
                await exchange.send(chunk)

    return move


async def test_a_listing_without_end_is_cut_off_and_nothing_of_it_is_believed() -> None:
    contents = b"<Contents><Key>a</Key><Size>1</Size></Contents>" * 20_000
    async with store_that(endless(b"<ListBucketResult><IsTruncated>false</IsTruncated>", contents)) as (store, service):
        with pytest.raises(ServiceError) as caught:
            _ = [page async for page in store.pages()]
        assert len(service.seen) == 1
    assert caught.value.code == "store.bad_answer"
    assert "64 MiB" in caught.value.detail


def listing(*keys: str, token: str | None = None, truncated: bool | None = None) -> Move:
    contents = "".join(
        f"<Contents><Key>{key}</Key><LastModified>2026-11-30T14:00:00.000Z</LastModified><ETag>x</ETag><Size>3</Size></Contents>"
        for key in keys
    )
    more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    is_truncated = str(bool(token) if truncated is None else truncated).lower()
    body = (
        f"<ListBucketResult><Name>b</Name><EncodingType>url</EncodingType>"
        f"<IsTruncated>{is_truncated}</IsTruncated>{more}{contents}</ListBucketResult>"
    )
    return raw_answer(200, body.encode(), {"Content-Type": "application/xml"})


async def test_pages_follow_the_continuation_token() -> None:
    async with store_that(listing("a", "b", token="t1"), listing("c+d", token="t2"), listing()) as (store, service):
        pages = [[info.key for info in page] async for page in store.pages("p/")]
    assert pages == [["a", "b"], ["c d"], []]
    assert ["continuation-token=t1" in request.path for request in service.seen] == [False, True, False]
    assert all("prefix=p%2F" in request.path for request in service.seen)


async def test_a_listing_that_goes_round_in_circles_ends_as_an_error() -> None:
    async with store_that(listing("a", token="same")) as (store, _):
        with pytest.raises(BadAnswer, match="not S3"):
            _ = [page async for page in store.pages()]


async def test_a_truncated_listing_without_a_token_is_never_taken_for_complete() -> None:
    async with store_that(listing("a", truncated=True)) as (store, _):
        with pytest.raises(BadAnswer):
            _ = [page async for page in store.pages()]


async def test_an_error_after_some_pages_arrives_after_those_pages() -> None:
    async with store_that(listing("a", token="t1"), xml_error(403, "AccessDenied")) as (store, _):
        pages = store.pages()
        assert [info.key for info in await anext(pages)] == ["a"]
        with pytest.raises(AccessDenied):
            await anext(pages)


async def test_leaving_a_listing_early_leaves_no_task_behind() -> None:
    async with store_that(listing("a", token="t1"), hang) as (store, _):
        before = asyncio.all_tasks()
        pages = store.pages()
        await anext(pages)
        await pages.aclose()  # type: ignore[attr-defined]  # the port promises an iterator, the store has a generator
        await asyncio.sleep(0)
        left = {task for task in asyncio.all_tasks() - before if "_serve" not in repr(task)}
    assert not left


SILENCE = [
    (hang, "no answer came in time"),
    (hang_up, "closed before an answer came"),
    (reset, "closed before an answer came"),
    (speak(b"SSH-2.0-OpenSSH_9.6\r\n"), "closed before an answer came"),
]


@pytest.mark.parametrize(("move", "why"), SILENCE, ids=["hangs", "hangs up", "resets", "speaks ssh"])
async def test_a_store_that_gives_no_answer_is_unreachable_and_the_error_says_how(move: Move, why: str) -> None:
    async with store_that(move) as (store, _):
        with pytest.raises(Unreachable) as caught:
            await store.check()
    assert caught.value.code == "store.unreachable"
    assert why in caught.value.detail
    assert caught.value.hint


async def test_a_store_that_drips_forever_is_given_up() -> None:
    async with scripted_service(drip(200, {"x": "y" * 5000}, pause=0.05)) as service:
        quick = replace(settings(service.endpoint), connect_timeout=0.2, read_timeout=0.2, max_attempts=1)
        store = S3Store(quick, KEYS, back_off=0.2)
        with pytest.raises(Unreachable, match="does not come to an end"):
            await store.check()


@pytest.mark.parametrize("attempts", [1, 3])
async def test_a_silent_store_is_asked_once_however_many_attempts_the_settings_allow(attempts: int) -> None:
    async with scripted_service(hang) as service:
        store = S3Store(replace(settings(service.endpoint), read_timeout=0.3, max_attempts=attempts), KEYS)
        with pytest.raises(Unreachable, match="accepted the connection and does not answer"):
            _ = [page async for page in store.pages()]
        assert len(service.seen) == 1


async def test_a_store_that_fails_once_is_asked_again() -> None:
    async with scripted_service(xml_error(503, "SlowDown"), listing("a")) as service:
        store = S3Store(replace(settings(service.endpoint), max_attempts=2), KEYS)
        assert [[info.key for info in page] async for page in store.pages()] == [["a"]]


async def test_a_large_object_that_comes_slowly_has_longer_than_a_small_answer() -> None:
    slow = drip(200, "y" * 300, headers=OBJECT, after=150, pause=0.004)
    async with scripted_service(slow) as service:
        quick = replace(settings(service.endpoint), connect_timeout=0.3, read_timeout=0.3)
        assert len(await S3Store(quick, KEYS, back_off=0.9).get("a")) == 302


BROKEN = [
    ("RUSTFS_ACCESS_KEY", replace(KEYS, access_key=Secret("AKIA-OURS\n"))),
    ("RUSTFS_SECRET_KEY", replace(KEYS, secret_key=Secret("our-secret-key\r\n"))),
]


@pytest.mark.parametrize(("variable", "keys"), BROKEN)
async def test_a_key_with_a_line_feed_is_named_by_its_variable_and_never_sent(variable: str, keys: StorageCredentials) -> None:
    async with scripted_service(listing()) as service:
        store = S3Store(settings(service.endpoint), keys)
        with pytest.raises(InputError, match=variable) as caught:
            await store.check()
        assert not service.seen
    assert "AKIA" not in str(caught.value)


async def test_refused_and_unknown_names_are_told_apart() -> None:
    refused = S3Store(settings(f"http://127.0.0.1:{closed_port()}"), KEYS)
    with pytest.raises(Unreachable) as caught:
        await refused.check()
    assert "refused" in caught.value.detail
    unknown = S3Store(settings("http://store.invalid:9000"), KEYS)
    with pytest.raises(Unreachable) as caught:
        await unknown.check()
    assert "host name is not known" in caught.value.detail


async def test_https_spoken_to_a_plain_port_is_named_as_tls() -> None:
    async with scripted_service(speak(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as service:
        with pytest.raises(Unreachable) as caught:
            await S3Store(settings(service.endpoint.replace("http:", "https:")), KEYS).check()
    assert "TLS" in caught.value.detail or "closed" in caught.value.detail
    assert "https" in caught.value.hint


async def test_nobody_answering_the_connection_is_a_timeout_of_the_connection() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        waiting = []
        for _ in range(4):  # fill the backlog, so that the next connection is neither taken nor refused
            one = socket.socket()
            one.setblocking(False)
            with suppress(BlockingIOError):
                one.connect(address)
            waiting.append(one)
        before = time.monotonic()
        with pytest.raises(Unreachable) as caught:
            await S3Store(settings(f"http://127.0.0.1:{address[1]}"), KEYS).check()
        for one in waiting:
            one.close()
    assert "in time" in caught.value.detail
    assert time.monotonic() - before < 10


async def test_without_keys_the_error_names_the_settings_that_give_them() -> None:
    async with scripted_service(listing()) as service:
        store = S3Store(settings(service.endpoint), StorageCredentials(source="the SDK's credential chain"))
        with pytest.raises(AccessDenied) as caught:
            await store.check()
    assert caught.value.code == "store.no_credentials"
    assert "access_key_env" in caught.value.hint
    assert not service.seen


@pytest.mark.parametrize("endpoint", ["not a url", "", "http://", "store:9000"])
async def test_an_endpoint_that_is_no_url_is_a_fault_of_the_settings(endpoint: str) -> None:
    with pytest.raises(ConsoleError) as caught:
        await S3Store(settings(endpoint), KEYS).check()
    assert caught.value.code in {"store.settings", "store.unreachable"}


async def test_no_secret_and_no_signature_is_in_any_error() -> None:
    told = "got our-secret-key, see http://x/?X-Amz-Signature=abcdef0123&X-Amz-Credential=AKIA-OURS \x1b]52;c;QQ==\x07"
    async with store_that(xml_error(403, "AccessDenied", told.replace("&", "&amp;").replace("\x1b", "").replace("\x07", ""))) as (
        store,
        _,
    ):
        with pytest.raises(AccessDenied) as caught:
            await store.get("a\x1b[31m/terraform.tfstate")
    text = repr((str(caught.value), caught.value.title, caught.value.detail))
    assert not [secret for secret in ("our-secret-key", "abcdef0123", "AKIA-OURS", "\\x1b") if secret in text]


def test_a_storage_account_is_refused_at_once() -> None:
    with pytest.raises(InputError):
        S3Store(StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT), KEYS)


async def test_aws_is_addressed_by_virtual_host_and_the_endpoint_of_the_settings_is_ignored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with scripted_service(raw_answer(403)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.endpoint)
        amazon = replace(
            settings("http://object-storage:9000"),
            provider=StorageProvider.S3,
            region="eu-west-1",
            terraform_state_bucket="acme-state",
        )
        with pytest.raises(Unreachable) as caught:
            await S3Store(amazon, KEYS).check()
    assert {(request.method, request.path) for request in proxy.seen} == {
        ("CONNECT", "acme-state.s3.eu-west-1.amazonaws.com:443")
    }
    assert "proxy" in caught.value.detail
    assert "HTTPS_PROXY" in caught.value.hint
