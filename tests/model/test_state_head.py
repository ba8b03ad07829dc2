"""The first bytes of a document claim nothing that all of its bytes would deny."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.model.state import parse_state
from kumoss_console.model.state.head import HEAD_BYTES, HeadFacts, HeadStatus, NeedsMore, ends_well, facts_of, read_head

FOLDER = Path(__file__).parent / "fixtures" / "state"
DOCUMENTS = sorted(path for path in FOLDER.iterdir() if not path.name.endswith(".expected.json"))
ENGINE_ORDER = ("version", "terraform_version", "serial", "lineage", "outputs", "resources", "check_results")


def agree(part: HeadFacts, whole: HeadFacts) -> None:
    """Whatever both claim is the same, and what is certain is no other thing after all."""
    for name in ("serial", "lineage", "engine_version", "format_version", "managed"):
        one, other = getattr(part, name), getattr(whole, name)
        assert one is None or other is None or one == other, (name, one, other)
    if part.certain:
        assert part.status == whole.status
    # Where only the head says it, the rest is damaged and says nothing; it never says that there is none.
    if part.serial is not None:
        assert whole.status in {"state", "encrypted", "damaged", "compressed", "backend_cache"}


def look(raw: bytes, name: str, length: int) -> HeadFacts | NeedsMore:
    return read_head(raw[:length], size=len(raw), name=name)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_any_beginning_of_any_known_document_agrees_with_all_of_it(path: Path) -> None:
    raw = path.read_bytes()
    whole = facts_of(parse_state(raw, name=path.name))
    assert look(raw, path.name, len(raw)) == whole
    for length in {1, 2, 3, 16, 64, 128, 200, 256, 300, 400, 512, 700, HEAD_BYTES} | {max(1, len(raw) - 1)}:
        found = look(raw, path.name, length)
        if isinstance(found, HeadFacts):
            agree(found, whole)


def engine_state(serial: int, lineage: str, version: str, *, padding: int, indent: int | None = 2) -> bytes:
    outputs = {"o": {"value": "x" * padding, "type": "string"}}
    values: tuple[object, ...] = (4, version, serial, lineage, outputs, [], None)
    return json.dumps(dict(zip(ENGINE_ORDER, values, strict=True)), indent=indent).encode()


PLAIN = st.text(st.characters(codec="utf-8", exclude_characters='"\\', exclude_categories=["Cc"]), max_size=40)


@given(serial=st.integers(0, 2**64 - 1), lineage=st.uuids().map(str) | PLAIN, indent=st.sampled_from([None, 1, 2, 8]))
def test_what_an_engine_writes_is_told_by_its_first_kilobyte(serial: int, lineage: str, indent: int | None) -> None:
    raw = engine_state(serial, lineage, "1.11.4", padding=5000, indent=indent)
    found = look(raw, "k", HEAD_BYTES)
    if '"' in json.dumps(lineage, ensure_ascii=True)[1:-1] or "\\" in json.dumps(lineage):
        # Escapes are left to the full parser.
        assert found == NeedsMore(longer=False)
        return
    assert found == HeadFacts(status="state", serial=serial, lineage=lineage, engine_version="1.11.4", format_version=4)
    agree(found, facts_of(parse_state(raw, name="k")))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
NESTED = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
)
NAMES = st.sampled_from([*ENGINE_ORDER, "encrypted_data", "meta", "modules", "backend", "ID", "Who", "x"])
MEMBERS = st.lists(st.tuples(NAMES, SCALARS | NESTED), max_size=9)


@given(members=MEMBERS, cut=st.integers(1, 400), lost=st.sampled_from([0, 0, 0, 1, 7, 40]), tail=st.binary(max_size=9))
def test_documents_in_any_order_of_any_types_cut_anywhere_agree(
    members: list[tuple[str, object]], cut: int, lost: int, tail: bytes
) -> None:
    # By hand, so that members may come twice; the first bytes cannot know of a second one that comes after them.
    text = "{" + ", ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in members) + "}"
    names = [name for name, _ in members]
    raw = text.encode()[: len(text) - lost] + tail
    found = look(raw, "k", cut)
    if isinstance(found, HeadFacts) and raw and len(set(names)) == len(names):
        agree(found, facts_of(parse_state(raw, name="k")))


@given(
    raw=st.binary(max_size=600),
    begin=st.sampled_from([b"", b"{", b"\xef\xbb\xbf{", b"\xff\xfe{\0", b"\x1f\x8b", b"PK\x03\x04", b"<?xml", b" \n", b"["]),
)
def test_no_bytes_at_all_upset_it(raw: bytes, begin: bytes) -> None:
    document = begin + raw
    for length in (1, 5, 64, 400):
        found = look(document, "k", length) if document else facts_of(parse_state(document, name="k"))
        if isinstance(found, HeadFacts):
            agree(found, facts_of(parse_state(document, name="k")))


def certainly(status: HeadStatus, reason: str) -> HeadFacts:
    return HeadFacts(status=status, certain=True, reason=reason)


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"PK\x03\x04" + b"\0" * 3000, certainly("plan", "zip archive (PK), most likely a saved plan")),
        (gzip.compress(bytes(range(256)) * 40, 0, mtime=0), certainly("compressed", "gzip stream (1f 8b)")),
        (b"<html>" + b" " * 3000, certainly("not_a_state", "an HTML page, as a proxy or a login form answers")),
        (b"#" * (2 << 20), certainly("not_a_state", "not JSON")),
        (b"#" * 3000, NeedsMore(longer=False)),
        (b"\0" * 3000, NeedsMore(longer=False)),
        (b" " * 3000, NeedsMore(longer=False)),
        (b"\xef\xbb\xbf" + engine_state(1, "l", "1.0.0", padding=3000), NeedsMore(longer=False)),
        (b'{"a":' * 3000, NeedsMore(longer=False)),
        (b'{"version": 4, "serial": 1, "serial": 2, "lineage": "l", "outputs": {' + b" " * 3000, NeedsMore(longer=False)),
        (b'{"version": 4, "serial": 1.0, "lineage": "l", "outputs": {' + b" " * 3000, NeedsMore(longer=False)),
        (b'{"version": "4", "serial": 1, "lineage": "l", "outputs": {' + b" " * 3000, NeedsMore(longer=False)),
        (b'{"version": 4, "serial": 1, "lineage": "l\xff", "outputs": {' + b" " * 3000, NeedsMore(longer=False)),
        (b'{"version": 4, "serial": 18446744073709551616, "lineage": "l", "outputs": {' + b" " * 3000, NeedsMore(longer=False)),
        (b'{"version": 5, "serial": 1, "lineage": "l", "outputs": {' + b" " * 3000, NeedsMore(longer=False)),
        (b'{"version": 3, "terraform_version": "0.11.0", "backend": {' + b" " * 3000, NeedsMore(longer=False)),
    ],
    ids=lambda value: value[:24].decode("latin-1") if isinstance(value, bytes) else "",
)
def test_what_is_not_as_an_engine_writes_it_is_left_to_the_full_parser(raw: bytes, found: HeadFacts | NeedsMore) -> None:
    assert look(raw, "k", HEAD_BYTES) == found


def test_a_long_key_provider_asks_for_a_longer_head_not_for_the_whole() -> None:
    body = {"serial": 3, "lineage": "l", "meta": {"key_provider.aws_kms.main": "e" * 2000}, "encrypted_data": "C" * 90000}
    raw = json.dumps(body).encode()
    assert look(raw, "k", HEAD_BYTES) == NeedsMore(longer=True)
    assert look(raw, "k", 16 * 1024) == HeadFacts(status="encrypted", serial=3, lineage="l", reason="OpenTofu state encryption")


@given(padding=st.integers(0, 200), indent=st.sampled_from([None, 2, 8]), cut=st.integers(1, 60))
def test_the_end_of_a_document_is_known_from_one_that_was_cut(padding: int, indent: int | None, cut: int) -> None:
    raw = engine_state(1, "l", "1.0.0", padding=padding, indent=indent)
    assert ends_well(raw[-64:])
    assert ends_well(raw[-64:] + b"\n")
    if indent is not None:
        assert not ends_well(raw[:-cut][-64:])
