"""What ``show -json PLANFILE`` prints, into a :class:`Plan`.

CPU work (about half a second for 15,000 resources): call it off the event loop.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Raw

from kumoss_console.model.plan import refusals, wire
from kumoss_console.model.plan.document import (
    ACTION_ORDER,
    Action,
    Change,
    Check,
    Deferred,
    OutputChange,
    Plan,
    count,
)
from kumoss_console.model.plan.sealed import seal
from kumoss_console.model.state import repair

T = TypeVar("T")
_BOM = b"\xef\xbb\xbf"
_ZIP = b"PK\x03\x04"
_DIGITS = re.compile(r"([0-9]+)")
_ACTIONS = {
    ("create",): Action.CREATE,
    ("update",): Action.UPDATE,
    ("delete",): Action.DELETE,
    ("delete", "create"): Action.REPLACE,
    ("create", "delete"): Action.REPLACE,
    ("read",): Action.READ,
    ("forget",): Action.FORGET,
    ("no-op",): Action.NO_OP,
}


def parse_plan(raw: bytes | str) -> Plan:
    """The plan in ``raw``. Raises :class:`~kumoss_console.errors.BadAnswer` for anything that is not a plan of format 1.x."""
    # Lone surrogates cannot come out of bytes; where a text holds them, they are replaced as the decoder would.
    data = raw.encode(errors="replace") if isinstance(raw, str) else raw
    data = data.removeprefix(_BOM).strip()
    head = _head(data)
    _require_plan(head)
    listed = _part(head.resource_changes, list[wire.Resource], "resource_changes")
    every = [_change(resource) for resource in listed]
    shown = [change for change in every if _is_shown(change)]
    shown.sort(key=lambda change: (ACTION_ORDER[change.action], _natural(change.module)))
    outputs = _outputs(head.output_changes)
    changed_outputs = tuple(output for output in outputs if output.action is not Action.NO_OP)
    drift = [_change(resource) for resource in _part(head.resource_drift, list[wire.Resource], "resource_drift")]
    deferred = _part(head.deferred_changes, list[wire.Deferred], "deferred_changes")
    return Plan(
        format_version=str(head.format_version),
        engine_version=head.terraform_version if isinstance(head.terraform_version, str) else "",
        made=_time(head.timestamp),
        changes=tuple(shown),
        unchanged=len(every) - len(shown),
        summary=count(shown, invoke=len(_part(head.action_invocations, list[Raw], "action_invocations"))),
        # The moves are in the plan itself; here they only say what was already known.
        drift=tuple(change for change in drift if change.action in {Action.UPDATE, Action.DELETE, Action.OTHER}),
        outputs=changed_outputs,
        outputs_unchanged=len(outputs) - len(changed_outputs),
        checks=tuple(map(_check, _part(head.checks, list[wire.Check], "checks"))),
        deferred=tuple(
            Deferred(change=_change(one.resource_change), reason_code=one.reason) for one in deferred if one.resource_change
        ),
        errored=head.errored is True,
        complete=head.complete if isinstance(head.complete, bool) else None,
        applyable=head.applyable if isinstance(head.applyable, bool) else None,
    )


def _head(data: bytes) -> wire.Head:
    if not data:
        raise refusals.empty()
    if data.startswith(_ZIP):
        raise refusals.plan_file()
    text = data if data.isascii() else repair.as_utf8(data)[0]
    try:
        head: wire.Head = repair.decode(text, wire.Head)[0]
    except msgspec.ValidationError as error:
        raise refusals.not_a_plan(str(error)) from None
    except msgspec.DecodeError as error:
        said = str(error)
        if b'"@level"' in text[:400]:
            raise refusals.event_stream() from None
        if "truncated" in said and text.startswith(b"{"):
            raise refusals.truncated(len(data)) from None
        mended = repair.without_lone_surrogates(text)
        if mended != text:
            return _head(mended)
        raise refusals.not_json(text, said) from None
    return head


def _require_plan(head: wire.Head) -> None:
    if not isinstance(head.format_version, str):
        if head.version is not None and head.serial is not None:
            raise refusals.state()
        raise refusals.no_version("absent" if head.format_version is None else repr(head.format_version))
    major = head.format_version.partition(".")[0]
    if not (major.isascii() and major.isdigit()):
        raise refusals.no_version(repr(head.format_version))
    # 0.1 and 0.2 are the same shape before it was promised to stay.
    if int(major[:9]) > 1:
        raise refusals.too_new(head.format_version)
    if not any(map(bytes, (head.planned_values, head.configuration, head.resource_changes))):
        raise refusals.state()


def _part(raw: Raw, type_: type[list[T]], name: str) -> list[T]:
    """One part of the document; absent and ``null`` are empty, as Go writes them."""
    data = bytes(raw)
    if data in (b"", b"null"):
        return []
    try:
        found: list[T] = repair.decode(data, type_)[0]
    except msgspec.DecodeError as error:
        raise refusals.malformed(name, str(error)) from None
    return found


def _is_shown(change: Change) -> bool:
    if change.action is Action.NO_OP:
        return False
    # Engines say nothing about a data source that leaves the state: it never was theirs.
    return not (change.action is Action.DELETE and change.mode == "data")


def _change(resource: wire.Resource) -> Change:
    body = resource.change
    importing = None
    if body.importing is not None:
        importing = body.importing.id or bytes(body.importing.identity).decode(errors="replace")
    values = seal(body)
    return Change(
        address=resource.address,
        module=resource.module_address or "",
        mode=resource.mode,
        type=resource.type,
        name=resource.name,
        key=resource.index,
        provider=resource.provider_name or "",
        action=_action(body.actions, importing=importing is not None, moved=resource.previous_address is not None),
        actions=body.actions,
        reason_code=resource.action_reason or "",
        previous_address=resource.previous_address,
        importing=importing,
        deposed=resource.deposed,
        replace_paths=values.replace_paths,
        generated=bytes(body.generated_config) not in (b"", b"null", b'""'),
        values=values,
    )


def _action(actions: Sequence[str], *, importing: bool, moved: bool) -> Action:
    action = _ACTIONS.get(tuple(actions), Action.OTHER)
    if action is Action.NO_OP and importing:
        return Action.IMPORT
    if action is Action.NO_OP and moved:
        return Action.MOVE
    return action


def _outputs(raw: Raw) -> list[OutputChange]:
    data = bytes(raw)
    if data in (b"", b"null"):
        return []
    try:
        bodies = repair.decode(data, dict[str, wire.Body])[0]
    except msgspec.DecodeError as error:
        raise refusals.malformed("output_changes", str(error)) from None
    return [
        OutputChange(name=name, action=_ACTIONS.get(tuple(body.actions), Action.OTHER), values=seal(body))
        for name, body in bodies.items()
    ]


def _check(check: wire.Check) -> Check:
    problems = [problem.message for instance in check.instances or () for problem in instance.problems or () if problem.message]
    return Check(address=check.address.to_display, status=_status(check.status), problems=tuple(problems))


def _status(status: str) -> Literal["pass", "fail", "error", "unknown"]:
    match status:
        case "pass" | "fail" | "error":
            return status
        case _:
            return "unknown"


def _time(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


@lru_cache(maxsize=4096)
def _natural(text: str) -> tuple[tuple[int, str], ...]:
    """A sort key in which ``[10]`` comes after ``[9]``: a longer number is a greater one."""
    return tuple((len(piece) if piece[:1].isdigit() else 0, piece) for piece in _DIGITS.split(text))
