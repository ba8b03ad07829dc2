from __future__ import annotations

from datetime import date

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff import Item, Status
from kumoss_console.model.suppressions import Suppression, Suppressions

TODAY = date(2026, 11, 30)
AWS, AZURE = CloudProvider.AWS, CloudProvider.AZURE


def rule(pattern: str, expires: date | None = None, provider: CloudProvider | None = None) -> Suppression:
    return Suppression(
        pattern=pattern, reason="known", author="ann", expires=expires, provider=provider, place="suppressions.yaml:2"
    )


def item(identifier: str, status: Status = Status.UNMANAGED) -> Item:
    return Item(id=identifier, status=status, kind="k")


def test_a_pattern_covers_whole_identifiers_and_nothing_that_is_managed() -> None:
    items = [item("arn:a:1"), item("arn:a"), item("arn:a:2", Status.MANAGED_HERE), item("x arn:a:3")]
    assert set(Suppressions((rule("arn:a:*"),), TODAY).covering(items, AWS)) == {"arn:a:1"}


def test_case_counts_except_on_azure() -> None:
    rules = Suppressions((rule("/SUB/*"),), TODAY)
    assert rules.covering([item("/sub/x")], AWS) == {}
    assert set(rules.covering([item("/sub/x")], AZURE)) == {"/sub/x"}


def test_one_that_is_over_covers_nothing_and_is_told_with_what_it_would_cover() -> None:
    rules = Suppressions((rule("a*", date(2026, 11, 29)), rule("b*", TODAY)), TODAY)
    items = [item("a1"), item("a2"), item("b1")]
    assert set(rules.covering(items, AWS)) == {"b1"}
    over, soon = rules.findings(items, AWS)
    assert (over.code, over.severity) == ("discover.suppression_expired", "warning")
    assert "over since 2026-11-29: it would cover 2" in over.message
    assert over.subject == "suppressions.yaml:2: a*"
    assert soon.code == "discover.suppression_ends"


def test_one_for_another_cloud_is_not_asked() -> None:
    rules = Suppressions((rule("*", provider=AZURE),), TODAY)
    assert rules.covering([item("a")], AWS) == {}
    assert list(rules.findings([item("a")], AWS)) == []


def test_two_with_one_pattern_are_told() -> None:
    rules = Suppressions((rule("a*"), rule("b*"), rule("a*", TODAY, AWS), rule("b*", provider=AZURE)), TODAY)
    found = [finding for finding in rules.findings([item("a1")], AWS) if finding.code == "discover.suppression_twice"]
    assert [(finding.subject, finding.severity) for finding in found] == [("suppressions.yaml:2: a*", "warning")]
    assert "by ann at suppressions.yaml:2, which is the one that counts" in found[0].message
