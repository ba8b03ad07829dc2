"""The parts of a diagnosis: cleaned text, blocks, windows, patterns, evidence."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumoss_console.config.rulebook import load_rules
from kumoss_console.model.contract import JobKind
from kumoss_console.model.diagnosis import Rules, diagnose
from kumoss_console.model.diagnosis.blocks import LONGEST, blocks_of
from kumoss_console.model.diagnosis.clean import clean_lines
from kumoss_console.model.diagnosis.pattern import Pattern, fault, literal
from kumoss_console.model.diagnosis.window import WHOLE, windows
from kumoss_console.model.diagnosis.wording import demanded, worded
from kumoss_console.model.finding import Severity
from kumoss_console.text import printable
from tests.hostile import HOSTILE


@pytest.fixture(scope="module")
def rules() -> Rules:
    return load_rules({"HOME": "/nonexistent"})


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("\x1b[31m│\x1b[0m \x1b[1mError: \x1b[0mno", "Error: no"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("\x1b]52;c;QQ==\x1b\\after", "after"),
        ("\x9b31mred\x9b0m", "red"),
        ("a\x08\x00b", "ab"),
        ("| Error: x", "Error: x"),
        ("? Error: x", "Error: x"),
        ("â\x94\x82 Error: x", "Error: x"),
        ("  a   b\u00a0c  ", "a b c"),
        ("2026-11-30T09:12:33.1Z stderr F Error: x", "Error: x"),
        ("[2026-11-30 09:12:33,123] Error: x", "Error: x"),
        ("   6:   bucket = var.x", ""),
        ('      + input = "no space left on device"', ""),
        ("   1: <<<<<<< HEAD", "1: <<<<<<< HEAD"),
        ("- registry.terraform.io/a/b: there is no package", "- registry.terraform.io/a/b: there is no package"),
    ],
)
def test_a_line_is_what_it_says_without_what_surrounds_it(raw: str, words: str) -> None:
    assert clean_lines(raw)[0].words == words


def test_values_that_an_engine_lists_are_quoted_not_said() -> None:
    text = 'on x line 1\n    ├────────\n    │ var.x is "Saved plan is stale"\n\nThe end.'
    assert [line.words for line in clean_lines(text)] == ["on x line 1", "", "", "", "The end."]


def test_an_unfinished_control_string_swallows_its_line_at_most() -> None:
    assert clean_lines("\x1b]0;title without end\nError: x")[1].words == "Error: x"


def test_each_error_is_a_block_and_keeps_its_lines() -> None:
    text = "Plan: 1 to add\n\nError: one\n\n  two words\n\nWarning: three\nfour"
    blocks = blocks_of(text, "stderr")
    assert [(block.kind, block.flat) for block in blocks] == [
        ("loose", "Plan: 1 to add"),
        ("error", "Error: one two words"),
        ("warning", "Warning: three four"),
    ]
    assert blocks[1].at(blocks[1].flat.index("words")).number == 5


def test_what_an_engine_says_twice_is_one_block() -> None:
    assert len(blocks_of("Error: one\n\nError: one\n", "stderr")) == 1


def test_a_long_block_is_looked_at_in_pieces_that_overlap() -> None:
    text = "Error: long\n" + "\n".join(f"line number {number}" for number in range(5000))
    blocks = blocks_of(text, "stderr")
    assert all(len(block.flat) <= LONGEST for block in blocks)
    assert all(any(f"line number {number}" in block.flat for block in blocks) for number in range(0, 5000, 97))
    tail = blocks[-1]
    assert tail.at(tail.flat.index("line number 4999")).number == 5001


def test_a_short_text_is_read_whole_and_a_long_one_at_its_ends_and_errors() -> None:
    short = "x" * WHOLE
    assert [window.text for window in windows(short)] == [short]
    long = "begin\n" + "filler\n" * 400_000 + "Error: here\n" + "filler\n" * 400_000 + "end\n"
    parts = windows(long)
    assert sum(len(part.text) for part in parts) < 800_000
    assert parts[0].text.startswith("begin\n")
    assert parts[-1].text.endswith("end\n")
    middle = next(part for part in parts if "Error: here" in part.text)
    assert middle.line + middle.text[: middle.text.index("Error: here")].count("\n") == 400_002


@given(st.text(alphabet="ab\nErrorfailed ", max_size=400), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_windows_name_the_line_they_begin_at(text: str, times: int) -> None:
    whole = (text + "\n") * (1 + times * 2000)
    for window in windows(whole):
        lines = whole.split("\n")
        assert lines[window.line - 1].endswith(window.text.split("\n")[0])


@pytest.mark.parametrize(
    ("step", "plain"),
    [
        ("Saved plan is stale", "Saved plan is stale"),
        (r'bucket "(?P<bucket>[^"]{1,9})" does', 'bucket "'),
        (r"(?:a|b)lock held", "lock held"),
        (r"(?P<code>AADSTS7000215)", "AADSTS7000215"),
        (r"locks? held", " held"),
        (r"x\.tfstate\b", "x.tfstate"),
        (r"(?!not this)ends", "ends"),
        (r"[abc]{1,3}", ""),
        (r"(?:optional )?words", "words"),
    ],
)
def test_the_plain_words_of_a_pattern_are_known(step: str, plain: str) -> None:
    assert literal(step) == plain
    assert fault(step) == ""


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("state .* locked", "without an end"),
        ("state .+ locked", "without an end"),
        ("(?:a{1,3}){1,3}", "repeats a group"),
        ("a{1,}b", "more than"),
        ("a{1,5000}b", "more than"),
        ("one thing|another", "alternatives at its top"),
        (".{0,9}x.{0,9}y", "more than once"),
        ("(unclosed", "no regular expression"),
        ("", "empty"),
        ("x" * 2000, "longer"),
    ],
)
def test_a_pattern_that_could_be_slow_or_wrong_is_refused(step: str, reason: str) -> None:
    assert reason in fault(step)


def test_the_steps_of_a_pattern_follow_each_other() -> None:
    pattern = Pattern((r"lock (?P<id>\d{1,9})", "held"))
    hit = pattern.search("lock 7 is held")
    assert hit is not None
    assert dict(hit.attributes) == {"id": "7"}
    assert pattern.search("held is lock 7") is None


def test_texts_take_what_was_found_and_say_something_without_it() -> None:
    text = "bucket {bucket|of the backend} in {region}, {role = x}"
    assert worded(text, {"region": "eu"}) == "bucket of the backend in eu, {role = x}"
    assert demanded(text) == {"region"}


def test_a_lock_is_told_with_its_holder_and_its_id(rules: Rules) -> None:
    text = (
        "Error: Error acquiring the state lock\n\nError message: operation error S3: PutObject, https response error\n"
        "StatusCode: 412, api error PreconditionFailed: x\nLock Info:\n  ID:        5b7c-11\n  Path:      acme-tf/core.tfstate\n"
        "  Operation: OperationTypeApply\n  Who:       ops@ci-7\n  Created:   2026-11-30 09:12:33.1 +0000 UTC\n"
    )
    [finding] = diagnose("", text, rules=rules).findings
    assert finding.subject == "acme-tf/core.tfstate"
    assert "ops@ci-7" in finding.title
    assert "Apply took the lock 2026-11-30 09:12:33" in finding.cause
    assert "5b7c-11" in finding.remedy
    assert finding.message == f"{finding.title}: {finding.cause}"


def test_evidence_and_texts_hold_no_secret_and_nothing_a_terminal_obeys(rules: Rules) -> None:
    text = (
        'Error: request send failed, Get "https://u:hunter2@s3.example/b?X-Amz-Signature=abcdef0123": dial tcp 10.0.0.1:9: '
        "connect: connection refused secret_key = topsecretvalue \u202e\x1b]52;c;QQ==\x07"
    )
    [finding] = diagnose("", text, rules=rules).findings
    shown = "\n".join([finding.subject, finding.message, finding.remedy, finding.evidence])
    assert "connection refused" in finding.evidence
    for secret in ("hunter2", "abcdef0123", "topsecretvalue"):
        assert secret not in shown
    assert printable(shown, newlines=True) == shown


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_go_through(hostile: str, rules: Rules) -> None:
    found = diagnose("", f'Error: S3 bucket "{hostile}" does not exist', rules=rules)
    for finding in found.findings:
        for text in (finding.subject, finding.title, finding.cause, finding.remedy):
            assert printable(text) == text
        assert len(finding.evidence) < 2000


@given(st.text(max_size=300))
@settings(max_examples=80, deadline=None)
def test_no_text_is_too_strange(rules: Rules, text: str) -> None:
    found = diagnose(text, text, rules=rules)
    assert found.unknown is (not found.findings)


def test_the_request_that_is_told_is_the_one_that_failed_so(rules: Rules) -> None:
    text = (
        "Error: Error acquiring the state lock\n\nError message: operation error S3: PutObject, StatusCode: 412, api error "
        "PreconditionFailed: x\nunable to retrieve file from S3 bucket 'acme' with key 'k.tflock': operation error S3: "
        "GetObject, StatusCode: 403, api error AccessDenied: no"
    )
    found = {finding.code: finding for finding in diagnose("", text, rules=rules).findings}
    assert found["s3.access_denied"].title == "The store refuses GetObject"
    assert next(iter(found)) == "lock.held.s3"


def test_an_outcome_is_told_once_by_the_rule_that_knows_most(rules: Rules) -> None:
    text = (
        "Error: Failed to save state\n\nError saving state: failed to upload state: operation error S3: PutObject, "
        "StatusCode: 403, api error AccessDenied: no\n\nError: Failed to persist state to backend\n\n"
        "The state has been written to the file "
        '"errored.tfstate" in the current working directory.\n'
    )
    assert [finding.code for finding in diagnose("", text, rules=rules).findings] == ["s3.put_denied", "state.not_saved"]


def test_a_warning_makes_no_error(rules: Rules) -> None:
    [finding] = diagnose("Warning: x\n\napi error SlowDown: y\n", "", rules=rules, exit_code=0).findings
    assert (finding.code, finding.severity) == ("s3.throttled", Severity.WARNING)


def test_errors_come_before_warnings_and_causes_before_outcomes(rules: Rules) -> None:
    text = (
        "Warning: Deprecated Parameter\n\nThe parameter \"endpoint\" is deprecated.\n\n"
        "Error: Error releasing the state lock\n\nError message: failed to delete the lock file: operation error S3: "
        "DeleteObject, https response error StatusCode: 403, api error AccessDenied: no\n"
    )  # fmt: skip
    codes = [finding.code for finding in diagnose("", text, rules=rules).findings]
    assert codes == ["s3.access_denied", "lock.not_released", "backend.deprecated"]


def test_an_exit_code_alone_says_something(rules: Rules) -> None:
    [killed] = diagnose("", "", rules=rules, exit_code=-9).findings
    assert killed.code == "process.killed"
    [unsupported] = diagnose("", "", rules=rules, kind=JobKind.SCOPE_RESOURCE_IDS, exit_code=2).findings
    assert unsupported.code == "discovery.unsupported_provider"
    assert diagnose("", "", rules=rules, kind=JobKind.PLAN, exit_code=2).unknown
    assert not diagnose("", "", rules=rules, exit_code=0).unknown


def test_a_job_pasted_as_json_is_read_for_its_output(rules: Rules) -> None:
    text = json.dumps({"job_id": "1", "result": {"exit_code": 1, "stdout": "", "stderr": "\nError: Saved plan is stale\n\nx"}})
    assert [finding.code for finding in diagnose("", text, rules=rules).findings] == ["plan.stale"]


def test_lines_are_counted_whatever_is_looked_at(rules: Rules) -> None:
    assert diagnose("a\nb", "c\n", rules=rules).text_lines == 3


LINE = 'module.net.aws_vpc.main["a"]: Still creating... [10s elapsed]\n'
STALE = "\nError: Saved plan is stale\n\nThe given plan file can no longer be applied.\n"


@pytest.mark.parametrize(
    "text",
    [
        LINE * 300_000 + STALE,
        STALE + LINE * 300_000,
        LINE * 150_000 + STALE + LINE * 150_000,
        STALE + "x" * 20_000_000,
        "Error: operation error S3: PutObject, https response error StatusCode: 403\n" * 250_000 + STALE,
        "\x1b[31m\x1b[0mError\n" * 1_000_000 + STALE,
        '{"@level":"info","@message":"error","type":"apply_progress"}\n' * 300_000 + STALE,
    ],
    ids=["at the end", "at the beginning", "in the middle", "one line", "errors only", "escapes", "events"],
)
def test_twenty_megabytes_cost_no_more_than_a_moment(text: str, rules: Rules) -> None:
    began = time.process_time()
    found = diagnose(text, "", rules=rules, exit_code=1)
    assert time.process_time() - began < 3
    assert "plan.stale" in [finding.code for finding in found.findings]


def test_no_rule_is_slow_on_a_text_made_against_it(rules: Rules) -> None:
    """Every step meets its own plain words again and again, in one block, and what should follow never comes."""
    slow = []
    for rule in rules.rules:
        for pattern in (*rule.any, *rule.every):
            for filler in (" ", '" "', "a"):
                unit = filler.join(pattern.needles) + filler
                text = (unit * (LONGEST // len(unit)))[:-1]
                began = time.process_time()
                pattern.search(text)
                if time.process_time() - began > 0.25:
                    slow.append((rule.id, pattern.steps))
    assert slow == []
