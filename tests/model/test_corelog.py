"""The core's log lines that say where a state is: found in any dress, and never more than they say."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.model.corelog import last_for, logged_states

KEY = f"{'ab' * 32}/terraform.tfstate"
OTHER = f"{'cd' * 32}/terraform.tfstate"
LINE = f"Terraform state: rustfs bucket=kumoss-terraform-state key={KEY}"


def test_a_plain_line_gives_provider_bucket_and_key() -> None:
    [found] = logged_states(f"2026-01-02 03:04:05,678 INFO kumoss.backend: {LINE}\n")
    assert (found.provider, found.bucket, found.key) == ("rustfs", "kumoss-terraform-state", KEY)
    assert found.at == datetime(2026, 1, 2, 3, 4, 5, 678000, UTC)
    assert found.project_id == "ab" * 32


def test_a_pasted_line_alone_is_enough_and_has_no_time() -> None:
    [found] = logged_states(LINE)
    assert (found.at, found.line) == (None, 1)


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    assert [one.line for one in logged_states(f"a\n\n{LINE}\nb\n{LINE}\n")] == [3, 5]


def test_prefixes_colours_zones_and_collectors_json_do_not_hide_it() -> None:
    dressed = (
        f"kumoss-core-1  | 2026-01-02T05:04:05+02:00 \x1b[32mINFO\x1b[0m {LINE}\x1b[0m\r\n"
        + json.dumps({"log": f"2026-01-02 03:04:05 INFO {LINE}\n", "stream": "stderr"})
        + "\n"
    )
    found = logged_states(dressed)
    assert [one.key for one in found] == [KEY, KEY]
    assert {one.at for one in found} == {datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)}


def test_a_bucket_with_blanks_is_taken_whole_and_what_is_no_key_is_not_taken() -> None:
    assert logged_states(f"Terraform state: s3 bucket=my bucket key={KEY}")[0].bucket == "my bucket"
    assert logged_states("Terraform state: s3 bucket=b key=short/terraform.tfstate") == ()
    assert logged_states("Terraform state: s3 bucket=b\nkey=" + KEY) == ()


def test_the_newest_line_for_the_likeliest_key_is_taken() -> None:
    lines = logged_states(f"{LINE}\n{LINE.replace(KEY, OTHER)}\n{LINE}\n")
    assert last_for(lines, [OTHER, KEY]) == lines[1]
    assert last_for(lines, ["x", KEY]) == lines[2]
    assert last_for(lines, ["x"]) is None


def test_a_log_of_many_megabytes_and_a_line_without_end_take_no_time() -> None:
    text = ("x" * 200 + "\n") * 50_000 + "Terraform state: " * 20_000 + LINE
    assert [one.key for one in logged_states(text)] == [KEY]


@given(st.text())
def test_no_text_raises(text: str) -> None:
    logged_states(text)
    logged_states(f"{text}{LINE}{text}")
