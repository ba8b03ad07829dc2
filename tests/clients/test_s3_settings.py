"""What a store says of its settings is a fact only where it is the document that was asked for, and where it was told at all."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.errors import BadAnswer
from kumoss_console.model.endpoint import Aspect, AspectName, LifecycleRule
from tests.clients.test_s3_errors import KEYS, listing, settings, xml_error
from tests.fakes.scripted_service import Exchange, Move, raw_answer, scripted_service

DIGEST = "0f" * 32
QUESTIONS = ("versioning", "versions", "encryption", "lifecycle", "publicAccessBlock", "policyStatus", "acl")


def document(body: str, kind: str = "application/xml") -> Move:
    return raw_answer(200, body.encode(), {"Content-Type": kind})


PRIVATE = document("<AccessControlPolicy><Owner><ID>me</ID></Owner><AccessControlList/></AccessControlPolicy>")
PUBLIC = document(
    "<AccessControlPolicy><AccessControlList><Grant>"
    '<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Group">'
    "<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI></Grantee><Permission>READ</Permission>"
    "</Grant></AccessControlList></AccessControlPolicy>"
)
HTML = document("<html><body>Sign in</body></html>", "text/html")
EMPTY = document("")
USUAL: Mapping[str, Move] = {
    "versioning": document("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"),
    "versions": document("<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>"),
    "encryption": xml_error(404, "ServerSideEncryptionConfigurationNotFoundError"),
    "lifecycle": xml_error(404, "NoSuchLifecycleConfiguration"),
    "publicAccessBlock": xml_error(404, "NoSuchPublicAccessBlockConfiguration"),
    "policyStatus": xml_error(404, "NoSuchBucketPolicy"),
    "acl": PRIVATE,
}


def bucket(listed: Move, **answers: Move) -> Move:
    """A bucket that answers each question as said, else as most do."""

    async def move(exchange: Exchange) -> None:
        asked = parse_qs(urlsplit(exchange.request.path).query, keep_blank_values=True)
        question = next((name for name in QUESTIONS if name in asked), "")
        await ({**USUAL, **answers}[question] if question else listed)(exchange)

    return move


async def told_by(listed: Move | None = None, **answers: Move) -> dict[AspectName, Aspect]:
    async with scripted_service(bucket(listed or listing(), **answers)) as service:
        store = S3Store(settings(service.endpoint), KEYS)
        found = {aspect.name: aspect async for aspect in store.examiner.examine()}
        await store.aclose()
    return found


ASPECTS: tuple[AspectName, ...] = ("versioning", "version_listing", "encryption", "lifecycle", "public_access")


async def test_a_store_that_answers_every_question_with_its_listing_has_told_nothing() -> None:
    found = await told_by(**dict.fromkeys(QUESTIONS, listing("a")))
    assert {name: (found[name].standing, found[name].doubt) for name in ASPECTS} == dict.fromkeys(
        ASPECTS, ("unknown", "unsupported")
    )
    assert "ListBucketResult instead of VersioningConfiguration" in found["versioning"].evidence


@pytest.mark.parametrize("answer", [HTML, EMPTY])
async def test_a_page_and_an_empty_body_tell_nothing(answer: Move) -> None:
    found = await told_by(**dict.fromkeys(QUESTIONS, answer))
    assert {name: (found[name].standing, found[name].doubt) for name in ASPECTS} == dict.fromkeys(ASPECTS, ("unknown", "failed"))


async def test_documents_that_configure_nothing_are_facts() -> None:
    found = await told_by(versioning=document('<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"/>'))
    assert (found["versioning"].standing, found["versioning"].said) == ("bad", "off")
    assert (found["lifecycle"].said, found["public_access"].said) == ("none", "none found")


async def test_the_plain_listing_is_no_empty_history() -> None:
    async with scripted_service(bucket(listing("a"), versions=listing("a"))) as service:
        store = S3Store(settings(service.endpoint), KEYS)
        with pytest.raises(BadAnswer):
            await store.versions("a")
        await store.aclose()


@pytest.mark.parametrize(
    ("question", "untold"), [("policyStatus", "the policy was not told"), ("acl", "the access list was not told")]
)
@pytest.mark.parametrize(
    ("answer", "doubt"),
    [
        (xml_error(501, "NotImplemented"), "unsupported"),
        (xml_error(403, "AccessDenied"), "forbidden"),
        (HTML, "failed"),
        (EMPTY, "failed"),
    ],
)
async def test_that_nobody_is_let_in_takes_both_answers(question: str, untold: str, answer: Move, doubt: str) -> None:
    found = await told_by(**{question: answer})
    assert (found["public_access"].standing, found["public_access"].doubt) == ("unknown", doubt)
    assert found["public_access"].said == untold


async def test_one_that_lets_anybody_in_is_enough_whatever_the_other_says() -> None:
    public = document("<PolicyStatus><IsPublic>true</IsPublic></PolicyStatus>")
    assert (await told_by(policyStatus=public, acl=HTML))["public_access"].said == "by its policy"
    assert (await told_by(policyStatus=xml_error(403, "AccessDenied"), acl=PUBLIC))["public_access"].said == "by its access list"


async def test_an_access_list_that_is_ignored_lets_nobody_in() -> None:
    ignores = "<PublicAccessBlockConfiguration><IgnorePublicAcls>true</IgnorePublicAcls></PublicAccessBlockConfiguration>"
    found = await told_by(publicAccessBlock=document(ignores), acl=PUBLIC)
    assert found["public_access"].standing == "plain"


def rule(name: str, does: str, prefix: str = "") -> str:
    return f"<Rule><ID>{name}</ID><Status>Enabled</Status><Filter><Prefix>{prefix}</Prefix></Filter>{does}</Rule>"


AFTER_30_DAYS = "<Expiration><Days>30</Days></Expiration>"


async def ruled(*rules: str, listed: Move | None = None) -> tuple[Aspect, dict[str, LifecycleRule]]:
    found = await told_by(listed, lifecycle=document(f"<LifecycleConfiguration>{''.join(rules)}</LifecycleConfiguration>"))
    return found["lifecycle"], {one.name: one for one in found["lifecycle"].rules}


async def test_each_thing_that_a_rule_does_is_told_as_it_is() -> None:
    aspect, rules = await ruled(
        rule("date", "<Expiration><Date>2099-01-01T00:00:00.000Z</Date></Expiration>"),
        rule(
            "old",
            "<NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays>"
            "<NewerNoncurrentVersions>100</NewerNoncurrentVersions></NoncurrentVersionExpiration>",
        ),
        rule("deep", "<Transition><Days>1</Days><StorageClass>DEEP_ARCHIVE</StorageClass></Transition>"),
        rule("at_once", "<Transition><Days>1</Days><StorageClass>GLACIER_IR</StorageClass></Transition>"),
        rule("marker", "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"),
    )
    assert set(rules) == {"date", "old", "deep"}
    assert (rules["date"].expire_days, str(rules["date"].expire_on), rules["date"].soon) == (None, "2099-01-01", False)
    assert (rules["old"].expire_old_days, rules["old"].keep_old, rules["old"].deletes) == (30, 100, False)
    assert (rules["deep"].archive_days, rules["deep"].tier) == (1, "DEEP_ARCHIVE")
    assert aspect.said == "2 that delete, 1 that archives"


async def test_a_prefix_that_no_state_has_endangers_none_unless_one_is_seen_there() -> None:
    logs, states = rule("logs", AFTER_30_DAYS, "logs/"), rule("states", AFTER_30_DAYS, DIGEST[:2])
    aspect, rules = await ruled(logs, listed=listing("logs/2026/a.gz"))
    assert (aspect.standing, rules["logs"].states) == ("plain", False)
    aspect, rules = await ruled(logs, listed=listing("logs/other/terraform.tfstate"))
    assert (aspect.standing, rules["logs"].states) == ("bad", True)
    aspect, rules = await ruled(states, listed=listing())
    assert (aspect.standing, rules["states"].states) == ("bad", True)


async def test_a_prefix_below_which_nobody_may_look_is_not_said_to_be_harmless() -> None:
    aspect, rules = await ruled(rule("logs", AFTER_30_DAYS, "logs/"), listed=xml_error(403, "AccessDenied"))
    assert (aspect.standing, rules["logs"].states) == ("bad", None)


async def test_who_may_not_list_is_told_of_the_clock_and_the_addressing_all_the_same() -> None:
    found = await told_by(
        raw_answer(
            403,
            b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>",
            {"Content-Type": "application/xml", "Date": "Mon, 30 Nov 2020 14:00:00 GMT"},
        )
    )
    assert found["clock"].seconds is not None
    assert found["clock"].seconds < -3600
    assert found["addressing"].evidence == "the listing was refused that way"


async def test_the_date_of_a_web_server_is_not_the_stores() -> None:
    found = await told_by(raw_answer(403, b"<html>", {"Content-Type": "text/html", "Date": "Mon, 30 Nov 2020 14:00:00 GMT"}))
    assert "clock" not in found
    assert "addressing" not in found
