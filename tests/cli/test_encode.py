"""JSON that scripts may rely on and terminals cannot be hurt by."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.cli.encode import to_json
from kumoss_console.model.finding import Severity
from kumoss_console.model.moment import iso
from kumoss_console.model.state.numbers import Number
from kumoss_console.text import Secret, printable
from tests.hostile import HOSTILE


def test_times_are_utc_with_a_z_and_fractions_only_where_there_are_any() -> None:
    berlin = timezone(timedelta(hours=1))

    assert iso(datetime(2026, 1, 2, 4, 4, 5, tzinfo=berlin)) == "2026-01-02T03:04:05Z"
    assert iso(datetime(2026, 1, 2, 3, 4, 5, 250000, tzinfo=UTC)) == "2026-01-02T03:04:05.250000Z"


def test_keys_keep_their_order_and_values_their_form() -> None:
    value = {"b": 1, "a": (Severity.ERROR, None, Path("/x"), UUID(int=1)), "at": datetime(2026, 1, 2, tzinfo=UTC)}

    assert to_json(value) == (
        '{"b": 1, "a": ["error", null, "/x", "00000000-0000-0000-0000-000000000001"], "at": "2026-01-02T00:00:00Z"}'
    )


def test_an_exact_number_keeps_every_digit_and_no_text_becomes_a_number() -> None:
    numbers = ["1e400", "0.1234567890123456789012345", "1E-400", "9" * 5000]
    assert to_json({"n": [Decimal("0.10"), *map(Number, numbers)]}) == '{"n": [0.10, ' + ", ".join(numbers) + "]}"
    assert to_json({"n": "0.10", "m": Number("1.50")}) == '{"n": "0.10", "m": 1.50}'


def test_a_secret_is_masked_wherever_it_stands() -> None:
    assert to_json({"token": Secret("hunter22")}) == '{"token": "********"}'


@pytest.mark.parametrize("text", [*HOSTILE, "\ud800", "\U000e0001tag", "\x7f", "\u2028"])
def test_hostile_text_stays_exact_and_shows_nothing_a_terminal_would_obey(text: str) -> None:
    line = to_json({"key": text})

    assert json.loads(line)["key"] == text
    assert printable(line) == line


def test_ordinary_letters_of_the_world_stay_readable() -> None:
    assert to_json("é世界👩‍🚀") == '"é世界👩‍🚀"'


def test_a_value_that_nobody_thought_about_is_a_bug_and_not_a_guess() -> None:
    with pytest.raises(TypeError, match="no JSON form for object"):
        to_json({"x": object()})
