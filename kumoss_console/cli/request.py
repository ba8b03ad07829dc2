"""From options to a request that the contract accepts: what is missing, what does not belong, what is out of bounds."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

import msgspec

from kumoss_console.errors import InputError
from kumoss_console.model.contract import REQUEST_BY_KIND, JobKind, SubmitRequest, in_words
from kumoss_console.text import printable

_FIELD = re.compile(r"\A(\w+)(?:\[\d+\])?(?=: )")
"""How a refusal names a field: ``targets[0]: `` in front."""
OPTIONS = {
    "workspace_path": "--workspace",
    "scope_id": "--scope",
    "terraform_provider": "--provider",
    "plan_file": "--plan-file",
    "targets": "--target",
    "address": "--address",
    "resource_id": "--resource-id",
}
"""The contract's fields and the options that carry them."""


def workspace_path(text: str, *, called: str) -> str:
    """A workspace's path as the sidecar will see it, given as ``called``; the root of the disk is none.

    Raises :class:`InputError` for one that may mean another folder there than here, and for one that does not end in a name:
    its last parts are what a person types to confirm.
    """
    shown = printable(text)
    if not text.startswith("/"):
        raise InputError(
            f"{called} {shown or '(empty)'} is not an absolute path",
            hint="Give the path that the sidecar sees: it does not know the folder you are in.",
            code="job.workspace",
        )
    if {".", ".."} & set(text.split("/")):
        raise InputError(
            f"{called} {shown} has . or .. in it",
            hint=f"Spell it out: {printable(posixpath.normpath(text))}, unless a link is among its parts.",
            code="job.workspace",
        )
    if not text.strip("/"):
        raise InputError(f"{called} is the root of the disk", hint="Give the folder of one module.", code="job.workspace")
    return text


def build_request(kind: JobKind, given: Mapping[str, str | Sequence[str] | None]) -> SubmitRequest:
    """The request. ``given`` maps the contract's field names to what was typed, ``None`` or empty for what was not.

    Raises :class:`InputError` that names options, not fields.
    """
    request = REQUEST_BY_KIND[kind]
    fields = msgspec.structs.fields(request)
    values = {name: value for name, value in given.items() if value is not None and (value or isinstance(value, str))}
    foreign = [OPTIONS[name] for name in values if name not in {field.name for field in fields}]
    if foreign:
        takes = ", ".join(OPTIONS[field.name] for field in fields)
        raise InputError(
            f"{kind.value} takes no {' and no '.join(foreign)}",
            hint=f"It takes {takes}.",
            code="job.foreign_field",
        )
    missing = [OPTIONS[field.name] for field in fields if field.required and field.name not in values]
    if missing:
        raise InputError(
            f"{kind.value} needs {' and '.join(missing)}",
            hint="The sidecar would answer 422; nothing was sent.",
            code="job.missing_field",
        )
    workspace_path(str(values["workspace_path"]), called=OPTIONS["workspace_path"])
    try:
        return msgspec.convert(values, request)
    except msgspec.ValidationError as error:
        said = _FIELD.sub(lambda found: OPTIONS.get(found[1], found[0]), in_words(str(error)))
        raise InputError(
            f"{kind.value} cannot be submitted: {printable(said)}",
            hint="The sidecar would answer 422; nothing was sent.",
            code="job.out_of_bounds",
        ) from None
