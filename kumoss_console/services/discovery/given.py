"""Listings at hand: a file that holds what a listing answered, or the state itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from kumoss_console.errors import BadAnswer, InputError
from kumoss_console.model.importdiff import StateIds, identifiers, state_ids

_HINT = "Give the array that a listing answered, the job as JSON, or (for the state) the state document."


@dataclass(frozen=True, slots=True)
class Given:
    """``ids`` as a listing answers them. ``state`` is the document they were read from, ``None`` for a listing."""

    ids: tuple[str, ...]
    state: StateIds | None = None


def read_given(raw: bytes, name: str, *, may_be_state: bool) -> Given:
    """What is in a file. ``name`` is printable. CPU work for a large one.

    Takes the array itself, a job as the service or this console's ``--json`` has it, and a state document where
    ``may_be_state``. Raises :class:`~kumoss_console.errors.InputError` for anything else, and for a job that failed.
    """
    text = raw.decode("utf-8-sig", "replace")
    if text.lstrip().startswith("{"):
        document = _object(text, name)
        if (found := _answer_in(document, name)) is not None:
            return Given(_array(found, name))
        if may_be_state:
            state = state_ids(raw, key=name)
            if state.status == "read":
                return Given(state.contract_ids, state)
            raise InputError(f"{name} is no state that can be read: {state.reason}", hint=_HINT, code="discover.bad_file")
    return Given(_array(text, name))


def _array(text: str, name: str) -> tuple[str, ...]:
    try:
        return identifiers(text, what=name)
    except BadAnswer as error:
        raise InputError(error.title, detail=error.detail, hint=_HINT, code="discover.bad_file") from None


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"{name} is no JSON document", detail=str(error), hint=_HINT, code="discover.bad_file") from None
    return found if isinstance(found, dict) else {}


def _answer_in(document: dict[str, Any], name: str) -> str | None:
    """The output of a job: of the service's document, of this console's shape, alone or in its envelope."""
    inner = document.get("data") if "ok" in document else document
    result = inner.get("result", inner) if isinstance(inner, dict) else None
    if not isinstance(result, dict) or not isinstance(result.get("stdout"), str):
        return None
    if result.get("exit_code") != 0:
        said = " ".join(str(result.get("stderr", "")).split())[:400]
        raise InputError(
            f"{name} is a job that failed: nothing was listed",
            detail=said,
            hint="Run the listing again.",
            code="discover.bad_file",
        )
    stdout: str = result["stdout"]
    return stdout
