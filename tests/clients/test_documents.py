"""A large job is decoded in pieces, and comes out as it would whole."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.clients.documents import decoded
from kumoss_console.model.contract import JobDocument
from tests.hostile import HOSTILE

TEXTS = st.text(alphabet=st.sampled_from(' "\\/\n\té\U0001f600ab\x1b'), max_size=60) | st.sampled_from(HOSTILE)


def document(**changes: Any) -> dict[str, Any]:
    at = "2026-01-02T03:04:05Z"
    known = {"job_id": str(UUID(int=7)), "kind": "plan", "status": "succeeded", "created_at": at, "started_at": at}
    return {**known, "finished_at": at, "error": None, "result": {"exit_code": 0, "stdout": "", "stderr": ""}, **changes}


@given(stdout=TEXTS, stderr=TEXTS, ascii_only=st.booleans(), piece=st.integers(1, 20))
def test_whatever_the_texts_pieces_give_the_same_as_the_whole(stdout: str, stderr: str, ascii_only: bool, piece: int) -> None:
    told = document(result={"exit_code": 1, "stdout": stdout, "stderr": stderr})
    body = json.dumps(told, ensure_ascii=ascii_only).encode("utf-8", "replace")
    try:
        whole = msgspec.json.decode(body, type=JobDocument)
    except msgspec.DecodeError:
        with pytest.raises(msgspec.DecodeError):
            decoded(body, JobDocument, large=piece)
        return
    assert decoded(body, JobDocument, large=piece) == whole


@pytest.mark.parametrize(
    "changes",
    [
        {"result": None},
        {"result": {"exit_code": 0, "stdout": 5, "stderr": ""}},
        {"result": {"exit_code": "0", "stdout": "", "stderr": ""}},
        {"result": {"stdout": "a b", "stderr": ""}},
        {"result": "text"},
        {"kind": "dance"},
        {"job_id": 5},
    ],
)
def test_what_is_no_job_is_told_in_the_same_words(changes: dict[str, Any]) -> None:
    body = json.dumps(document(**changes)).encode()
    with pytest.raises(msgspec.ValidationError) as whole:
        msgspec.json.decode(body, type=JobDocument)
    with pytest.raises(msgspec.ValidationError) as pieces:
        decoded(body, JobDocument, large=1)
    assert str(pieces.value) == str(whole.value)


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"result": ' * 50_000, b'{"result": {"stdout": "a ', b"[1]", b'"\xff"'])
def test_what_is_broken_raises_what_the_decoder_raises(body: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, UnicodeDecodeError, RecursionError)):
        decoded(body, JobDocument, large=1)
