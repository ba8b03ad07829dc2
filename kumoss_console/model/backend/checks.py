"""What the engines refuse about values before they talk to any service, and what they only warn about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kumoss_console.model.backend.engine import Engine
from kumoss_console.model.backend.result import Origin
from kumoss_console.model.backend.schema import BackendSchema
from kumoss_console.model.hcl import Problem
from kumoss_console.model.hcl.types import Unresolved

_REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")
_CONFLICTS = (
    ("allowed_account_ids", "forbidden_account_ids"),
    ("kms_key_id", "sse_customer_key"),
    ("shared_credentials_file", "shared_credentials_files"),
    ("force_path_style", "use_path_style"),
)
_OLD_ENDPOINTS = {"endpoint": "s3", "iam_endpoint": "iam", "sts_endpoint": "sts", "dynamodb_endpoint": "dynamodb"}
# Fields that the older kind of backend requires; the engine names no place for them.
_REQUIRED: dict[str, tuple[str, ...]] = {
    "azurerm": ("storage_account_name", "container_name", "key"),
    "cos": ("region", "bucket"),
    "oss": ("bucket",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The decoded backend that is checked. ``places`` has every argument that is written, set to null as well;
    ``missing`` is where the engines say that something is missing.
    """

    type: str
    values: Mapping[str, object]
    places: Mapping[str, Origin]
    missing: tuple[str, int]
    engine: Engine
    environ: Mapping[str, str]

    def problem(self, summary: str, detail: str, name: str = "") -> Problem:
        """At the argument ``name`` where it stands in a file, else where things are missing."""
        place = self.places.get(name)
        file, line = self.missing
        if place is not None and place.line is not None:
            file, line = place.file, place.line
        return Problem(summary=summary, detail=detail, file=file, line=line)

    def text(self, name: str) -> str | None:
        """A text that is known; ``None`` where it is absent or only the engine knows it."""
        value = self.values.get(name)
        return value if isinstance(value, str) else None


def check(subject: Subject) -> list[Problem]:
    """The engine's errors about the values, in its words."""
    checks: dict[str, Callable[[Subject], Iterator[Problem]]] = {"s3": _s3, "remote": _remote, "local": _local, "http": _http}
    found = list(checks[subject.type](subject)) if subject.type in checks else []
    for name in _REQUIRED.get(subject.type, ()):
        if name not in subject.values:
            detail = f'The argument "{name}" is required by the {subject.type} backend.'
            found.append(Problem(summary=f'"{name}": required field is not set', detail=detail, file="", line=None))
    return found


def deprecations(subject: Subject, schema: BackendSchema) -> list[Problem]:
    """The engine's warnings about arguments that have a successor."""
    found: list[Problem] = []
    roles: list[str] = []
    for name in subject.values:
        argument = schema.arguments.get(name)
        if argument is None or not argument.deprecated:
            continue
        if argument.instead.startswith("assume_role"):
            roles.append(f'"{name}" (use "{argument.instead}")')
            continue
        detail = f'The parameter "{name}" is deprecated. Use parameter "{argument.instead}" instead.'
        problem = subject.problem("Deprecated Parameter", detail, name)
        found.append(_warning(problem))
    if roles:
        detail = f"These parameters are deprecated: {', '.join(roles)}."
        found.append(_warning(subject.problem("Deprecated Parameters", detail)))
    return found


def _warning(problem: Problem) -> Problem:
    return Problem(summary=problem.summary, detail=problem.detail, file=problem.file, line=problem.line, kind="warning")


def _s3(subject: Subject) -> Iterator[Problem]:
    yield from (_s3_terraform if subject.engine.name == "terraform" else _s3_tofu)(subject)
    if not subject.values.get("region") and not any(subject.environ.get(name) for name in _REGION_VARIABLES):
        yield subject.problem(
            "Missing region value",
            'The "region" attribute or the "AWS_REGION" or "AWS_DEFAULT_REGION" environment variables must be set.',
            "region",
        )
    endpoints = subject.values.get("endpoints")
    for old, new in _OLD_ENDPOINTS.items():
        if old in subject.values and isinstance(endpoints, dict) and new in endpoints:
            detail = f'The parameters "{old}" and "endpoints.{new}" cannot be configured together.'
            yield subject.problem("Conflicting Parameters", detail)


def _s3_terraform(subject: Subject) -> Iterator[Problem]:
    for name in ("bucket", "key"):
        if name not in subject.values:
            yield subject.problem("Missing Required Value", f'The attribute "{name}" is required by the backend.', name)
        elif (text := subject.text(name)) is not None and not text.strip():
            yield subject.problem("Invalid Value", f'The value of "{name}" cannot be empty or all whitespace', name)
    prefix = subject.text("workspace_key_prefix")
    if prefix is not None and (prefix.startswith("/") or prefix.endswith("/")):
        yield subject.problem(
            "Invalid Value", 'The value of "workspace_key_prefix" must not start or end with "/"', "workspace_key_prefix"
        )
    mode = subject.text("retry_mode")
    if mode is not None and mode.lower() not in {"standard", "adaptive"}:
        yield subject.problem("Invalid Value", f"unknown RetryMode, {mode}", "retry_mode")
    role = subject.values.get("assume_role")
    arn = role.get("role_arn") if isinstance(role, dict) else None
    if isinstance(arn, str) and (not arn.startswith("arn:") or arn.count(":") < 5):
        yield subject.problem("Invalid ARN", f'The value "{arn}" cannot be parsed as an ARN')
    for first, second in _CONFLICTS:
        if first in subject.values and second in subject.values:
            detail = f"Only one of {first}, {second} can be set."
            yield Problem(summary="Invalid Attribute Combination", detail=detail, file="", line=None)


def _s3_tofu(subject: Subject) -> Iterator[Problem]:
    for name in ("bucket", "key"):
        if not subject.values.get(name):
            yield subject.problem(f"Invalid {name} value", f'The "{name}" attribute value must not be empty.', name)
    key = subject.text("key")
    if key and (key.startswith("/") or key.endswith("/")):
        yield subject.problem("Invalid key value", 'The "key" attribute value must not start or end with with "/".', "key")
    prefix = subject.text("workspace_key_prefix")
    if prefix is not None and (prefix.startswith("/") or prefix.endswith("/")):
        detail = 'The "workspace_key_prefix" attribute value must not start with "/".'
        yield subject.problem("Invalid workspace_key_prefix value", detail, "workspace_key_prefix")
    if subject.values.get("kms_key_id") and subject.values.get("sse_customer_key"):
        detail = 'Only one of "kms_key_id" and "sse_customer_key" can be set.'
        yield subject.problem("Invalid encryption configuration", detail)


def _local(subject: Subject) -> Iterator[Problem]:
    for name, title in (("path", "Invalid local state file path"), ("workspace_dir", "Invalid local workspace directory path")):
        if subject.values.get(name) == "":
            yield subject.problem(title, f'The "{name}" attribute value must not be empty.', name)


def _http(subject: Subject) -> Iterator[Problem]:
    if not subject.values.get("address") and not subject.environ.get("TF_HTTP_ADDRESS"):
        yield Problem(summary="address argument is required", detail="", file="", line=None)


def _remote(subject: Subject) -> Iterator[Problem]:
    if not subject.values.get("organization") and not subject.environ.get("TF_CLOUD_ORGANIZATION"):
        detail = 'The "organization" attribute value must not be empty.'
        yield subject.problem("Invalid organization value", detail, "organization")
    workspaces = subject.values.get("workspaces")
    if isinstance(workspaces, Unresolved):
        return
    given = workspaces if isinstance(workspaces, dict) else {}
    if not given.get("name") and not given.get("prefix"):
        detail = 'Either workspace "name" or "prefix" is required.'
        yield subject.problem("Invalid workspaces configuration", detail)
    elif given.get("name") and given.get("prefix"):
        detail = 'Only one of workspace "name" or "prefix" is allowed.'
        yield subject.problem("Invalid workspaces configuration", detail)
