"""The workspace's own state is found in the bucket, and never taken for another one that manages the same."""

from __future__ import annotations

import pytest

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.finding import Severity
from kumoss_console.model.importdiff import Comparison, Listing, Settled, StateIds, compare, from_listing, settle
from tests.fakes.clouds import ACCOUNT, aws_arns
from tests.model.discovery.states import state, topics

ARNS = aws_arns(6)
KEY, OTHER = "own/terraform.tfstate", "other/terraform.tfstate"
FILE = state(*topics(ARNS[:3]), key="STATE.json", serial=7, lineage="a")


def in_bucket(count: int, *, serial: int = 7, lineage: str = "a", key: str = KEY) -> StateIds:
    return state(*topics(ARNS[:count]), key=key, serial=serial, lineage=lineage)


def told(settled: Settled) -> list[str]:
    return [finding.code for finding in settled.findings]


def compared(settled: Settled) -> Comparison:
    listing = Listing(provider=CloudProvider.AWS, scope=ACCOUNT, ids=ARNS)
    return compare(listing, settled.here, settled.elsewhere, settled.unread)


@pytest.mark.parametrize("key", ["", KEY])
@pytest.mark.parametrize(("serial", "count", "here", "codes"), [(7, 3, 3, []), (9, 2, 2, ["discover.document_older"])])
def test_a_document_and_its_own_object_are_one_manager(key: str, serial: int, count: int, here: int, codes: list[str]) -> None:
    settled = settle(FILE.contract_ids, [in_bucket(count, serial=serial)], key=key, given=FILE)
    assert (settled.here.key, len(settled.here.objects), told(settled)) == (KEY, here, codes)
    assert settled.elsewhere == ()
    assert compared(settled).findings == ()


def test_a_newer_document_is_compared_and_both_serials_are_told() -> None:
    settled = settle(FILE.contract_ids, [in_bucket(2, serial=5)], given=FILE)
    assert (settled.here.key, len(settled.here.objects)) == (KEY, 3)
    (finding,) = settled.findings
    assert (finding.code, finding.severity) == ("discover.document_newer", Severity.INFO)
    assert "serial 7 and is newer than the state at own/terraform.tfstate with serial 5" in finding.message


def test_the_key_that_was_named_counts_more_than_a_lineage() -> None:
    states = [in_bucket(3, key=OTHER), in_bucket(2, lineage="b")]
    settled = settle(FILE.contract_ids, states, key=KEY, given=FILE)
    assert (settled.here.key, told(settled)) == (KEY, ["discover.other_lineage"])
    assert [one.key for one in settled.elsewhere] == [OTHER]


def test_a_document_that_is_not_in_the_bucket_stands_for_itself() -> None:
    settled = settle(FILE.contract_ids, [in_bucket(2, lineage="b", key=OTHER)], given=FILE)
    assert (settled.here, told(settled)) == (FILE, [])
    (finding,) = compared(settled).findings
    assert (finding.code, finding.subject) == ("discover.managed_twice", f"STATE.json and {OTHER}")


@pytest.mark.parametrize(
    ("states", "looked", "said"),
    [
        ([], True, "is the key of nothing in the bucket that may be a state"),
        ([], False, ""),
        ([StateIds(key=KEY, status="could_not_look", reason="denied")], True, "holds no state that could be read (denied)"),
    ],
)
def test_what_is_said_of_a_named_key_is_true(states: list[StateIds], looked: bool, said: str) -> None:
    settled = settle(FILE.contract_ids, states, key=KEY, given=FILE, looked=looked)
    assert settled.here == FILE
    assert "".join(finding.message for finding in settled.findings).startswith(said)
    assert bool(settled.findings) == bool(said)


def test_state_rm_is_told_only_where_two_lineages_were_read() -> None:
    def remedies(here: StateIds, other: StateIds) -> tuple[str, bool]:
        listing = Listing(provider=CloudProvider.AWS, scope=ACCOUNT, ids=ARNS)
        (finding,) = [one for one in compare(listing, here, [other]).findings if "together" in one.message]
        return finding.code, "state rm" in finding.remedy

    here = in_bucket(3)
    assert remedies(here, in_bucket(2, key=OTHER, lineage="b")) == ("discover.managed_twice", True)
    assert remedies(here, in_bucket(2, key=OTHER)) == ("discover.state_copied", False)
    only_listed = StateIds(key="", objects=from_listing(tuple(ARNS[:2])))
    assert remedies(only_listed, in_bucket(2, key=OTHER)) == ("discover.perhaps_one_state", False)
