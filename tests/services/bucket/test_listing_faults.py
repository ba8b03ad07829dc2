"""Each way a listing can end badly: an error with a next step, and every row that had arrived."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.services.bucket.service import BucketService, BucketSnapshot
from kumoss_console.text import Secret
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_service import (
    Exchange,
    Move,
    hang,
    hang_up,
    raw_answer,
    reset,
    scripted_service,
    truncated,
)

KEYS = StorageCredentials(access_key=Secret("AKIA-OURS"), secret_key=Secret("our-secret-key"), source="test")
STATES = sorted(f"{hashlib.sha256(str(number).encode()).hexdigest()}/terraform.tfstate" for number in range(40))
STATE = b'{"version": 4, "terraform_version": "1.11.4", "serial": 41, "lineage": "7d1e", "outputs": {}, "resources": []}'
OBJECT = {"ETag": '"x"', "Last-Modified": "Mon, 30 Nov 2026 14:00:00 GMT"}


def page(*keys: str, following: str = "") -> bytes:
    items = "".join(
        f"<Contents><Key>{key}</Key><LastModified>2026-11-30T14:00:00Z</LastModified><Size>7</Size></Contents>" for key in keys
    )
    more = f"<NextContinuationToken>{following}</NextContinuationToken>" if following else ""
    return (
        f"<ListBucketResult><IsTruncated>{'true' if following else 'false'}</IsTruncated>{more}{items}</ListBucketResult>"
    ).encode()


def xml(body: bytes) -> Move:
    return raw_answer(200, body, {"Content-Type": "application/xml"})


def refusal(status: int, code: str, headers: Mapping[str, str] | None = None) -> Move:
    body = f"<Error><Code>{code}</Code><Message>as the store says</Message></Error>".encode()
    return raw_answer(status, body, {"Content-Type": "application/xml", **(headers or {})})


FIRST = xml(page(*STATES[:20], following="more"))

FAULTS = {
    "refused": (hang_up, "store.unreachable"),
    "reset": (reset, "store.unreachable"),
    "silent": (hang, "store.unreachable"),
    "another region": (refusal(301, "PermanentRedirect", {"x-amz-bucket-region": "eu-west-1"}), "store.redirected"),
    "may not list": (refusal(403, "AccessDenied"), "store.access_denied"),
    "no bucket": (refusal(404, "NoSuchBucket"), "store.bucket_missing"),
    "slow down": (refusal(503, "SlowDown"), "store.throttled"),
    "expired": (refusal(400, "ExpiredToken"), "store.expired_token"),
    "wrong key": (refusal(403, "InvalidAccessKeyId"), "store.wrong_credentials"),
    "wrong secret": (refusal(403, "SignatureDoesNotMatch"), "store.wrong_credentials"),
    "skewed clock": (refusal(403, "RequestTimeTooSkewed"), "store.clock_skew"),
    "fault": (refusal(500, "InternalError"), "store.fault"),
    "a proxy's page": (raw_answer(200, b"<html>Sign in</html>", {"Content-Type": "text/html"}), "store.bad_answer"),
    "cut off": (truncated(200, page(*STATES[20:])[:400], {"Content-Type": "application/xml"}), "store.cut_off"),
    "half a document": (xml(page(*STATES[20:])[:400]), "store.bad_answer"),
    "a cursor that leads nowhere": (refusal(400, "InvalidArgument"), "store.refused"),
}


@dataclass
class Outcome:
    snapshots: list[BucketSnapshot]
    error: ConsoleError | None


@asynccontextmanager
async def bucket_at(endpoint: str) -> AsyncIterator[BucketService]:
    settings = StorageSettings(endpoint_url=endpoint, connect_timeout=2, read_timeout=1, max_attempts=1)
    store = S3Store(settings, KEYS, back_off=5)
    try:
        yield BucketService(Context(name="prod", storage=settings), store, dict, FakeClock())
    finally:
        await store.aclose()


async def listed(bucket: BucketService) -> Outcome:
    outcome = Outcome([], None)
    try:
        async for snapshot in bucket.stream():
            outcome.snapshots.append(snapshot)
    except ConsoleError as error:
        outcome.error = error
    return outcome


def keys_of(outcome: Outcome) -> set[str]:
    return {row.key for row in outcome.snapshots[-1].rows}


@pytest.mark.parametrize(("fault", "code"), FAULTS.values(), ids=FAULTS.keys())
async def test_a_listing_that_breaks_off_keeps_what_it_had_and_one_that_never_begins_is_no_empty_bucket(
    fault: Move, code: str
) -> None:
    async with scripted_service(FIRST, fault) as service, bucket_at(service.endpoint) as bucket:
        broken = await listed(bucket)
        service.script(fault)
        unbegun = await listed(bucket)
    assert keys_of(broken) == set(STATES[:20])
    assert not broken.snapshots[-1].complete
    assert unbegun.snapshots == []
    for error in (broken.error, unbegun.error):
        assert error is not None
        assert (error.code, bool(error.hint)) == (code, True)
        assert "our-secret-key" not in f"{error.title}{error.detail}{error.hint}"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda endpoint: endpoint.replace("127.0.0.1", "no-such-host.invalid"), "name"),
        (lambda endpoint: endpoint.replace("http://", "https://"), "TLS"),
    ],
    ids=["dns", "tls"],
)
async def test_a_store_that_cannot_be_spoken_to_is_no_empty_bucket(change: Callable[[str], str], words: str) -> None:
    async with scripted_service(FIRST) as service, bucket_at(change(service.endpoint)) as bucket:
        outcome = await listed(bucket)
    assert outcome.snapshots == []
    assert outcome.error is not None
    assert (outcome.error.code, bool(outcome.error.hint)) == ("store.unreachable", True)
    assert words in outcome.error.detail


def by_path(listing: Move, head: Move, get: Move) -> Move:
    """Another answer for each kind of request; no lock lies anywhere."""

    async def move(exchange: Exchange) -> None:
        request = exchange.request
        if "list-type=2" in request.path:
            await listing(exchange)
        elif request.method == "HEAD":
            await head(exchange)
        elif request.path.endswith(".tflock"):
            await refusal(404, "NoSuchKey")(exchange)
        else:
            await get(exchange)

    return move


async def test_who_may_read_and_not_list_reads_a_state_by_its_key() -> None:
    denied, there = refusal(403, "AccessDenied"), raw_answer(200, STATE, OBJECT)
    head = raw_answer(200, b"", {**OBJECT, "Content-Length": str(len(STATE))})
    async with scripted_service(by_path(denied, head, there)) as service, bucket_at(service.endpoint) as bucket:
        outcome = await listed(bucket)
        detail = await bucket.detail(STATES[0])
    assert outcome.error is not None
    assert outcome.error.code == "store.access_denied"
    assert "s3:ListBucket" in outcome.error.hint
    assert (detail.state.serial, detail.lock_status) == (41, "unlocked")


async def test_a_403_on_head_that_hides_its_reason_says_what_it_leaves_open() -> None:
    denied = raw_answer(403)
    async with scripted_service(by_path(FIRST, denied, denied)) as service, bucket_at(service.endpoint) as bucket:
        with pytest.raises(ConsoleError) as caught:
            await bucket.detail(STATES[0])
    assert caught.value.code == "store.access_denied"
    assert "the permission missing, or the object not there" in caught.value.detail
    assert caught.value.hint


class Underneath:
    """A store that is written to and deleted from while it is listed: each page is of what is there when it is asked for."""

    def __init__(self, keys: set[str], changes: Callable[[int, set[str]], None]) -> None:
        self.keys = keys
        self._changes = changes
        self._asked = 0

    async def __call__(self, exchange: Exchange) -> None:
        asked = parse_qs(urlsplit(exchange.request.path).query)
        behind = asked.get("continuation-token", asked.get("start-after", [""]))[0]
        self._asked += 1
        self._changes(self._asked, self.keys)
        keys = sorted(key for key in self.keys if key > behind)
        await xml(page(*keys[:10], following=keys[9] if len(keys) > 10 else ""))(exchange)


async def test_a_listing_that_changes_underneath_has_all_that_stayed_once_and_never_what_was_never_there() -> None:
    goes, comes = set(STATES[1::4]), {f"{key}.tflock" for key in STATES[::4]}

    def change(number: int, keys: set[str]) -> None:
        keys -= set(sorted(goes)[number - 1 : number])
        keys |= set(sorted(comes)[number - 1 : number])

    async with scripted_service(Underneath(set(STATES), change)) as service, bucket_at(service.endpoint) as bucket:
        outcome = await listed(bucket)
    assert outcome.error is None
    last = outcome.snapshots[-1]
    keys = [row.key for row in last.rows]
    assert last.complete
    assert len(keys) == len(set(keys))
    assert set(STATES) - goes <= set(keys) <= set(STATES) | comes
    assert {row.key for row in last.rows if row.locked} <= {key.removesuffix(".tflock") for key in comes} | comes


async def test_a_continuation_that_goes_round_in_circles_is_a_bad_answer() -> None:
    async with scripted_service(FIRST, FIRST) as service, bucket_at(service.endpoint) as bucket:
        outcome = await listed(bucket)
    assert outcome.error is not None
    assert outcome.error.code == "store.bad_answer"
    assert keys_of(outcome) == set(STATES[:20])


async def test_after_a_fault_the_next_listing_is_whole() -> None:
    whole = xml(page(*STATES))
    async with scripted_service(FIRST, refusal(500, "InternalError")) as service, bucket_at(service.endpoint) as bucket:
        assert (await listed(bucket)).error is not None
        service.script(whole)
        outcome = await listed(bucket)
    assert outcome.error is None
    assert keys_of(outcome) == set(STATES)
    assert outcome.snapshots[-1].complete
