"""One judgement of a held lock, whoever shows it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from msgspec import structs

from kumoss_console.errors import AccessDenied
from kumoss_console.model.finding import Severity
from kumoss_console.model.lock import LockDocument, parse_lock
from kumoss_console.services.bucket.service import HeldLock, StateRow
from kumoss_console.services.locks.judgement import judged, judged_row
from kumoss_console.services.locks.report import stale_because
from tests.fakes.clock import START

KEY = f"{'ab' * 32}/terraform.tfstate"
NOW = START + timedelta(days=1)
YOUNG = HeldLock(key=KEY, owner=None, lock=None, since=NOW - timedelta(minutes=5))

ENDLESS = replace(parse_lock(json.dumps({"ID": "b1f6f2c8", "Who": "ops@x"}).encode()), lease="infinite")
ENDING = replace(ENDLESS, lease="fixed")


@pytest.mark.parametrize(
    ("lock", "severity", "words"),
    [
        (YOUNG, Severity.INFO, "held 5 min"),
        (replace(YOUNG, since=NOW - timedelta(hours=2)), Severity.ERROR, "held 2 h"),
        (replace(YOUNG, since=NOW - timedelta(hours=2), lock=ENDLESS.lock, document=ENDLESS), Severity.ERROR, "held 2 h"),
        (replace(YOUNG, since=NOW - timedelta(hours=2), lock=ENDLESS.lock, document=ENDING), Severity.INFO, "held 2 h"),
        (replace(YOUNG, since=None), Severity.INFO, ""),
        (replace(YOUNG, stateless=True), Severity.WARNING, "held 5 min"),
        (replace(YOUNG, document=LockDocument(lock=None, reason="empty")), Severity.ERROR, "held 5 min"),
        (replace(YOUNG, error=AccessDenied("no")), Severity.WARNING, "held 5 min"),
        (replace(YOUNG, since=NOW + timedelta(minutes=5)), Severity.WARNING, "taken in the future (clocks differ)"),
        (replace(YOUNG, since=NOW + timedelta(seconds=5)), Severity.INFO, "held 0 s"),
    ],
)
def test_a_lock_is_as_grave_as_what_is_wrong_with_it(lock: HeldLock, severity: Severity, words: str) -> None:
    found = judged(lock, NOW)
    assert (found.severity, found.held) == (severity, words)


@pytest.mark.parametrize(("lease", "stale"), [("infinite", True), ("fixed", False), ("breaking", False), (None, True)])
def test_a_lease_that_ends_by_itself_is_not_stale_however_old_its_metadata_is(lease: str | None, stale: bool) -> None:
    held = replace(YOUNG, since=NOW - timedelta(hours=2), document=replace(ENDLESS, lease=lease))
    assert bool(stale_because(held, None, NOW)) is stale


def test_what_is_odd_about_a_lock_is_said_beside_its_age() -> None:
    assert judged(replace(YOUNG, document=LockDocument(lock=None, reason="empty")), NOW).odd == "it cannot be read: empty"
    assert judged(replace(YOUNG, error=AccessDenied("no")), NOW).odd == "who holds it is not known: no"
    assert judged(replace(YOUNG, stateless=True), NOW).odd == "there is no state beside it"


def test_a_row_of_the_listing_is_judged_by_the_same_rules() -> None:
    row = StateRow(key=f"{KEY}.tflock", kind="lock", project_id="ab" * 32, owner=None, size=1, modified=NOW, locked=True)
    assert judged_row(structs.replace(row, locked_at=NOW), NOW).severity is Severity.WARNING
    assert judged_row(structs.replace(row, kind="state", locked_at=NOW - timedelta(hours=2)), NOW).severity is Severity.ERROR
