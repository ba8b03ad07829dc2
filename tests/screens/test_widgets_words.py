"""Durations, addresses, the first line, the clipboard and the trail: small rules, each with its sentence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from rich.cells import cell_len

from screens.addresses import host_of
from screens.clipboard import LONGEST_SEQUENCE, copying
from screens.durations import latency, long, moment, precise, short
from screens.flash import KEPT, Flash, FlashLog
from screens.trail import Trail
from screens.widgets.context_bar import ContextFacts, context_line
from screens.widgets.key_bar import KeyHint, fitting
from tests.hostile import HOSTILE

FACTS = ContextFacts(
    name="prod",
    provider="RUSTFS",
    bucket="kumoss-terraform-state",
    store="store.acme:9000",
    sidecar="iac.acme:8082",
    health="ok 12 ms",
    identity="ops@laptop",
    read_only=True,
)


@pytest.mark.parametrize(
    ("seconds", "one", "two"),
    [
        (0, "0 s", "0 s"),
        (-5, "0 s", "0 s"),
        (59, "59 s", "59 s"),
        (60, "1 m", "1 min"),
        (125, "2 m", "2 min 5 s"),
        (3 * 3600 + 12 * 60, "3 h", "3 h 12 min"),
        (47 * 3600, "47 h", "1 d 23 h"),
        (100 * 86400, "100 d", "100 d"),
        (800 * 86400, "2 y", "800 d"),
    ],
)
def test_durations_are_read_at_a_glance(seconds: int, one: str, two: str) -> None:
    span = timedelta(seconds=seconds)
    assert (short(span), long(span)) == (one, two)


def test_nothing_is_a_dash_and_small_spans_keep_a_decimal() -> None:
    assert (short(None), long(None), precise(None), moment(None), latency(None)) == ("-", "-", "-", "-", "")
    assert precise(timedelta(seconds=0.42)) == "0.4 s"
    assert precise(timedelta(seconds=75)) == "1 min 15 s"
    assert (latency(0.012), latency(2.04)) == ("12 ms", "2.0 s")
    assert moment(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)) == "2026-01-02 03:04:05 UTC"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://user:secret@store.acme:9000/path?sig=x", "store.acme:9000"),
        ("http://iac", "iac"),
        ("", ""),
        ("http://[::1", "an unreadable address"),
        ("http://host:99999", "an unreadable address"),
    ],
)
def test_an_address_is_shown_without_userinfo_path_and_signature(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 140])
def test_the_first_line_gives_up_what_matters_least_and_always_names_the_world(width: int) -> None:
    line = context_line(FACTS, width)
    assert cell_len(line) <= width
    assert line.startswith(" prod")
    if width >= 40:
        assert "ok 12 ms" in line
    if width >= 140:
        assert line.endswith("ops@laptop")


def test_the_first_line_says_when_there_is_no_managed_state() -> None:
    facts = ContextFacts(
        name="x", provider="S3", bucket="", store="AWS eu-west-1", sidecar="iac", health="…", identity="", read_only=False
    )
    assert "S3 no managed state @ AWS eu-west-1" in context_line(facts, 120)


@pytest.mark.parametrize("text", HOSTILE)
def test_copying_never_lets_text_end_its_sequence(text: str) -> None:
    copied = copying(text, "it", {"TMUX": "/tmp/tmux"})
    assert copied.fits
    assert copied.wrapped.startswith("\x1bPtmux;\x1b\x1b]52;c;")
    assert copied.wrapped.endswith("\a\x1b\\")
    inner = copied.wrapped.removeprefix("\x1bPtmux;\x1b\x1b]52;c;").removesuffix("\a\x1b\\")
    assert all(char.isalnum() or char in "+/=" for char in inner)


def test_copying_claims_no_more_than_it_knows() -> None:
    assert copying("abc", "the key", {}).message == "the key sent to the terminal's clipboard (3 characters)"
    assert "2 lines" in copying("a\nb", "stderr", {}).message
    assert "tmux passes it on" in copying("abc", "the key", {"TMUX": "x"}).message
    assert not copying("x" * LONGEST_SEQUENCE, "stdout", {}).fits


def test_the_trail_goes_back_and_forward_and_a_new_step_drops_what_lay_ahead() -> None:
    trail = Trail("overview")
    for name in ("jobs", "jobs", "bucket"):
        trail.visit(name)
    assert trail.back() == "jobs"
    assert trail.back() == "overview"
    assert trail.back() is None
    assert trail.at_root
    assert trail.forward() == "jobs"
    trail.visit("key")
    assert trail.forward() is None
    assert trail.back() == "jobs"


def test_the_log_keeps_the_newest_first_and_is_bounded() -> None:
    log = FlashLog()
    for number in range(KEPT + 10):
        log.add(Flash(at=datetime(2026, 1, 1, tzinfo=UTC), text=str(number)))
    assert len(log) == KEPT
    assert next(iter(log)).text == str(KEPT + 9)


def test_help_keeps_its_place_when_the_footer_is_narrow() -> None:
    hints = [
        KeyHint("open", "enter", "enter", "open"),
        KeyHint("filter", "slash", "/", "filter"),
        KeyHint("help", "f1", "?", "help"),
    ]
    assert [hint.id for hint in fitting(hints, 80)] == ["open", "filter", "help"]
    assert [hint.id for hint in fitting(hints, 22)] == ["open", "help"]
    assert [hint.id for hint in fitting(hints, 10)] == ["help"]
