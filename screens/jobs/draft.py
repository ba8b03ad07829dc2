"""A submission while it is written: which fields a kind takes, and whether the contract accepts them. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from kumoss_console.model.context import Context
from kumoss_console.model.contract import REQUEST_BY_KIND, CloudProvider, JobKind, SubmitRequest
from kumoss_console.model.job import Job
from kumoss_console.model.names import workspace_name
from screens.dialogs.draft_error import DraftError

Input = Literal["line", "lines", "provider"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of the form. ``name`` is the contract's; ``hint`` says what it is, with an example."""

    name: str
    label: str
    hint: str
    input: Input = "line"


FIELDS: Mapping[str, Field] = {
    field.name: field
    for field in (
        Field(name="workspace_path", label="Workspace", hint="the folder as the sidecar sees it: /workspaces/acme-net_a1b2"),
        Field(name="scope_id", label="Scope", hint="subscription, project or account id"),
        Field(name="terraform_provider", label="Provider", hint="the cloud of the scope", input="provider"),
        Field(name="plan_file", label="Plan file", hint="letters, digits, . _ - only; a name, not a path"),
        Field(name="targets", label="Targets", hint="resource addresses, one a line; none for all", input="lines"),
        Field(name="address", label="Address", hint='where it goes in the configuration: azurerm_subnet.x["a b"]'),
        Field(name="resource_id", label="Resource id", hint="what it is called in the cloud"),
    )
}
CANNOT_BE_TAKEN_BACK = frozenset({JobKind.APPLY, JobKind.IMPORT})


def kind_named(text: str) -> JobKind | None:
    """The kind that was typed, with hyphens or underscores, in any case; ``None`` for what is none of them."""
    spelled = text.strip().casefold().replace("-", "_")
    return JobKind(spelled) if spelled in set(JobKind) else None


def fields_of(kind: JobKind) -> tuple[Field, ...]:
    """The fields that a kind takes, in the contract's order."""
    names = [field.name for field in msgspec.structs.fields(REQUEST_BY_KIND[kind])]
    return tuple(FIELDS[name] for name in names)


def request(kind: JobKind, values: Mapping[str, str], *, root: str = "") -> SubmitRequest:
    """The request that the form spells. Raises :class:`DraftError` naming the first field that the contract refuses.

    One-line values lose the blanks at their ends: none of them can mean any. ``root`` is the folder of all workspaces, which
    the form starts with and which is no workspace itself.
    """
    if root:
        _check_workspace(values.get("workspace_path", "").strip(), root.rstrip("/"))
    given: dict[str, object] = {}
    for field in fields_of(kind):
        text = values.get(field.name, "")
        if field.input == "lines":
            given[field.name] = tuple(line.strip() for line in text.splitlines() if line.strip())
        elif field.input == "provider":
            if text not in set(CloudProvider):
                raise DraftError(field.name, "choose one")
            given[field.name] = CloudProvider(text)
        elif not text.strip():
            raise DraftError(field.name, "is needed")
        else:
            given[field.name] = text.strip()
    build: Callable[..., SubmitRequest] = REQUEST_BY_KIND[kind]
    try:
        return build(**given)
    except msgspec.ValidationError as error:
        name, _, reason = str(error).partition(": ")
        raise DraftError(name, _plain(name, reason)) from None


def _check_workspace(path: str, root: str) -> None:
    """A folder beside the root can be meant; one that only looks as if it were below it cannot."""
    if path.rstrip("/") == root:
        raise DraftError("workspace_path", f"name a folder below {root}")
    leads_to = posixpath.normpath(path) if path else path
    if ".." in path.split("/") and path.startswith(f"{root}/") and not leads_to.startswith(f"{root}/"):
        raise DraftError("workspace_path", f"leads to {leads_to}, which is not below {root}")


def _plain(name: str, reason: str) -> str:
    if name == "plan_file":
        return "at most 128 letters, digits, dots, underscores and dashes: a name, not a path"
    return reason


def proposal(context: Context) -> dict[str, str]:
    """What an empty form starts with."""
    root = f"{context.workspaces_root.rstrip('/')}/" if context.workspaces_root else ""
    return {"workspace_path": root, "plan_file": context.paths.session_plan_filename}


def again(job: Job) -> dict[str, str]:
    """The values of a job that was sent before, to be sent again."""
    return {name: value if isinstance(value, str) else "\n".join(value) for name, value in job.fields}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked before a request that cannot be taken back."""

    title: str
    consequences: tuple[str, ...]
    verb: str
    must_type: str


def question(wanted: SubmitRequest, context: Context) -> Question | None:
    """The question that ``wanted`` needs; ``None`` where it changes nothing that matters."""
    if wanted.kind not in CANNOT_BE_TAKEN_BACK:
        return None
    sent = msgspec.to_builtins(wanted)
    workspace = workspace_name(wanted.workspace_path, context.workspaces_root)
    if wanted.kind is JobKind.APPLY:
        title, verb = f"Apply {sent['plan_file']} in {workspace}?", "Apply"
        what = f"changes what runs in {sent['terraform_provider']} {sent['scope_id']} as the plan says, destroys included"
    else:
        title, verb = f"Import into the state of {workspace}?", "Import"
        what = f"writes {sent['resource_id']} to the state as {sent['address']}"
    return Question(
        title=title,
        consequences=(what, f"context {context.name}, workspace {wanted.workspace_path}", "the sidecar has no way to stop a job"),
        verb=verb,
        must_type=workspace,
    )
