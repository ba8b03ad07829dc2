"""What a trial finds out of a storage account: its locks are leases, and what it deletes may be kept for a while."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.errors import ConsoleError, ServiceError
from kumoss_console.model.endpoint import Aspect, AspectName, judge
from tests.clients.test_azure_errors import AZURE, BLOB, KEYS, blob, listing, said, settings
from tests.fakes.scripted_service import Exchange, Move, hang, hang_up, raw_answer, scripted_service

KEY = "kumoss-console-scratch/trial"
SOFT = "<Deleted>true</Deleted>"
_WRITES = {"create", "put", "checksum", "conditional", "delete"}
DENIED = said(403, "AuthorizationPermissionMismatch")


@dataclass
class OneBlob:
    """An account for one blob. What ``answers`` has for a kind of request (``acquire``, ``release``, ``delete``, ``checksum``) is
    said instead, and what ``afterwards`` has once it was done. ``lease`` is the id of the one that is held. With ``kept``, what
    was deleted stays listed for that many days to whoever asks for it."""

    answers: dict[str, Move] = field(default_factory=dict)
    afterwards: dict[str, Move] = field(default_factory=dict)
    lease: str = ""
    sent: str = ""
    kept: int = 0
    there: bool = False
    written: bool = False
    asked: list[str] = field(default_factory=list)

    async def __call__(self, exchange: Exchange) -> None:
        request = exchange.request
        asked = parse_qs(urlsplit(request.path).query)
        kind = self._kind(request.method, asked, request.headers)
        self.asked.append(kind)
        self.sent = str(request.headers.get("x-ms-lease-id") or request.headers.get("x-ms-proposed-lease-id", ""))
        answer = self.answers.get(kind) or (self._locked() if kind in _WRITES else None) or getattr(self, f"_{kind}")(asked)
        answer = self.afterwards.get(kind) or answer
        await answer(exchange)

    def _kind(self, method: str, asked: dict[str, list[str]], headers: object) -> str:
        assert isinstance(headers, dict)
        if asked.get("comp") == ["list"]:
            return "list"
        if asked.get("comp") == ["lease"]:
            return str(headers["x-ms-lease-action"])
        if method == "DELETE":
            return "conditional" if "if-match" in headers else "delete"
        if "content-md5" in headers:
            return "checksum"
        return "create" if "if-none-match" in headers else "put"

    def _locked(self) -> Move | None:
        """What the service says to a write that does not name the lease, or names one that is not held."""
        if self.lease and not self.sent:
            return said(412, "LeaseIdMissing")
        return said(412, "LeaseNotPresentWithBlobOperation") if self.sent and not self.lease and self.there else None

    def _list(self, asked: dict[str, list[str]]) -> Move:
        deleted = "deleted" in asked.get("include", [""])[0]
        entries = [blob(KEY)] if self.there else []
        if deleted and self.written and not self.there and self.kept:
            entries.append(blob(KEY, more=SOFT, RemainingRetentionDays=str(self.kept)))
        return listing(*entries)

    def _create(self, asked: dict[str, list[str]]) -> Move:
        return said(409, "BlobAlreadyExists") if self.there else self._put(asked)

    def _put(self, _: dict[str, list[str]]) -> Move:
        self.there = self.written = True
        return raw_answer(201, b"", BLOB)

    _checksum = _put

    def _acquire(self, _: dict[str, list[str]]) -> Move:
        self.lease = self.sent
        return raw_answer(201, b"", {**BLOB, "x-ms-lease-id": self.lease})

    def _release(self, _: dict[str, list[str]]) -> Move:
        self.lease = ""
        return raw_answer(200, b"", BLOB)

    def _conditional(self, _: dict[str, list[str]]) -> Move:
        return said(412, "ConditionNotMet")

    def _delete(self, _: dict[str, list[str]]) -> Move:
        if not self.there:
            return said(404, "BlobNotFound")
        self.there, self.lease = False, ""
        return raw_answer(202, b"", AZURE)


async def tried_on(service: OneBlob, found: dict[AspectName, Aspect] | None = None) -> dict[AspectName, Aspect]:
    told = {} if found is None else found
    async with scripted_service(service) as running:
        store = AzureStore(settings(running.endpoint), KEYS)
        try:
            async for aspect in store.examiner.try_writes(KEY):
                told[aspect.name] = aspect
        finally:
            await store.aclose()
    return told


async def test_a_lease_is_taken_and_let_go_of_before_anything_is_deleted() -> None:
    service = OneBlob()
    found = await tried_on(service)
    assert {aspect.standing for aspect in found.values()} == {"good"}
    assert list(found) == ["conditional_create", "lease", "conditional_delete", "checksums", "delete"]
    assert service.asked.index("acquire") < service.asked.index("release") < service.asked.index("delete")


@pytest.mark.parametrize(
    ("refused", "fault", "code"),
    [("acquire", "", "endpoint.lease_refused"), ("release", "never_released", "endpoint.lease_not_released")],
)
async def test_a_lease_that_is_refused_is_the_lock_that_is_missing(refused: str, fault: str, code: str) -> None:
    found = await tried_on(OneBlob(answers={refused: DENIED}))
    assert (found["lease"].standing, found["lease"].fault) == ("bad", fault)
    assert code in {finding.code for finding in judge(found.values(), store="s")}
    assert found["delete"].standing == "good"


@pytest.mark.parametrize("kind", ["acquire", "release", "checksum"])
async def test_what_the_service_fails_is_not_what_it_refuses(kind: str) -> None:
    found = await tried_on(OneBlob(answers={kind: said(503, "ServerBusy")}))
    name: AspectName = "checksums" if kind == "checksum" else "lease"
    assert (found[name].standing, found[name].doubt) == ("unknown", "failed")


@pytest.mark.parametrize(
    ("answers", "afterwards"),
    [
        ({"release": said(503, "ServerBusy")}, {}),
        ({"release": DENIED}, {}),
        ({"release": hang_up}, {}),
        ({"acquire": hang_up}, {}),
        ({}, {"acquire": hang_up}),
        ({}, {"acquire": hang}),
        ({}, {"release": hang_up}),
    ],
    ids=["busy", "denied", "kept", "not taken", "taken", "taken in silence", "released"],
)
async def test_a_lease_of_our_own_that_may_be_held_still_is_in_the_way_of_nothing_that_follows(
    answers: dict[str, Move], afterwards: dict[str, Move]
) -> None:
    service = OneBlob(answers=answers, afterwards=afterwards)
    found = await tried_on(service)
    assert found.pop("lease").standing != "good"
    assert {name: aspect.standing for name, aspect in found.items()} == {
        "conditional_create": "good",
        "conditional_delete": "good",
        "checksums": "good",
        "delete": "good",
    }
    assert not service.there


async def test_a_lease_of_our_own_that_is_in_the_way_all_the_same_is_told_as_ours_and_nothing_is_judged_by_it() -> None:
    leased = said(412, "LeaseIdMissing")
    found: dict[AspectName, Aspect] = {}
    answers = {"release": said(503, "ServerBusy"), "conditional": leased, "checksum": leased, "delete": leased}
    with pytest.raises(ConsoleError) as caught:
        await tried_on(OneBlob(answers=answers), found)
    assert {found[name].standing for name in ("conditional_delete", "checksums", "delete")} == {"unknown"}
    assert "by this trial itself" in caught.value.detail
    assert "within 15 s" in caught.value.hint


@pytest.mark.parametrize("lost", [hang_up, said(500, "InternalError")])
async def test_a_first_write_whose_answer_was_lost_is_looked_for(lost: Move) -> None:
    class Once(OneBlob):
        def _create(self, asked: dict[str, list[str]]) -> Move:
            first, answer = not self.written, super()._create(asked)
            return lost if first else answer

    service = Once()
    assert {aspect.standing for aspect in (await tried_on(service)).values()} == {"good"}
    assert not service.there


async def test_a_removal_that_no_answer_came_to_is_not_said_to_have_failed() -> None:
    with pytest.raises(ConsoleError, match="It is not known whether the scratch key"):
        await tried_on(OneBlob(answers={"delete": hang_up}))


async def test_a_checksum_that_the_service_refuses_is_bad() -> None:
    found = await tried_on(OneBlob(answers={"checksum": said(400, "InvalidHeaderValue")}))
    assert found["checksums"].standing == "bad"


async def test_who_may_not_delete_holds_no_lock_for_ever() -> None:
    found: dict[AspectName, Aspect] = {}
    with pytest.raises(ServiceError):
        await tried_on(OneBlob(answers={"delete": DENIED}), found)
    (finding,) = judge(found.values(), store="s")
    assert (finding.code, finding.severity) == ("endpoint.delete_refused", "info")


async def test_what_is_deleted_softly_is_a_remark_with_how_long_it_is_kept() -> None:
    found = await tried_on(OneBlob(kept=6))
    assert found["delete"].standing == "good"
    assert "for 6 days more (soft delete)" in found["delete"].remark
    assert (await tried_on(OneBlob()))["delete"].remark == ""
