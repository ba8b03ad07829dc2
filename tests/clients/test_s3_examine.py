"""The card of an S3 store that answers in every way a store can: each is an answer of its own, and no key is in any."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_client import make_client
from kumoss_console.clients.s3_identity import identity
from kumoss_console.model.endpoint import Aspect, AspectName, judge
from kumoss_console.model.storage import StorageCredentials, StorageProvider
from kumoss_console.text import Secret
from tests.clients.test_s3_errors import KEYS, listing, settings, xml_error
from tests.fakes.scripted_service import Move, closed_port, raw_answer, scripted_service

FOUR = [
    (xml_error(400, "ExpiredToken"), "store.expired_token", "have expired", "renew the session"),
    (xml_error(403, "AccessDenied"), "store.access_denied", "refused us access", "grant these credentials"),
    (xml_error(404, "NoSuchBucket"), "store.bucket_missing", "there is no bucket", "terraform_state_bucket"),
    (xml_error(403, "InvalidAccessKeyId"), "store.wrong_credentials", "does not know our access key", "access_key_env"),
    (xml_error(403, "SignatureDoesNotMatch"), "store.wrong_credentials", "the secret key does not match", "secret_key_env"),
    (raw_answer(200, b"<html>Sign in</html>", {"Content-Type": "text/html"}), "store.bad_answer", "not S3's", "endpoint_url"),
]


async def told_by(*moves: Move, credentials: StorageCredentials = KEYS) -> dict[AspectName, Aspect]:
    async with scripted_service(*moves) as service:
        store = S3Store(settings(service.endpoint), credentials)
        found = {aspect.name: aspect async for aspect in store.examiner.examine()}
        await store.aclose()
    return found


@pytest.mark.parametrize(("answer", "code", "said", "then"), FOUR, ids=[row[1] for row in FOUR])
async def test_expired_forbidden_missing_and_wrong_are_answers_of_their_own(
    answer: Move, code: str, said: str, then: str
) -> None:
    found = await told_by(answer)
    access = found["access"]
    assert access.error is not None
    assert (access.standing, access.error.code) == ("bad", code)
    assert said in access.said
    (finding,) = (one for one in judge(found.values(), store="s") if one.severity.value == "error")
    assert finding.code == f"endpoint.{code.removeprefix('store.')}"
    assert then in finding.remedy
    assert {"AKIA-OURS", "our-secret-key"}.isdisjoint(repr(found).split("'"))


async def test_without_keys_nothing_is_asked_of_the_bucket() -> None:
    found = await told_by(listing(), credentials=StorageCredentials(source="the SDK's credential chain"))
    assert found["access"].error is not None
    assert found["access"].error.code == "store.no_credentials"
    assert found["identity"].standing == "unknown"
    assert "versioning" not in found


async def test_who_may_not_list_is_still_told_of_the_settings_of_the_bucket() -> None:
    enabled = raw_answer(
        200, b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>", {"Content-Type": "application/xml"}
    )
    found = await told_by(xml_error(403, "AccessDenied"), enabled, xml_error(403, "AccessDenied"))
    assert (found["versioning"].standing, found["version_listing"].doubt) == ("good", "forbidden")


async def test_credentials_that_expire_in_between_are_no_missing_permission() -> None:
    found = await told_by(listing("a"), xml_error(400, "ExpiredToken"))
    assert found["versioning"].doubt == "failed"
    assert "have expired" in found["versioning"].said


def sts_answer(arn: str) -> Move:
    body = f"<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>{arn}</Arn></GetCallerIdentityResult>"
    return raw_answer(200, f"{body}</GetCallerIdentityResponse>".encode(), {"Content-Type": "text/xml"})


def sts_error(status: int, code: str) -> Move:
    body = f"<ErrorResponse><Error><Code>{code}</Code><Message>AKIA-OURS is bad</Message></Error></ErrorResponse>"
    return raw_answer(status, body.encode(), {"Content-Type": "text/xml"})


async def named_by(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Aspect:
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", endpoint)
    monkeypatch.setenv("AWS_PROFILE", "not-on-this-machine")
    amazon = replace(settings(""), provider=StorageProvider.S3, region="eu-west-1", terraform_state_bucket="acme-state")
    keys = replace(KEYS, access_key=Secret("AKIA-OURS"))

    def ask() -> Aspect:
        return identity(make_client(amazon, keys), amazon, keys)

    return await run_blocking(ask)


@pytest.mark.parametrize(
    ("answer", "standing", "words"),
    [
        (sts_answer("arn:aws:sts::123456789012:assumed-role/ops/me"), "plain", "assumed-role/ops/me"),
        (sts_answer("arn:aws-cn:iam::123456789012:user/me"), "plain", "arn:aws-cn:iam"),
        (sts_error(403, "AccessDenied"), "unknown", "may not be asked"),
        (sts_error(403, "ExpiredToken"), "unknown", "have expired"),
        (sts_error(403, "InvalidClientTokenId"), "unknown", "does not know the access key"),
        (sts_error(403, "SignatureDoesNotMatch"), "unknown", "secret key does not match"),
        (sts_error(500, "Odd\u202eCode"), "unknown", "gave no answer"),
        (raw_answer(200, b"<html>Sign in</html>", {"Content-Type": "text/html"}), "unknown", "not its own"),
        (raw_answer(200, b"<html><br>Sign in", {"Content-Type": "text/html"}), "unknown", "not its own"),
    ],
)
async def test_who_we_are_is_what_sts_says_and_its_refusal_an_answer_of_its_own(
    answer: Move, standing: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scripted_service(answer) as sts:
        found = await named_by(sts.endpoint, monkeypatch)
    assert (found.standing, found.error) == (standing, None)
    assert words in found.said
    assert "keys from test" in found.said or found.evidence == "from test"
    assert "\u202e" not in found.evidence
    assert "AKIA-OURS" not in repr(found)
    assert "our-secret-key" not in repr(found)


async def test_no_way_to_sts_says_nothing_of_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    found = await named_by(f"http://127.0.0.1:{closed_port()}", monkeypatch)
    assert (found.standing, found.doubt) == ("unknown", "failed")
    assert "STS cannot be asked from here" in found.said
