"""What the aspects of a store mean for states: sentences that are said only where they are so."""

from __future__ import annotations

from datetime import date

import pytest

from kumoss_console.errors import AccessDenied, ConfigError, ConsoleError, ServiceError, Unreachable
from kumoss_console.model.endpoint import Aspect, AspectName, LifecycleRule, judge
from kumoss_console.model.endpoint.aspect import Fault, cannot_be_tried, evidence_of, no_access, not_answered, tried
from kumoss_console.model.endpoint.judge import about_leftovers
from kumoss_console.model.endpoint.lifecycle import may_begin_a_state
from kumoss_console.model.finding import Finding, Severity

STORE = "state at store.test:9000"
DIGEST = "0f" * 32
FILE = "terraform.tfstate"


def bad(name: AspectName, said: str = "refused", fault: Fault = "") -> Aspect:
    return Aspect(name=name, standing="bad", said=said, evidence="asked", fault=fault)


def about(*aspects: Aspect) -> tuple[Finding, ...]:
    return judge(aspects, store=STORE)


LEASE = Aspect(name="lease", standing="good", said="taken and released", evidence="asked")


@pytest.mark.parametrize("fault", ["", "without_effect"])
def test_a_delete_that_is_refused_holds_a_lock_object_for_ever_and_no_lease(fault: Fault) -> None:
    (of_objects,) = about(bad("delete", fault=fault))
    (of_leases,) = about(LEASE, bad("delete", fault=fault))
    assert (of_objects.code, of_leases.code) == ("endpoint.delete_refused", "endpoint.delete_refused")
    assert (of_objects.severity, of_leases.severity) == (Severity.ERROR, Severity.INFO)
    assert "never be released" in of_objects.message
    assert "released all the same" in of_leases.message
    assert "s3:" not in of_leases.remedy


def test_on_a_storage_account_no_lock_depends_on_a_condition() -> None:
    findings = about(bad("conditional_create"), LEASE, bad("conditional_delete"), bad("checksums"))
    assert {finding.severity for finding in findings} == {Severity.INFO}
    assert "use_lockfile" not in repr(findings)
    assert "skip_s3_checksum" not in repr(findings)


@pytest.mark.parametrize(("fault", "code"), [("", "endpoint.lease_refused"), ("never_released", "endpoint.lease_not_released")])
def test_a_lease_that_is_refused_is_a_lock_that_nobody_gets_or_nobody_lets_go(fault: Fault, code: str) -> None:
    (finding,) = about(bad("lease", fault=fault))
    assert (finding.code, finding.severity) == (code, Severity.ERROR)


def test_a_refused_condition_is_told_from_one_that_is_ignored() -> None:
    (ignored,), (refused,) = about(bad("conditional_create", "ignored")), about(bad("conditional_create", fault="never_taken"))
    assert "protects nothing" in ignored.message
    assert "cannot lock here" in refused.message
    assert ignored.code != refused.code


def test_a_certificate_that_ends_soon_crosses_no_network_in_clear() -> None:
    (clear,) = about(bad("transport", "http, in clear"))
    (ends,) = about(bad("transport", "certificate ends in 4 days", "certificate_ends"))
    assert "cross the network so" in clear.message
    assert ends.code == "endpoint.certificate_ends"
    assert "secrets" not in ends.message
    assert "https" not in ends.remedy


def test_why_a_store_cannot_be_reached_is_said_once() -> None:
    error = Unreachable("store.test cannot be reached", hint="renew the store's certificate", code="store.unreachable")
    findings = about(no_access(error), bad("transport", "its TLS certificate has expired", "untrusted"))
    assert [finding.code for finding in findings] == ["endpoint.unreachable"]


def test_a_remark_is_a_finding_and_no_fault() -> None:
    (finding,) = about(Aspect(name="delete", standing="good", said="allowed", evidence="asked", remark="kept for 6 days"))
    assert (finding.severity, finding.message) == (Severity.INFO, "kept for 6 days")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (AccessDenied("refused", code="store.access_denied"), "does not list for us"),
        (AccessDenied("no credentials", code="store.no_credentials"), "was not asked"),
        (ConfigError("the extra is missing", code="store.extra_missing"), "was not asked"),
        (Unreachable("no answer"), "gave no answer"),
        (ServiceError("it failed"), "its listing failed"),
    ],
)
def test_why_nothing_was_tried_is_why_nothing_was_listed(error: ConsoleError, words: str) -> None:
    access = no_access(error)
    assert words in cannot_be_tried("delete", access).said
    assert ("asked for the listing" in access.evidence) is (words != "was not asked")


def test_evidence_is_one_line_and_never_empty() -> None:
    error = AccessDenied("refused", detail="403 AccessDenied: msg\nthe object may not be there", code="store.access_denied")
    assert not_answered("delete", error).evidence == "403 AccessDenied: msg; the object may not be there"
    assert evidence_of(ServiceError("it failed")) == "it failed"


def test_leases_are_tried_where_they_are_the_locks() -> None:
    assert "lease" in tried(leases=True)
    assert "lease" not in tried(leases=False)


def test_what_an_earlier_trial_left_is_not_said_to_have_been_interrupted() -> None:
    (one,) = about_leftovers(["kumoss-console-scratch/a"], store=STORE)
    (two,) = about_leftovers(["kumoss-console-scratch/a", "kumoss-console-scratch/b"], store=STORE)
    assert "1 scratch object of an earlier trial is still there" in one.message
    assert "2 scratch objects of earlier trials are still there" in two.message
    assert "interrupted" not in one.message


@pytest.mark.parametrize(
    ("prefix", "may"),
    [
        ("", True),
        ("0f", True),
        (DIGEST, True),
        (f"{DIGEST}/", True),
        (f"{DIGEST}/terraform", True),
        (f"{DIGEST}/{FILE}.tflock", True),
        ("e", True),
        ("env:/", True),
        (f"env:/dev/{DIGEST}", True),
        ("logs/", False),
        ("0f/", False),
        ("0F", False),
        (f"{DIGEST}0", False),
        (f"{DIGEST}/other", False),
        ("kumoss-console-scratch/", False),
    ],
)
def test_a_rule_concerns_the_states_whose_keys_can_begin_so(prefix: str, may: bool) -> None:
    assert may_begin_a_state(prefix, FILE) is may


def of_rule(**how: object) -> Finding:
    told = {"name": "r", "prefix": "", "expire_days": None, "expire_old_days": None, **how}
    rule = LifecycleRule(**told)  # type: ignore[arg-type]  # members of the rule, by their names
    (finding,) = about(Aspect(name="lifecycle", standing="bad", said="1 that deletes", evidence="asked", rules=(rule,)))
    return finding


@pytest.mark.parametrize("does", [{"expire_days": 30}, {"archive_days": 1, "tier": "DEEP_ARCHIVE"}])
def test_a_rule_is_as_grave_as_what_it_can_concern(does: dict[str, object]) -> None:
    assert of_rule(**does).severity is Severity.ERROR
    assert of_rule(**does, narrowed=True).severity is Severity.WARNING
    assert of_rule(**does, states=None).severity is Severity.WARNING
    other = of_rule(**does, states=False, prefix="logs/")
    assert other.severity is Severity.INFO
    assert "below logs/" in other.message
    assert "no key of a state begins so" in other.message


def test_a_rule_with_a_date_names_it_and_one_far_away_alarms_nobody_today() -> None:
    far = of_rule(expire_on=date(2099, 1, 1), soon=False)
    assert "on 2099-01-01" in far.message
    assert "days" not in far.message
    assert (far.severity, of_rule(expire_on=date(2026, 12, 1)).severity) == (Severity.WARNING, Severity.ERROR)


def test_the_old_versions_that_a_rule_spares_are_a_way_back() -> None:
    finding = of_rule(expire_old_days=30, keep_old=100)
    assert "all but the newest 100" in finding.message
    assert finding.message.endswith("no way back beyond those")
    assert of_rule(expire_old_days=30).message.endswith("no way back beyond that")


def test_what_is_archived_is_not_read_before_somebody_restores_it() -> None:
    finding = of_rule(archive_days=1, tier="GLACIER")
    assert finding.code == "endpoint.lifecycle_archives_states"
    assert "to GLACIER 1 day after they were written" in finding.message
    assert "restores it" in finding.message
    assert of_rule(archive_old_days=7, tier="GLACIER").severity is Severity.INFO
