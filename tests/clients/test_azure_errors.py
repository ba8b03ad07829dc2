"""Each way a storage account can fail becomes an error of its own, with a next step and without a secret."""

from __future__ import annotations

import asyncio
import socket
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.errors import (
    AccessDenied,
    BadAnswer,
    ConfigError,
    ConsoleError,
    InputError,
    NotFound,
    Refused,
    ServiceError,
    Unreachable,
)
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

OUR_KEY = "b3VyIHNlY3JldCBrZXk="
OUR_SIGNATURE = "abcDEF123signature"
KEYS = StorageCredentials(account_key=Secret(OUR_KEY), source="env STORAGE_ACCOUNT_KEY")
SAS = StorageCredentials(
    sas=Secret(f"sv=2022-11-02&sr=c&sp=rl&se=2999-01-01T00:00:00Z&sig={OUR_SIGNATURE}%3D"), source="env STORAGE_ACCOUNT_SAS"
)
AZURE = {"x-ms-request-id": "1-2-3", "x-ms-version": "2022-11-02"}
"""What the service sends with every answer."""
BLOB = {
    **AZURE,
    "ETag": '"0x1"',
    "Last-Modified": "Mon, 30 Nov 2026 14:00:00 GMT",
    "x-ms-blob-type": "BlockBlob",
    "Content-Type": "application/octet-stream",
}
"""What it sends with every blob."""


def settings(endpoint: str) -> StorageSettings:
    return StorageSettings(
        provider=StorageProvider.STORAGE_ACCOUNT,
        endpoint_url=f"{endpoint}/acmekumoss",
        connect_timeout=1.0,
        read_timeout=1.0,
        max_attempts=1,
    )


def said(status: int, code: str, message: str = "as the service says", *, why: str = "", **headers: str) -> Move:
    detail = f"<AuthenticationErrorDetail>{why}</AuthenticationErrorDetail>" if why else ""
    body = (
        f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code>'
        f"<Message>{message}\nRequestId:1-2-3\nTime:2026-11-30T14:00:00Z</Message>{detail}</Error>"
    )
    return raw_answer(status, body.encode(), {**AZURE, "Content-Type": "application/xml", "x-ms-error-code": code, **headers})


@asynccontextmanager
async def store_that(*moves: Move, credentials: StorageCredentials = KEYS) -> AsyncIterator[tuple[AzureStore, ScriptedService]]:
    async with scripted_service(*moves) as service:
        store = AzureStore(settings(service.endpoint), credentials)
        try:
            yield store, service
        finally:
            await store.aclose()


ANSWERS = [
    (403, "AuthorizationPermissionMismatch", AccessDenied, "store.access_denied"),
    (403, "InsufficientAccountPermissions", AccessDenied, "store.access_denied"),
    (403, "KeyBasedAuthenticationNotPermitted", AccessDenied, "store.access_denied"),
    (403, "AccountIsDisabled", AccessDenied, "store.access_denied"),
    (409, "PublicAccessNotPermitted", AccessDenied, "store.access_denied"),
    (401, "NoAuthenticationInformation", AccessDenied, "store.access_denied"),
    (403, "AuthorizationFailure", AccessDenied, "store.firewall"),
    (403, "AuthorizationSourceIPMismatch", AccessDenied, "store.firewall"),
    (400, "AccountRequiresHttps", ServiceError, "store.settings"),
    (404, "ContainerNotFound", ServiceError, "store.bucket_missing"),
    (409, "ContainerBeingDeleted", ServiceError, "store.bucket_missing"),
    (404, "BlobNotFound", NotFound, "store.object_missing"),
    (404, "ResourceNotFound", NotFound, "store.object_missing"),
    (409, "BlobArchived", ServiceError, "store.archived"),
    (503, "ServerBusy", ServiceError, "store.throttled"),
    (500, "InternalError", ServiceError, "store.fault"),
    (500, "OperationTimedOut", ServiceError, "store.fault"),
    (500, "SomethingNew", ServiceError, "store.fault"),
    (400, "SomethingNew", ServiceError, "store.refused"),
    (409, "OperationNotAllowedOnRootBlob", ServiceError, "store.refused"),
    (400, "InvalidResourceName", InputError, "store.settings"),
    (412, "LeaseIdMissing", Refused, "store.leased"),
    (409, "BlobImmutableDueToPolicy", Refused, "store.immutable"),
]


@pytest.mark.parametrize(("status", "code", "error", "ours"), ANSWERS, ids=[f"{row[1]}{row[0]}" for row in ANSWERS])
async def test_what_the_service_says_becomes_an_error_of_its_own(
    status: int, code: str, error: type[ConsoleError], ours: str
) -> None:
    async with store_that(said(status, code)) as (store, _):
        with pytest.raises(error) as caught:
            await store.get("a/terraform.tfstate")
    assert caught.value.code == ours
    assert caught.value.hint
    assert f"{status} {code}: as the service says" in caught.value.detail
    assert "RequestId" not in str(caught.value)


AUTHENTICATION = [
    (KEYS, "The MAC signature found in the HTTP request 'SIGNED' is not the same as any computed", "store.wrong_credentials"),
    (KEYS, "Request date header too old: 'Mon, 30 Nov 2026 13:00:00 GMT'", "store.clock_skew"),
    (SAS, "Signature did not match. String to sign used was SIGNED", "store.wrong_credentials"),
    (SAS, "Signature not valid in the specified time frame: Start [x] - Expiry [y] - Current [z]", "store.expired_token"),
    (
        SAS,  # a stored access policy has the times, and the signature only its name
        "Signature not valid in the specified time frame: Start [Tue, 01 Dec 2026 09:00:00 GMT] - Expiry "
        "[Wed, 02 Dec 2026 09:00:00 GMT] - Current [Mon, 30 Nov 2026 14:00:00 GMT]",
        "store.not_yet_valid",
    ),
    (
        SAS,
        "Signature not valid in the specified time frame: Start [Sun, 29 Nov 2026 09:00:00 GMT] - Expiry "
        "[Mon, 30 Nov 2026 09:00:00 GMT] - Current [Mon, 30 Nov 2026 14:00:00 GMT]",
        "store.expired_token",
    ),
]


@pytest.mark.parametrize(("credentials", "why", "ours"), AUTHENTICATION, ids=[row[1][-30:] for row in AUTHENTICATION])
async def test_five_things_behind_one_code_are_told_apart_and_what_was_signed_is_not_repeated(
    credentials: StorageCredentials, why: str, ours: str
) -> None:
    now = format_datetime(datetime.now(UTC), usegmt=True)
    refused = said(403, "AuthenticationFailed", "Server failed to authenticate the request.", why=why, Date=now)
    async with store_that(refused, credentials=credentials) as (store, _):
        with pytest.raises(AccessDenied) as caught:
            await store.check()
    assert caught.value.code == ours
    assert "SIGNED" not in str(caught.value)


async def test_a_clock_that_is_wrong_is_found_by_the_time_of_the_answer_alone() -> None:
    past = format_datetime(datetime.now(UTC) - timedelta(hours=2), usegmt=True)
    async with store_that(said(403, "AuthenticationFailed", Date=past)) as (store, _):
        with pytest.raises(AccessDenied) as caught:
            await store.check()
    assert caught.value.code == "store.clock_skew"
    assert "s ahead" in caught.value.detail


async def test_a_sas_that_has_ended_is_told_by_its_own_words() -> None:
    over = replace(SAS, sas=Secret(f"sv=2022-11-02&sp=rl&se=2020-01-01T00:00:00Z&sig={OUR_SIGNATURE}"))
    async with store_that(said(403, "AuthenticationFailed"), credentials=over) as (store, _):
        with pytest.raises(AccessDenied) as caught:
            await store.check()
    assert caught.value.code == "store.expired_token"
    assert "2020-01-01T00:00:00Z" in caught.value.detail
    assert "STORAGE_ACCOUNT_SAS" in caught.value.hint


OVER = replace(SAS, sas=Secret(f"sv=2022-11-02&sp=rl&se=2020-01-01T00:00:00Z&sig={OUR_SIGNATURE}"))
EARLY = replace(SAS, sas=Secret(f"sv=2022-11-02&sp=rl&st=2998-01-01&se=2999-01-01&sig={OUR_SIGNATURE}"))
WORDLESS = [
    (OVER, "store.expired_token"),
    (EARLY, "store.not_yet_valid"),
    (SAS, "store.access_denied"),
    (KEYS, "store.access_denied"),
]


@pytest.mark.parametrize(("credentials", "code"), WORDLESS, ids=["over", "not yet", "a SAS", "a key"])
async def test_a_refusal_without_words_is_not_taken_for_the_firewall_where_it_may_be_the_credential(
    credentials: StorageCredentials, code: str
) -> None:
    wordless = raw_answer(403, b"", {**AZURE, "x-ms-error-code": "AuthorizationFailure"})
    async with store_that(wordless, credentials=credentials) as (store, _):
        with pytest.raises(AccessDenied) as caught:
            await store.head("a/terraform.tfstate")
    assert caught.value.code == code
    assert "403 AuthorizationFailure" in caught.value.detail
    assert code != "store.access_denied" or ("network rules" in caught.value.title and "STORAGE_ACCOUNT" in caught.value.title)


async def test_a_sas_is_held_against_the_clock_of_the_store_and_not_against_ours() -> None:
    begins = datetime.now(UTC) - timedelta(minutes=2)
    early = replace(SAS, sas=Secret(f"sv=2022-11-02&sp=rl&st={begins:%Y-%m-%dT%H:%M:%SZ}&se=2999-01-01&sig={OUR_SIGNATURE}"))
    theirs = format_datetime(begins - timedelta(minutes=1), usegmt=True)
    async with store_that(said(403, "AuthenticationFailed", Date=theirs), credentials=early) as (store, _):
        with pytest.raises(AccessDenied) as caught:
            await store.check()
    assert caught.value.code == "store.not_yet_valid"
    assert f"begins at {begins:%Y-%m-%dT%H:%M:%SZ}; by the store's clock" in caught.value.detail
    assert "start (st)" in caught.value.hint


@pytest.mark.parametrize(
    ("status", "key", "code"),
    [
        (404, "a", "store.object_missing"),
        (404, None, "store.bucket_missing"),
        (403, "a", "store.access_denied"),
        (500, "a", "store.fault"),
    ],
)
async def test_an_answer_of_azures_without_a_reason_says_that_it_has_none(status: int, key: str | None, code: str) -> None:
    async with store_that(raw_answer(status, b"", AZURE)) as (store, _):
        with pytest.raises(ServiceError) as caught:
            await (store.check() if key is None else store.head(key))
    assert caught.value.code == code
    assert "carries no reason" in caught.value.detail


S3_SAYS = b"<Error><Code>%b</Code><Message>No</Message><Resource>/a</Resource><RequestId>1</RequestId></Error>"


@pytest.mark.parametrize(
    "answer",
    [
        raw_answer(404, S3_SAYS % b"NoSuchBucket", {"Content-Type": "application/xml"}),
        raw_answer(403, S3_SAYS % b"AccessDenied", {"Content-Type": "application/xml", "x-amz-request-id": "1"}),
        raw_answer(503, S3_SAYS % b"SlowDown", {"Content-Type": "application/xml"}),
        raw_answer(404, b"", {"x-amz-request-id": "1"}),
    ],
    ids=["no bucket", "denied", "slow down", "no words"],
)
async def test_an_s3_store_behind_the_address_of_an_account_is_named(answer: Move) -> None:
    async with store_that(answer) as (store, _):
        with pytest.raises(BadAnswer) as caught:
            await store.check()
    assert "an S3 store is listening there" in caught.value.detail


async def test_an_interface_that_is_older_than_the_sdk_is_named() -> None:
    text = "The value for one of the HTTP headers is not in the correct format. HeaderName x-ms-version"
    async with store_that(said(400, "InvalidHeaderValue", text)) as (store, _):
        with pytest.raises(ServiceError) as caught:
            await store.check()
    assert "--skipApiVersionCheck" in caught.value.hint


async def test_a_truncated_body_is_never_taken_for_the_blob() -> None:
    async with store_that(truncated(200, b'{"version": 4', BLOB, missing=100)) as (store, _):
        with pytest.raises(BadAnswer, match="broke off before its end") as caught:
            await store.get("a/terraform.tfstate")
    assert caught.value.code == "store.cut_off"
    assert caught.value.detail == "the answer ended after 13 bytes of 113"
    assert "a proxy or a firewall" in caught.value.hint


async def test_part_of_a_blob_is_never_taken_for_the_whole() -> None:
    part = raw_answer(206, b"12345", {**BLOB, "Content-Range": "bytes 0-4/10"})
    async with store_that(part) as (store, _):
        with pytest.raises(BadAnswer, match="not Azure"):
            await store.get("a")


async def test_a_service_that_knows_no_ranges_gives_the_part_that_was_asked_for_all_the_same() -> None:
    async with store_that(raw_answer(200, b"0123456789", BLOB)) as (store, _):
        found = await store.fetch_range("a", 3, 4)
    assert (found.content, found.info.size) == (b"3456", 10)


BODIES = [b"", b"<html><body>Sign in</body></html>", b'{"ok": true}', b"\xff\xfe\x00", b"<EnumerationResults>", b"<X/>"]


@pytest.mark.parametrize("body", BODIES, ids=repr)
@pytest.mark.parametrize("headers", [{}, AZURE], ids=["of a web server", "of azure"])
async def test_an_answer_that_is_no_listing_never_passes_for_an_empty_container(body: bytes, headers: dict[str, str]) -> None:
    async with store_that(raw_answer(200, body, {"Content-Type": "text/html", **headers})) as (store, _):
        with pytest.raises(BadAnswer) as caught:
            _ = [page async for page in store.pages()]
        with pytest.raises(BadAnswer):
            await store.check()
    assert "endpoint_url" in caught.value.hint


PAGES: list[tuple[str, Move]] = [
    ("html", raw_answer(200, b"<html><body>Sign in</body></html>", {"Content-Type": "text/html"})),
    ("json", raw_answer(200, b'{"version": 4}', {"Content-Type": "application/json", "ETag": '"x"'})),
    ("nothing", raw_answer(200)),
    ("azure's, without a blob's headers", raw_answer(200, b"{}", AZURE)),
    ("azure's, without a length", speak(b"HTTP/1.1 200 OK\r\nx-ms-request-id: 1\r\nETag: x\r\n\r\n{}")),
    ("a length that is none", raw_answer(200, b"", {**BLOB, "Content-Length": "many"})),
    ("a length below zero", raw_answer(200, b"", {**BLOB, "Content-Length": "-5"})),
    ("a time that is none", raw_answer(200, b"", {**BLOB, "Last-Modified": "yesterday"})),
]


@pytest.mark.parametrize("page", [move for _, move in PAGES], ids=[name for name, _ in PAGES])
async def test_a_200_without_the_signs_of_a_blob_is_never_taken_for_one(page: Move) -> None:
    async with store_that(page) as (store, _):
        for asked in (store.head("a"), store.get("a"), store.get_range("a", 0, 4)):
            with pytest.raises(ServiceError) as caught:
                await asked
            assert not isinstance(caught.value, NotFound)
            assert caught.value.code in {"store.bad_answer", "store.unreachable"}


WEB = [
    (500, {"Content-Type": "text/html"}, "store.fault", "a proxy in front of the store"),
    (502, {"Content-Type": "text/html"}, "store.fault", "502 (text/html)"),
    (404, {"Content-Type": "text/html"}, "store.bad_answer", "404"),
    (403, {"Content-Type": "text/html"}, "store.bad_answer", "text/html"),
    (301, {"Location": "https://store.example/b?token=abc"}, "store.bad_answer", "it points to https://store.example/b"),
    (429, {}, "store.throttled", "429"),
]


@pytest.mark.parametrize(("status", "headers", "code", "told"), WEB, ids=[str(row[0]) for row in WEB])
async def test_a_web_server_is_not_taken_for_an_account_without_the_container(
    status: int, headers: dict[str, str], code: str, told: str
) -> None:
    async with store_that(raw_answer(status, b"<html><body>nginx</body></html>", headers)) as (store, service):
        with pytest.raises(ServiceError) as caught:
            await store.check()
        assert len(service.seen) == 1, "a redirect is not followed with our credentials"
    assert caught.value.code == code
    assert told in caught.value.detail
    assert "token=abc" not in str(caught.value)


def listing(*blobs: str, marker: str = "") -> Move:
    body = (
        '<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="x" ContainerName="c"><Blobs>'
        f"{''.join(blobs)}</Blobs><NextMarker>{marker}</NextMarker></EnumerationResults>"
    )
    return raw_answer(200, body.encode(), {**AZURE, "Content-Type": "application/xml"})


def blob(
    name: str, *, more: str = "", size: str = "3", modified: str = "Mon, 30 Nov 2026 14:00:00 GMT", **properties: str
) -> str:
    told = "".join(f"<{key}>{value}</{key}>" for key, value in properties.items())
    return (
        f"<Blob><Name>{name}</Name>{more}<Properties><Last-Modified>{modified}</Last-Modified><Etag>0x1</Etag>"
        f"<Content-Length>{size}</Content-Length><BlobType>BlockBlob</BlobType>{told}</Properties></Blob>"
    )


@pytest.mark.parametrize(
    "item",
    [
        "<Blob><Name>a</Name></Blob>",
        blob("a", size="-1"),
        blob("a", size="many"),
        blob("a", size="9" * 5000),
        blob("a", size="²"),
        blob("a", modified="yesterday"),
        blob("a", modified="Mon, 30 Nov 99999999999 14:00:00 GMT"),
        blob(""),
    ],
)
async def test_a_listing_with_values_that_cannot_be_is_a_bad_answer(item: str) -> None:
    async with store_that(listing(item)) as (store, _):
        with pytest.raises(BadAnswer):
            _ = [page async for page in store.pages()]


async def test_a_listing_whose_document_defines_entities_is_not_read() -> None:
    body = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><EnumerationResults><Blobs/></EnumerationResults>'
    async with store_that(raw_answer(200, body, AZURE)) as (store, _):
        with pytest.raises(BadAnswer):
            await store.page()


async def test_names_that_xml_cannot_carry_are_read_and_folders_are_not_blobs() -> None:
    encoded = blob("x").replace("<Name>", '<Name Encoded="true">').replace(">x<", ">a%1B%5B31m%25<")
    async with store_that(listing(encoded, blob("folder", ResourceType="directory"), blob("z"))) as (store, _):
        page = await store.page()
    assert [info.key for info in page.objects] == ["a\x1b[31m%", "z"]
    assert page.objects[0].etag == '"0x1"'


async def test_pages_follow_the_marker() -> None:
    async with store_that(listing(blob("a"), marker="m1"), listing(blob("b"), marker="m 2"), listing()) as (store, service):
        pages = [[info.key for info in page] async for page in store.pages("p/")]
    assert pages == [["a"], ["b"], []]
    assert ["marker=m1" in request.path for request in service.seen] == [False, True, False]
    assert all("prefix=p%2F" in request.path for request in service.seen)


async def test_a_listing_that_goes_round_in_circles_ends_as_an_error() -> None:
    async with store_that(listing(blob("a"), marker="same")) as (store, _):
        with pytest.raises(BadAnswer, match="not Azure"):
            _ = [page async for page in store.pages()]
        with pytest.raises(BadAnswer):
            await store.versions("a")


async def test_where_the_service_cannot_begin_at_a_key_what_is_before_it_is_left_out() -> None:
    refused = said(400, "InvalidQueryParameterValue")
    async with store_that(refused, listing(blob("a"), blob("b"), marker="m1"), listing(blob("c"), blob("d"))) as (store, service):
        page = await store.page(after="b", limit=2)
    assert [info.key for info in page.objects] == ["c", "d"]
    assert ["startFrom=b" in request.path for request in service.seen] == [True, False, False]


async def test_an_error_after_some_pages_arrives_after_those_pages() -> None:
    async with store_that(listing(blob("a"), marker="t1"), said(403, "AuthorizationPermissionMismatch")) as (store, _):
        pages = store.pages()
        assert [info.key for info in await anext(pages)] == ["a"]
        with pytest.raises(AccessDenied):
            await anext(pages)


async def test_leaving_a_listing_early_leaves_no_task_behind() -> None:
    async with store_that(listing(blob("a"), marker="t1"), hang) as (store, _):
        before = asyncio.all_tasks()
        pages = store.pages()
        await anext(pages)
        await pages.aclose()  # type: ignore[attr-defined]  # the port promises an iterator, the store has a generator
        await asyncio.sleep(0)
        left = {task for task in asyncio.all_tasks() - before if "_serve" not in repr(task)}
    assert not left


def endless(head: bytes, chunk: bytes) -> Move:
    async def move(exchange: Exchange) -> None:
        with suppress(ConnectionError):
            await exchange.send(b"HTTP/1.1 200 OK\r\nx-ms-request-id: 1\r\nContent-Type: application/xml\r\n\r\n" + head)
            while not exchange.released.is_set():
                await exchange.send(chunk)

    return move


async def test_a_listing_without_end_is_cut_off_and_nothing_of_it_is_believed() -> None:
    async with store_that(endless(b"<EnumerationResults><Blobs>", blob("a").encode() * 4_000)) as (store, service):
        with pytest.raises(ServiceError) as caught:
            _ = [page async for page in store.pages()]
        assert len(service.seen) == 1
    assert caught.value.code == "store.bad_answer"
    assert "64 MiB" in caught.value.detail


async def test_versions_snapshots_and_soft_deleted_forms_of_exactly_one_key_are_told_newest_first() -> None:
    def at(day: int) -> str:
        return f"2026-11-{day:02}T10:00:00.1234567Z"

    async with store_that(
        listing(
            blob("k", more=f"<VersionId>{at(1)}</VersionId>", modified="Sun, 01 Nov 2026 10:00:00 GMT"),
            blob("k", more=f"<Snapshot>{at(3)}</Snapshot>", modified="Sun, 01 Nov 2026 10:00:00 GMT"),
            marker="m1",
        ),
        listing(
            blob("k", more=f"<VersionId>{at(2)}</VersionId><Deleted>true</Deleted>", DeletedTime="Wed, 04 Nov 2026 10:00:00 GMT"),
            blob("k", more=f"<VersionId>{at(5)}</VersionId><IsCurrentVersion>true</IsCurrentVersion>"),
            blob("kenv:prod"),
            marker="m2",
        ),
    ) as (store, service):
        found = await store.versions("k")
        assert len(service.seen) == 2, "another name ends the listing"
    assert [(one.version_id, one.kind, one.latest) for one in found] == [
        (at(5), "version", True),
        (at(2), "delete_marker", False),
        (f"snapshot:{at(3)}", "snapshot", False),
        (at(1), "version", False),
    ]
    assert "include=versions,snapshots,deleted" in service.seen[0].path


async def test_a_blob_that_was_deleted_softly_is_a_delete_marker_and_cannot_be_read() -> None:
    async with store_that(listing(blob("k", more="<Deleted>true</Deleted>"))) as (store, service):
        (marker,) = await store.versions("k")
        assert (marker.kind, marker.latest, marker.size, marker.etag) == ("delete_marker", True, None, None)
        for call in (store.fetch("k", version=marker.version_id), store.fetch_range("k", 0, 1, version=marker.version_id)):
            with pytest.raises(NotFound, match="was deleted"):
                await call
        assert len(service.seen) == 1


async def test_a_version_is_asked_for_by_its_name() -> None:
    async with store_that(raw_answer(200, b"old", {**BLOB, "x-ms-version-id": "V1"})) as (store, service):
        found = await store.fetch("k", version="2026-11-01T10:00:00.1234567Z")
    assert (found.content, found.info.version_id) == (b"old", "V1")
    assert "versionid=2026-11-01T10%3A00%3A00.1234567Z" in service.seen[0].path


async def test_an_account_that_lists_no_versions_is_told_from_one_without_any() -> None:
    async with store_that(said(400, "InvalidQueryParameterValue")) as (store, _):
        with pytest.raises(ServiceError) as caught:
            await store.versions("k")
    assert caught.value.code == "store.versions_unsupported"


SILENCE = [
    (hang, "no answer came in time"),
    (hang_up, "closed before an answer came"),
    (reset, "closed before an answer came"),
    (speak(b"SSH-2.0-OpenSSH_9.6\r\n"), "closed before an answer came"),
]


@pytest.mark.parametrize(("move", "why"), SILENCE, ids=["hangs", "hangs up", "resets", "speaks ssh"])
async def test_an_account_that_gives_no_answer_is_unreachable_and_the_error_says_how(move: Move, why: str) -> None:
    async with scripted_service(move) as service:
        store = AzureStore(replace(settings(service.endpoint), read_timeout=0.4, max_attempts=3), KEYS)
        with pytest.raises(Unreachable) as caught:
            await store.check()
        await store.aclose()
        assert len(service.seen) == 1, "who is silent is asked once"
    assert caught.value.code == "store.unreachable"
    assert why in caught.value.detail
    assert caught.value.hint


async def test_an_account_that_drips_forever_is_given_up() -> None:
    async with scripted_service(drip(200, {"x": "y" * 5000}, pause=0.05, headers=AZURE)) as service:
        quick = replace(settings(service.endpoint), connect_timeout=0.2, read_timeout=0.2)
        store = AzureStore(quick, KEYS, back_off=0.2)
        with pytest.raises(Unreachable, match="does not come to an end"):
            await store.check()
        await store.aclose()


async def test_an_account_that_is_busy_once_is_asked_again_and_a_write_never_is() -> None:
    async with scripted_service(said(503, "ServerBusy"), listing(blob("a"))) as service:
        store = AzureStore(replace(settings(service.endpoint), max_attempts=2), KEYS)
        assert [[info.key for info in page] async for page in store.pages()] == [["a"]]
        service.script(said(503, "ServerBusy"))
        service.seen.clear()
        for call in (store.put("a", b"x"), store.delete("a", etag='"0x1"')):
            with pytest.raises(ServiceError, match="slow down"):
                await call
        await store.aclose()
        assert [request.method for request in service.seen] == ["PUT", "DELETE"]


async def test_refused_and_unknown_names_are_told_apart() -> None:
    refused = AzureStore(settings(f"http://127.0.0.1:{closed_port()}"), KEYS)
    with pytest.raises(Unreachable) as caught:
        await refused.check()
    assert "refused" in caught.value.detail
    unknown = AzureStore(replace(settings(""), endpoint_url="https://acmekumoss.blob.invalid"), KEYS)
    with pytest.raises(Unreachable) as caught:
        await unknown.check()
    assert "host name is not known" in caught.value.detail
    assert "there may be no storage account acmekumoss" in caught.value.hint


async def test_https_spoken_to_a_plain_port_is_named_as_tls() -> None:
    async with scripted_service(speak(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as service:
        store = AzureStore(settings(service.endpoint.replace("http:", "https:")), KEYS)
        with pytest.raises(Unreachable) as caught:
            await store.check()
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
        store = AzureStore(replace(settings(f"http://127.0.0.1:{address[1]}"), connect_timeout=0.5), KEYS)
        with pytest.raises(Unreachable) as caught:
            await store.check()
        for one in waiting:
            one.close()
    assert "in time" in caught.value.detail


async def test_a_proxy_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{closed_port()}")
    store = AzureStore(replace(settings(""), endpoint_url="https://acmekumoss.blob.core.windows.net"), KEYS)
    with pytest.raises(Unreachable) as caught:
        await store.check()
    await store.aclose()
    assert "proxy" in caught.value.detail
    assert "HTTPS_PROXY" in caught.value.hint


NO_KEYS = [
    (KEYS, "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=aGlkZGVu;EndpointSuffix=x", "a connection string"),
    (KEYS, "aGlkZGVu\n", "no base64 text"),
    (KEYS, "hidden key!", "no base64 text"),
    (SAS, "https://acme.blob.core.windows.net/c?sv=1&sig=aGlkZGVu", "a whole URL"),
    (SAS, "BlobEndpoint=https://x;SharedAccessSignature=sv=1&sig=aGlkZGVu", "a connection string"),
    (SAS, "sv=2022-11-02&sp=rl", "no SAS"),
    (SAS, "sv=1&sig=aGlkZGVu\n", "no SAS"),
]


@pytest.mark.parametrize(("form", "text", "what"), NO_KEYS, ids=[row[2] + row[1][:5] for row in NO_KEYS])
async def test_what_is_no_key_and_no_sas_is_named_by_its_variable_and_its_form_and_never_sent(
    form: StorageCredentials, text: str, what: str
) -> None:
    given = replace(form, account_key=Secret(text)) if form is KEYS else replace(form, sas=Secret(text))
    async with store_that(listing(), credentials=given) as (store, service):
        with pytest.raises(InputError) as caught:
            await store.check()
        assert not service.seen
    assert what in caught.value.title
    assert caught.value.title.startswith("STORAGE_ACCOUNT_")
    assert "aGlkZGVu" not in str(caught.value)
    assert "hidden" not in str(caught.value)


async def test_without_credentials_the_error_names_what_would_give_them() -> None:
    async with store_that(listing(), credentials=StorageCredentials(source="none")) as (store, service):
        with pytest.raises(AccessDenied) as caught:
            await store.check()
        assert not service.seen
    assert caught.value.code == "store.no_credentials"
    assert all(word in caught.value.hint for word in ("STORAGE_ACCOUNT_KEY", "STORAGE_ACCOUNT_SAS", "entra_id"))


@pytest.mark.parametrize(
    "endpoint", ["not a url", "", "http://", "store:9000", "https://h/a/b", "https://acme.blob.core.windows.net?sv=1&sig=s3cret"]
)
async def test_an_endpoint_that_is_no_account_is_a_fault_of_the_settings(endpoint: str) -> None:
    store = AzureStore(replace(settings(""), endpoint_url=endpoint), KEYS)
    with pytest.raises(InputError) as caught:
        await store.check()
    assert caught.value.code == "store.settings"
    assert "s3cret" not in f"{caught.value} {store.label}"


@pytest.mark.parametrize("name", ["Upper", "a", "a--b", "-ab", "a/b", "c?sig=x", "..", "x" * 64])
async def test_a_name_that_no_container_has_is_never_put_into_a_request(name: str) -> None:
    async with scripted_service(listing()) as service:
        store = AzureStore(replace(settings(service.endpoint), terraform_state_bucket=name), KEYS)
        with pytest.raises(InputError) as caught:
            await store.check()
        assert not service.seen
    assert "terraform_state_bucket" in caught.value.detail


ENDS: list[tuple[str, Move]] = [
    ("refused", said(403, "AuthenticationFailed", why="Signature did not match. String to sign used was x")),
    ("told", said(403, "AuthorizationFailure", f"sig={OUR_SIGNATURE}%3D and {OUR_KEY}")),
    ("hung up", hang_up),
    ("reset", reset),
    ("silent", hang),
    ("cut", truncated(200, b"x", BLOB)),
    ("web", raw_answer(200, b"<html>", {})),
    ("redirected", raw_answer(302, b"", {**AZURE, "Location": f"https://x/?sig={OUR_SIGNATURE}"})),
]


@pytest.mark.parametrize("credentials", [KEYS, SAS], ids=["key", "sas"])
@pytest.mark.parametrize("move", [move for _, move in ENDS], ids=[name for name, _ in ENDS])
async def test_no_secret_is_in_any_error_nor_in_anything_that_hangs_on_it(credentials: StorageCredentials, move: Move) -> None:
    async with scripted_service(move) as service:
        quick = replace(settings(service.endpoint), read_timeout=0.4)
        store = AzureStore(quick, credentials)
        with pytest.raises(ConsoleError) as caught:
            await store.get("a\x1b[31m/terraform.tfstate")
        await store.aclose()
    error = caught.value
    assert (error.__cause__, error.__context__) == (None, None)
    text = "".join(traceback.format_exception(error)) + repr((str(error), vars(error), store.label, store.identity))
    ours = OUR_KEY if credentials is KEYS else OUR_SIGNATURE
    assert not [secret for secret in (ours, "\x1b", "String to sign") if secret in text]


async def test_without_the_extra_the_console_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    store = AzureStore(settings("http://127.0.0.1:1"), KEYS)
    with pytest.raises(ConfigError) as caught:
        await store.check()
    assert caught.value.code == "store.extra_missing"
    assert "pip install 'kumoss-console[azure]'" in caught.value.hint


def test_an_s3_store_is_refused_at_once() -> None:
    with pytest.raises(InputError):
        AzureStore(StorageSettings(), KEYS)
