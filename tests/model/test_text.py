from __future__ import annotations

import copy
import pickle
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumoss_console.text import MASK, Secret, clip, printable, redact, width
from tests.hostile import HOSTILE

# Every code point, lone surrogates included: argument vectors and file names can hold them.
ANYTHING = st.text(st.characters(codec=None) | st.sampled_from("\x1b\x9b\u202e\u2066\u200f\u2028\r\n\t\x00\x7f\ud800"))
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def obeyed(char: str) -> bool:
    """Whether a terminal or a text engine acts on ``char`` instead of showing it."""
    return (
        unicodedata.category(char) in {"Cc", "Zl", "Zp", "Cs"}
        or unicodedata.bidirectional(char) in BIDI
        or char in "\u200e\u200f\u061c"
    )


@settings(deadline=None)
@given(ANYTHING, st.booleans())
def test_printable_text_passes_through_unchanged(text: str, newlines: bool) -> None:
    once = printable(text, newlines=newlines)
    assert printable(once, newlines=newlines) == once


@settings(deadline=None)
@given(ANYTHING)
def test_nothing_printable_is_obeyed(text: str) -> None:
    assert not any(map(obeyed, printable(text)))
    assert not any(map(obeyed, printable(text, newlines=True).replace("\n", "").replace("\t", "")))


@settings(deadline=None)
@given(ANYTHING)
def test_printable_text_can_be_encoded(text: str) -> None:
    assert printable(text).encode().decode() == printable(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_never_obeyed(text: str) -> None:
    assert not any(map(obeyed, printable(text)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "␛[2J"),
        ("\x9b2J", "<U+009B>2J"),
        ("a\x7f", "a␡"),
        ("\u202egpj.exe", "<U+202E>gpj.exe"),
        ("a\r\nb", "a␍␊b"),
        ("\udcff", "<U+DCFF>"),
        ("é世界👩‍🚀 ☑️", "é世界👩‍🚀 ☑️"),
        ("[red]x[/]", "[red]x[/]"),
    ],
)
def test_what_is_hidden_becomes_visible_and_what_is_text_stays(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_lines_survive_where_asked_for_and_carriage_returns_do_not() -> None:
    assert printable("a\r\nb\tc\rd", newlines=True) == "a\nb\tc␍d"


def test_a_secret_shows_in_no_form() -> None:
    secret = Secret("s3cr3t")
    forms = (
        repr(secret),
        str(secret),
        f"{secret}",
        f"{secret:>20}",
        f"{secret!r}",
        repr([secret]),
        repr({"key": secret}),
    )
    assert not any("s3cr3t" in form for form in forms)
    assert secret.reveal() == "s3cr3t"
    assert not hasattr(secret, "__dict__")


def test_a_secret_is_compared_by_value_and_empty_is_false() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert {Secret("a"): 1}[Secret("a")] == 1
    assert not Secret("")


@pytest.mark.parametrize("travel", [pickle.dumps, copy.deepcopy])
def test_a_secret_does_not_travel(travel: object) -> None:
    assert callable(travel)
    with pytest.raises(TypeError, match="does not travel"):
        travel(Secret("s3cr3t"))


@settings(deadline=None)
@given(st.text(), st.text(), st.text(st.characters(exclude_characters="*"), min_size=4))
def test_a_given_secret_is_gone_wherever_it_stands(before: str, after: str, value: str) -> None:
    assert value not in redact(before + value + after, [Secret(value)])


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Authorization: Bearer abcdef123456", "abcdef123456"),
        ("authorization: basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("GET /c/b?sv=2024&sig=s3cr3t%3D&x=1", "s3cr3t"),
        ("?X-Amz-Credential=AKIA/x&X-Amz-Signature=deadbeef", "deadbeef"),
        ("https://bot:s3cr3t@github.com/acme", "s3cr3t"),
        ('secret_key = "s3cr3t"', "s3cr3t"),
        ('{"account_key": "s3cr3t"}', "s3cr3t"),
        ("AccountKey=s3cr3t;Endpoint", "s3cr3t"),
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str, hidden: str) -> None:
    assert hidden not in redact(text)
    assert MASK in redact(text)


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert redact("s3cr3t-key", [Secret("s3cr3t"), Secret("s3cr3t-key")]) == MASK


def test_plain_text_is_not_redacted() -> None:
    text = "Error: Invalid bearer token. Failed to get existing workspaces: bucket kumoss-terraform-state in us-east-1"
    assert redact(text) == text


@settings(deadline=None)
@given(st.text(), st.integers(0, 40), st.booleans())
def test_clipped_text_never_takes_more_cells_than_given(text: str, cells: int, middle: bool) -> None:
    shown = printable(text)
    clipped = clip(shown, cells, middle=middle)
    assert width(clipped) <= cells
    assert clipped == shown or "…" in clipped or not cells


@pytest.mark.parametrize(
    ("text", "cells", "middle", "clipped"),
    [
        ("terraform", 9, False, "terraform"),
        ("terraform", 6, False, "terra…"),
        ("terraform", 6, True, "ter…rm"),
        ("世界世界", 5, False, "世界…"),
        ("世界世界", 4, False, "世…"),
        ("terraform", 1, False, "…"),
        ("terraform", 0, False, ""),
    ],
)
def test_text_is_clipped_by_cells(text: str, cells: int, middle: bool, clipped: str) -> None:
    assert clip(text, cells, middle=middle) == clipped


@pytest.mark.parametrize(("text", "cells"), [("abc", 3), ("é", 1), ("e\u0301", 1), ("世界", 4), ("", 0)])
def test_width_counts_terminal_cells(text: str, cells: int) -> None:
    assert width(text) == cells
