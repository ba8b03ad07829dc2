"""A plan on the wire, as ``show -json PLANFILE`` prints it. Only what the console reads has a field; the rest is skipped.

``planned_values``, ``prior_state``, ``configuration`` and ``variables`` repeat what the changes say, secrets included: they are
never decoded. Source: the engines' documentation of their JSON output format, 1.0 to 1.2.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

ABSENT = Raw(b"")


class Head(Struct):
    """The top level of any JSON document: enough to tell whether it is a plan, and of which format."""

    format_version: Any = None
    terraform_version: Any = None
    timestamp: Any = None
    errored: Any = None
    complete: Any = None
    applyable: Any = None
    resource_changes: Raw = ABSENT
    resource_drift: Raw = ABSENT
    output_changes: Raw = ABSENT
    deferred_changes: Raw = ABSENT
    action_invocations: Raw = ABSENT
    checks: Raw = ABSENT
    planned_values: Raw = ABSENT
    configuration: Raw = ABSENT
    # What other documents have in their place.
    values: Raw = ABSENT
    version: Any = None
    serial: Any = None


class Importing(Struct):
    id: str | None = None
    unknown: bool | None = None
    identity: Raw = ABSENT


class Body(Struct):
    """What a change does. Values stay undecoded: few of them are ever looked at."""

    actions: tuple[str, ...] = ()
    before: Raw = ABSENT
    after: Raw = ABSENT
    after_unknown: Raw = ABSENT
    before_sensitive: Raw = ABSENT
    after_sensitive: Raw = ABSENT
    replace_paths: tuple[tuple[Any, ...], ...] | None = None
    importing: Importing | None = None
    generated_config: Raw = ABSENT


class Resource(Struct):
    address: str
    change: Body
    previous_address: str | None = None
    module_address: str | None = None
    mode: str = "managed"
    type: str = ""
    name: str = ""
    index: str | int | float | None = None
    index_unknown: bool | None = None
    provider_name: str | None = None
    deposed: str | None = None
    action_reason: str | None = None


class Deferred(Struct):
    reason: str = ""
    resource_change: Resource | None = None


class CheckAddress(Struct, frozen=True):
    to_display: str = ""


class Problem(Struct):
    message: str | None = None


class CheckInstance(Struct):
    address: CheckAddress = CheckAddress()
    status: str = ""
    problems: tuple[Problem, ...] | None = None


class Check(Struct):
    address: CheckAddress = CheckAddress()
    status: str = ""
    instances: tuple[CheckInstance, ...] | None = None
