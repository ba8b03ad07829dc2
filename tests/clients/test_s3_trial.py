"""What a trial finds out of an S3 store whose answers say one thing and could be taken for another."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.model.endpoint import Aspect, AspectName
from tests.clients.test_s3_errors import KEYS, listing, settings, xml_error
from tests.fakes.scripted_service import Exchange, Move, hang_up, raw_answer, reset, scripted_service

KEY = "kumoss-console-scratch/trial"
NO_VERSIONS = b"<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>"


@dataclass
class OneKey:
    """A store for one key that enforces conditions. ``checksum``, ``condition`` and ``first`` answer a PUT of that kind instead,
    ``match`` a deletion on a condition; what came ``first`` is written all the same."""

    checksum: Move | None = None
    condition: Move | None = None
    first: Move | None = None
    match: Move | None = None
    there: bool = False
    deletes: int = 0
    puts: list[bool] = field(default_factory=list)

    async def __call__(self, exchange: Exchange) -> None:
        await self._move(exchange)(exchange)

    def _move(self, exchange: Exchange) -> Move:
        request = exchange.request
        parts = urlsplit(request.path)
        if request.method == "GET" and "versions" in parse_qs(parts.query, keep_blank_values=True):
            return raw_answer(200, NO_VERSIONS, {"Content-Type": "application/xml"})
        if request.method == "GET":
            return listing(*([KEY] if self.there else []))
        if request.method == "DELETE":
            return self._deleted("if-match" in request.headers)
        return self._put("if-none-match" in request.headers, "x-amz-checksum-crc32" in request.headers)

    def _deleted(self, on_condition: bool) -> Move:
        if on_condition:
            return self.match or xml_error(412, "PreconditionFailed")
        self.deletes += 1
        self.there = False
        return raw_answer(204)

    def _put(self, on_condition: bool, with_checksum: bool) -> Move:
        self.puts.append(on_condition)
        if with_checksum and self.checksum is not None:
            return self.checksum
        if on_condition and self.condition is not None:
            return self.condition
        if on_condition and self.there:
            return xml_error(412, "PreconditionFailed")
        self.there = True
        lost, self.first = self.first, None
        return lost or raw_answer(200, b"", {"ETag": '"x"'})


async def tried_on(service: OneKey) -> dict[AspectName, Aspect]:
    async with scripted_service(service) as running:
        store = S3Store(settings(running.endpoint), KEYS)
        found = {aspect.name: aspect async for aspect in store.examiner.try_writes(KEY)}
        await store.aclose()
    return found


REFUSALS = [
    (400, "InvalidRequest", "bad"),
    (400, "InvalidArgument", "bad"),
    (501, "NotImplemented", "bad"),
    (400, "NotImplemented", "bad"),
    (403, "AccessDenied", "unknown"),
    (400, "ExpiredToken", "unknown"),
    (404, "NoSuchBucket", "unknown"),
    (409, "OperationAborted", "unknown"),
    (429, "TooManyRequests", "unknown"),
    (500, "InternalError", "unknown"),
    (503, "SlowDown", "unknown"),
]


@pytest.mark.parametrize(("status", "code", "standing"), REFUSALS, ids=[f"{row[0]}-{row[1]}" for row in REFUSALS])
async def test_checksums_are_refused_where_the_store_says_so_and_not_where_it_fails(
    status: int, code: str, standing: str
) -> None:
    service = OneKey(checksum=xml_error(status, code))
    found = await tried_on(service)
    assert found["checksums"].standing == standing
    assert code in found["checksums"].evidence
    assert not service.there


@pytest.mark.parametrize("fault", [hang_up, reset])
async def test_a_connection_that_ends_says_nothing_of_checksums(fault: Move) -> None:
    found = await tried_on(OneKey(checksum=fault))
    assert (found["checksums"].standing, found["checksums"].doubt) == ("unknown", "failed")
    assert found["delete"].standing == "good"


@pytest.mark.parametrize("answer", [xml_error(501, "NotImplemented"), xml_error(400, "NotImplemented"), raw_answer(501)])
async def test_a_store_without_conditions_is_known_and_the_rest_is_tried_without(answer: Move) -> None:
    service = OneKey(condition=answer)
    found = await tried_on(service)
    assert (found["conditional_create"].standing, found["conditional_create"].fault) == ("bad", "never_taken")
    assert [found[name].standing for name in ("conditional_delete", "checksums", "delete")] == ["good"] * 3
    assert service.puts == [True, False, False]
    assert not service.there


async def test_a_deletion_that_takes_no_condition_is_a_fact_and_no_failure() -> None:
    found = await tried_on(OneKey(match=xml_error(501, "NotImplemented")))
    assert (found["conditional_delete"].standing, found["conditional_delete"].error) == ("plain", None)
    assert "right before" in found["conditional_delete"].remark


async def test_a_first_write_that_the_store_did_and_failed_to_tell_is_seen() -> None:
    service = OneKey(first=xml_error(500, "InternalError"))
    found = await tried_on(service)
    assert {aspect.standing for aspect in found.values()} == {"good"}
    assert not service.there


async def test_a_first_write_whose_connection_was_reset_is_looked_for_and_the_trial_goes_on() -> None:
    service = OneKey(first=reset)
    found = await tried_on(service)
    assert {aspect.standing for aspect in found.values()} == {"good"}
    assert service.deletes
    assert not service.there
