"""The short way to a few bytes takes only the plain good answer; whatever else comes is taken the long way, and told by it."""

from __future__ import annotations

import pytest

from kumoss_console.errors import AccessDenied, ServiceError, Unreachable
from tests.clients.test_s3_errors import OBJECT, store_that, xml_error
from tests.fakes.scripted_service import Exchange, Move, hang, hang_up, raw_answer, speak, truncated

BODY = b"0123456789"


def part(start: int, length: int, *, size: int = 5000, etag: str = '"x"') -> Move:
    content = (BODY * 500)[start : start + length]
    told = {"Content-Range": f"bytes {start}-{start + length - 1}/{size}", **OBJECT, "ETag": etag}
    return raw_answer(206, content, told)


def chunked(exchange_body: bytes) -> Move:
    async def move(exchange: Exchange) -> None:
        told = "".join(f"{name}: {value}\r\n" for name, value in OBJECT.items())
        head = f"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-9/5000\r\n{told}Transfer-Encoding: chunked\r\n\r\n"
        await exchange.send(head.encode() + b"%x\r\n%s\r\n0\r\n\r\n" % (len(exchange_body), exchange_body))

    return move


async def test_the_second_read_goes_the_short_way_on_the_same_connection() -> None:
    async with store_that(part(0, 10), part(5, 5), part(7, 3)) as (store, service):
        for start, length in ((0, 10), (5, 5), (7, 3)):
            found = await store.fetch_range("a b/k", start, length)
            assert found.content == BODY[start : start + length]
            assert (found.info.size, found.info.etag) == (5000, '"x"')
        long, short, _ = service.seen
        assert long.path == short.path == "/kumoss-terraform-state/a%20b/k"
        assert "amz-sdk-request" in long.headers
        assert "amz-sdk-request" not in short.headers
        assert short.headers["range"] == "bytes=5-9"


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(raw_answer(200, BODY * 500, OBJECT), id="a store that knows no ranges"),
        pytest.param(raw_answer(206, b"56789", OBJECT), id="no Content-Range"),
        pytest.param(raw_answer(206, b"56789", {"Content-Range": "bytes 6-10/5000", **OBJECT}), id="another range"),
        pytest.param(raw_answer(206, b"5678901", {"Content-Range": "bytes 5-11/5000", **OBJECT}), id="more than asked"),
        pytest.param(raw_answer(206, b"", {"Content-Range": "bytes 5-9/5000", **OBJECT}), id="nothing"),
        pytest.param(raw_answer(206, b"56789", {"Content-Range": "bytes 5-9/5000"}), id="none of the signs of an object"),
        pytest.param(truncated(206, b"56789", {"Content-Range": "bytes 5-9/5000", **OBJECT}, missing=2), id="cut short"),
        pytest.param(chunked(b"56789"), id="chunked"),
        pytest.param(speak(b"\0" * 99), id="no HTTP at all"),
        pytest.param(speak(b"HTTP/1.1 206 x\r\nA: " + b"a" * 70_000), id="headers without end"),
        pytest.param(hang_up, id="closed"),
        pytest.param(raw_answer(503, b"", {}), id="503"),
    ],
)
async def test_any_other_answer_is_asked_for_again_the_long_way(odd: Move) -> None:
    async with store_that(part(0, 10), odd, part(5, 5), part(0, 10)) as (store, service):
        await store.fetch_range("k", 0, 10)
        assert (await store.fetch_range("k", 5, 5)).content == b"56789"
        assert (await store.fetch_range("k", 0, 10)).content == BODY
        assert len(service.seen) == 4


async def test_errors_are_those_of_the_long_way_and_silence_is_not_asked_twice() -> None:
    refused = xml_error(403, "AccessDenied")
    async with store_that(part(0, 10), refused, refused, hang) as (store, service):
        await store.fetch_range("k", 0, 10)
        with pytest.raises(AccessDenied):
            await store.fetch_range("k", 0, 10)
        async with store_that(part(0, 10), hang, part(0, 10)) as (other, asked):
            await other.fetch_range("k", 0, 10)
            with pytest.raises(Unreachable):
                await other.fetch_range("k", 0, 10)
            assert len(asked.seen) == 2
        assert len(service.seen) == 3


async def test_a_short_way_that_never_works_is_given_up() -> None:
    whole = raw_answer(200, BODY * 500, OBJECT)
    async with store_that(part(0, 10), *[whole] * 40) as (store, service):
        for _ in range(15):
            assert (await store.fetch_range("k", 0, 10)).content == BODY
        assert len(service.seen) <= 15 + 5


async def test_no_secret_is_in_what_a_failure_tells() -> None:
    async with store_that(part(0, 10), xml_error(403, "SignatureDoesNotMatch"), xml_error(403, "SignatureDoesNotMatch")) as (
        store,
        _,
    ):
        await store.fetch_range("k", 0, 10)
        with pytest.raises(ServiceError) as caught:
            await store.fetch_range("k", 0, 10)
        assert "our-secret-key" not in str(caught.value)
        assert "Signature=" not in str(caught.value)
