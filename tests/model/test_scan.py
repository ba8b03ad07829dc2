"""What is wrong with a bucket, from its keys, the heads of its states, their histories and their use."""

from __future__ import annotations

import gc
import itertools
from datetime import timedelta
from typing import Any

import pytest

from kumoss_console.errors import AccessDenied, BadAnswer, NotFound
from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Severity
from kumoss_console.model.scan import (
    LastJob,
    Lineages,
    ScanFinding,
    Subject,
    Version,
    across_keys,
    by_gravity,
    of_head,
    of_history,
    of_usage,
)
from kumoss_console.model.scan.finding import about
from kumoss_console.model.scan.usage import Witness
from kumoss_console.model.state.head import Head, HeadStatus
from kumoss_console.model.storage import StorageProvider
from kumoss_console.model.storedkey import stored_key
from tests.fakes.clock import START
from tests.hostile import HOSTILE

A, B, C = (f"{digit * 64}/terraform.tfstate" for digit in "abc")
NET = KnownProject(repo="https://github.com/acme/net", scope="prod", name="net")


def subject(key: str, **members: Any) -> Subject:
    told = stored_key(key, "terraform.tfstate", StorageProvider.RUSTFS)
    base = "" if told.base == key else told.base
    known: dict[str, Any] = {"kind": told.kind, "base": base, "workspace": told.workspace, "modified": START}
    return Subject(key=key, **known | members)


def head(key: str, serial: int | None = 1, lineage: str | None = "l", **members: Any) -> Head:
    known: dict[str, Any] = {"status": "state", "format_version": 4, "managed": 3}
    return Head(key=key, etag='"e"', size=9, serial=serial, lineage=lineage, **known | members)


def shared(*heads: Head) -> list[ScanFinding]:
    lineages = Lineages()
    for one in heads:
        lineages.add(subject(one.key), one)
    return list(lineages.findings())


def codes(findings: Any) -> list[tuple[str, str]]:
    return [(finding.code, finding.severity.value) for finding in findings]


# -- one object ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("empty", "scan.empty"),
        ("damaged", "scan.damaged"),
        ("not_a_state", "scan.not_a_state"),
        ("plan", "scan.plan"),
        ("compressed", "scan.compressed"),
        ("backend_cache", "scan.backend_cache"),
        ("lock", "scan.misplaced_lock"),
        ("dependency_lock", "scan.misplaced_lock"),
    ],
)
def test_what_is_no_state_is_an_error_at_a_states_key_and_to_know_anywhere_else(status: HeadStatus, code: str) -> None:
    assert codes(of_head(subject(A), head(A, status=status, reason="why"))) == [(code, "error")]
    assert codes(of_head(subject("envs/prod.tfstate"), head("envs/prod.tfstate", status=status))) == [(code, "error")]
    assert codes(of_head(subject("notes.txt"), head("notes.txt", status=status))) == [(code, "info")]


def test_a_state_is_told_by_what_is_odd_about_it() -> None:
    assert codes(of_head(subject(A), head(A))) == []
    assert codes(of_head(subject(A), head(A, managed=None))) == []
    assert codes(of_head(subject(A), head(A, managed=0))) == [("scan.no_resources", "info")]
    assert codes(of_head(subject(A), head(A, lineage=""))) == [("scan.no_lineage", "warning")]
    assert codes(of_head(subject(A), head(A, format_version=3))) == [("scan.legacy_format", "warning")]
    assert codes(of_head(subject(A), head(A, reason="unsupported format version 5"))) == [("scan.unreadable", "error")]
    assert codes(of_head(subject(A), head(A, status="encrypted"))) == [("scan.encrypted", "info")]


def test_of_an_encrypted_state_is_said_what_can_be_read_of_it() -> None:
    told = {"serial and lineage can": (5, "l"), "lineage can": (None, "l"), "nothing of it can": (None, None)}
    for said, (serial, lineage) in told.items():
        (finding,) = of_head(subject(A), head(A, serial, lineage, status="encrypted"))
        assert finding.message.endswith(f"here; {said}")


def test_a_lock_is_called_misplaced_where_a_state_is_expected_and_nowhere_else() -> None:
    (misplaced,) = of_head(subject(A), head(A, status="lock", reason="a row"))
    (export,) = of_head(subject("export.json"), head("export.json", status="lock", reason="a row"))
    assert (misplaced.message, export.message) == ("a lock document under a state's key: a row", "a lock document: a row")


def test_what_could_not_be_looked_at_is_an_error_and_what_is_gone_is_not() -> None:
    refused = AccessDenied("the store refuses", hint="grant it")
    (finding,) = of_head(subject(A), head(A, status="unknown", error=refused))
    assert (finding.code, finding.severity, finding.remedy) == ("scan.not_looked", Severity.ERROR, "grant it")
    cut = BadAnswer("the answer broke off", detail="the answer ended after 1270 of 2541 bytes\nas proxies do")
    (finding,) = of_head(subject(A), head(A, status="unknown", error=cut))
    assert finding.message.endswith("the answer broke off (the answer ended after 1270 of 2541 bytes)"), "with its evidence"
    gone = head(A, status="unknown", error=NotFound("no such object"))
    assert codes(of_head(subject(A), gone)) == [("scan.gone", "info")]


# -- the whole bucket ------------------------------------------------------------------------------------------------------------


def test_one_lineage_under_two_keys_is_told_of_both_with_who_is_behind() -> None:
    found = shared(head(A, 41), head(B, 40), head(C, 7, "other"))
    assert {(one.key, one.related) for one in found} == {(A, (B,)), (B, (A,))}
    assert codes(found) == [("scan.shared_lineage", "error")] * 2
    assert "which is behind 41" in next(one.message for one in found if one.key == B)
    assert "which is behind" not in next(one.message for one in found if one.key == A)


def test_encrypted_states_share_lineages_like_any_other() -> None:
    assert len(shared(head(A, 41), head(B, 40, status="encrypted"))) == 2
    assert shared(head(A, 41), head(B, 40, status="not_a_state")) == []
    assert shared(head(A, 1, ""), head(B, 2, "")) == []
    assert shared(head(A, 1, None), head(B, 2, None)) == []


def test_a_backup_beside_its_state_is_no_copy() -> None:
    assert sorted(codes(shared(head(A, 41), head(f"{A}.backup", 40)))) == [
        ("scan.backup", "info"),
        ("scan.has_backup", "info"),
    ]
    assert sorted(codes(shared(head(A, 41), head(f"{A}.backup", 40), head(B, 39)))) == [
        ("scan.backup", "info"),
        ("scan.shared_lineage", "error"),
        ("scan.shared_lineage", "error"),
    ]
    assert codes(shared(head(B, 41), head(f"{A}.backup", 40))) == [("scan.shared_lineage", "error")] * 2


def test_ten_thousand_copies_stay_a_list_and_no_square() -> None:
    found = shared(*(head(f"{number:064x}/terraform.tfstate", number) for number in range(10_000)))
    assert len(found) == 10_000
    assert {len(one.related) for one in found} == {100}
    assert all(one.key not in one.related for one in found)
    assert {(one.related_total, one.lineage) for one in found} == {(9_999, found[0].lineage)}
    assert "and 9,996 more" in found[0].message


def test_a_lineage_under_two_dozen_keys_lists_all_of_them() -> None:
    found = shared(*(head(f"{number:064x}/terraform.tfstate", number) for number in range(25)))
    keys = {one.key for one in found}
    assert all({*one.related, one.key} == keys for one in found)
    assert {one.related_total for one in found} == {24}


def test_the_order_in_which_heads_arrive_changes_nothing() -> None:
    heads = [head(A, 41), head(B, 40), head(f"{A}.backup", 39), head(C, 1, "other")]
    told = {frozenset((one.code, one.key) for one in shared(*order)) for order in itertools.permutations(heads)}
    assert len(told) == 1


def test_locks_without_state_owners_and_siblings_are_told_from_the_keys() -> None:
    sibling, lone = f"env:/stage/{C}", f"{B}.tflock"
    subjects = [subject(A, owner=NET), subject(C, orphan=True), subject(sibling), subject(lone), subject("x.txt")]
    found = {(one.code, one.key) for one in across_keys(subjects, projects_known=True)}
    assert found == {
        ("scan.no_owner", C),
        ("scan.workspace_sibling", sibling),
        ("scan.lock_without_state", lone),
    }
    assert "not in the bucket" not in next(
        one.message for one in across_keys(subjects, projects_known=True) if one.key == sibling
    )
    (alone,) = across_keys([subject(f"env:/stage/{A}")], projects_known=True)
    assert "which is not in the bucket" in alone.message


def test_without_any_named_project_one_finding_says_so_instead_of_one_for_each_state() -> None:
    (finding,) = across_keys([subject(A, orphan=True), subject(B, orphan=True)], projects_known=False)
    assert (finding.code, finding.key) == ("scan.no_projects", "")
    assert "2 states" in finding.message


# -- histories -------------------------------------------------------------------------------------------------------------------


def history(*told: tuple[int | None, str | None], left_out: int = 0) -> list[ScanFinding]:
    """Oldest first, as it happened; asked about newest first, as stores list it."""
    versions = [
        Version(version_id=f"v{place}", modified=START + timedelta(hours=place), head=head(A, serial, lineage))
        for place, (serial, lineage) in enumerate(told)
    ]
    return list(of_history(subject(A), versions[::-1], left_out=left_out))


def test_a_history_that_only_grows_is_sound() -> None:
    assert history((1, "a"), (2, "a"), (2, "a"), (9, "a")) == []


def test_each_change_of_lineage_and_each_fall_is_told_with_the_version_to_go_back_to() -> None:
    changed, back = history((4, "a"), (1, "b"), (5, "a"))
    assert codes([changed, back]) == [("scan.lineage_changed", "error")] * 2
    assert "from a to b" in changed.message
    assert "version v0" in changed.remedy
    (fell,) = history((4, "a"), (3, "a"), (4, "a"))
    assert (fell.code, fell.severity) == ("scan.serial_fell", Severity.WARNING)
    assert "from 4 to 3" in fell.message
    assert "2026-01-02T04:04:05Z" in fell.message


def test_versions_without_a_lineage_are_passed_over_and_what_was_left_out_is_said() -> None:
    assert codes(history((4, "a"), (None, None), (1, "b"))) == [("scan.lineage_changed", "error")]
    assert codes(history((4, "a"), (None, "a"), (3, "a"))) == []
    assert codes(history((1, "a"), left_out=3)) == [("scan.history_left_out", "info")]
    unread = Version(version_id="v", modified=None, head=head(A, None, None, status="unknown", error=AccessDenied("refused")))
    assert codes(of_history(subject(A), [unread])) == [("scan.history_not_looked", "error")]


# -- use -------------------------------------------------------------------------------------------------------------------------


def usage(idle: int, *, witness: Witness = "bound", job: int | None = None) -> list[ScanFinding]:
    now = START + timedelta(days=idle)
    last = None if job is None else LastJob(kind="plan", name="3f2504e0", at=now - timedelta(days=job))
    return list(of_usage(subject(A), now=now, stale=timedelta(days=90), witness=witness, job=last))


def test_a_state_is_stale_where_neither_a_write_nor_a_job_is_young() -> None:
    assert usage(89) == []
    assert usage(200, job=89) == []
    assert "the last job of this console in its workspace was plan 3f2504e0, 100 d ago" in usage(200, job=100)[0].message


@pytest.mark.parametrize(
    ("witness", "words"),
    [
        ("bound", "knows no job in its workspace"),
        ("unbound", "no workspace that can be seen from here is bound to it"),
        ("unreadable", "the journal could not be read"),
    ],
)
def test_what_the_journal_cannot_say_is_said(witness: Witness, words: str) -> None:
    (finding,) = usage(100, witness=witness)
    assert finding.code == "scan.stale"
    assert words in finding.message


def test_an_unknown_age_is_no_age() -> None:
    found = of_usage(subject(A, modified=None), now=START, stale=timedelta(days=1), witness="bound")
    assert codes(found) == [("scan.age_unknown", "info")]


# -- all -------------------------------------------------------------------------------------------------------------------------


def test_the_gravest_come_first_and_what_is_alike_stands_together() -> None:
    found = [
        *shared(head(B, 2), head(A, 1)),
        *of_head(subject(C), head(C, managed=0)),
        *of_head(subject(C), head(C, status="empty")),
    ]
    assert [(one.code, one.key) for one in by_gravity(found)] == [
        ("scan.empty", C),
        ("scan.shared_lineage", A),
        ("scan.shared_lineage", B),
        ("scan.no_resources", C),
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_external_text_in_messages_is_neutralised(text: str) -> None:
    found = shared(head(f"a{text}", 2, f"l{text}"), head(f"b{text}", 1, f"l{text}"))
    found += of_head(subject(A), head(A, status="damaged", reason=text))
    found += history((2, f"a{text}"), (1, f"b{text}"))
    assert len(found) == 4
    assert not any("\x1b" in one.message + one.remedy or "\n" in one.message + one.remedy for one in found)


def test_many_findings_of_a_kind_are_in_order_of_their_keys_and_no_work_for_the_garbage_collector() -> None:
    found = [about(subject(f"{number * 7919 % 12_000:06}"), "empty", Severity.ERROR, "empty") for number in range(12_000)]
    assert [one.key for one in by_gravity(found)] == sorted(one.key for one in found)
    assert not any(map(gc.is_tracked, (found[0], subject(A))))


def test_a_lineage_is_told_anew_when_another_key_joins_it() -> None:
    lineages = Lineages()
    for key in (A, B):
        lineages.add(subject(key), head(key, 1))
    assert [one.related for one in lineages.findings()] == [(B,), (A,)]
    first, second = list(lineages.findings()), list(lineages.findings())
    assert all(one is other for one, other in zip(first, second, strict=True)), "made once"
    lineages.add(subject(C), head(C, 2))
    assert {one.related_total for one in lineages.findings()} == {2}
