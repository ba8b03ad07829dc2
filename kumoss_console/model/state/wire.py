"""State documents on the wire. Only what the console reads has a field; the rest is skipped without being decoded.

``None`` where an engine's decoder takes ``null`` for the zero value. Source: the engines' state formats 4 and 1 to 3.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Raw, Struct

ABSENT = Raw(b"")
Serial = Annotated[int, Meta(ge=0)]


class Head(Struct, rename={"lock_id": "ID", "lock_operation": "Operation", "lock_who": "Who"}):
    """The top level of any JSON document in a bucket: enough to tell what it is."""

    version: Any = None
    terraform_version: Any = None
    serial: Any = None
    lineage: Any = None
    resources: Raw = ABSENT
    modules: Raw = ABSENT
    backend: Raw = ABSENT
    meta: Raw = ABSENT
    encrypted_data: Raw = ABSENT
    encryption_version: Any = None
    lock_id: Any = None
    lock_operation: Raw = ABSENT
    lock_who: Raw = ABSENT


class IdentifiersV4(Struct, gc=False):
    """Two attributes out of many. Absent and ``null`` are told apart for the reason that is given."""

    arn: Any = Ellipsis
    id: Any = Ellipsis


class InstanceV4(Struct):
    index_key: Any = None
    status: str | None = None
    deposed: str | None = None
    attributes: Raw = ABSENT
    attributes_flat: dict[str, str | None] | None = None
    sensitive_attributes: Raw = ABSENT
    provider: str | None = None
    schema_version: Serial | None = None
    private: Raw = ABSENT
    dependencies: list[str | None] | None = None
    create_before_destroy: bool | None = None


class QuickInstanceV4(Struct, gc=False, forbid_unknown_fields=True):
    """:class:`InstanceV4` with the attributes read as far as the identifiers in the same pass: half the time for a large state.

    Where attributes are no object this does not decode, and :class:`InstanceV4` does. Nor does it where a member has a name that
    is not in here: engines may take it for one that is (see :mod:`.casing`).
    """

    index_key: Any = None
    status: str = ""
    deposed: str = ""
    attributes: IdentifiersV4 | None = None
    attributes_flat: dict[str, str] | None = None
    sensitive_attributes: list[Any] | None = None
    provider: str = ""
    schema_version: Serial = 0
    identity_schema_version: Raw = ABSENT
    identity: Raw = ABSENT
    private: bytes = b""
    dependencies: list[str] | None = None
    depends_on: Raw = ABSENT
    create_before_destroy: bool = False
    skip_destroy: Raw = ABSENT


class QuickResourceV4(Struct, gc=False, forbid_unknown_fields=True):
    """:class:`ResourceV4` with :class:`QuickInstanceV4`."""

    module: str = ""
    mode: str = ""
    type: str = ""
    name: str = ""
    provider: str = ""
    each: str = ""
    instances: list[QuickInstanceV4] | None = None


class ResourceV4(Struct):
    module: str | None = None
    mode: str | None = None
    type: str | None = None
    name: str | None = None
    provider: str | None = None
    each: str | None = None
    instances: list[InstanceV4] | None = None


class OutputV4(Struct):
    value: Raw = ABSENT
    type: Raw = ABSENT
    sensitive: bool | None = None


class QuickOutputV4(OutputV4, forbid_unknown_fields=True):
    """:class:`OutputV4` without any other member."""


class StateV4(Struct):
    terraform_version: str | None = None
    serial: Serial | None = None
    lineage: str | None = None
    outputs: dict[str, OutputV4] | None = None
    resources: list[ResourceV4] | None = None
    check_results: Raw = ABSENT


class QuickStateV4(Struct, forbid_unknown_fields=True):
    """:class:`StateV4`, with what :class:`Head` has besides where it decides that a document is none."""

    version: Any = None
    terraform_version: str | None = None
    serial: Serial = 0
    lineage: str = ""
    outputs: dict[str, QuickOutputV4] | None = None
    resources: list[QuickResourceV4] | None = None
    check_results: Raw = ABSENT
    backend: Raw = ABSENT
    encrypted_data: Raw = ABSENT


class InstanceV3(Struct):
    id: str | None = None
    attributes: dict[str, Any] | None = None
    tainted: bool | None = None


class ResourceV3(Struct):
    type: str | None = None
    primary: InstanceV3 | None = None
    deposed: list[InstanceV3] | None = None
    provider: str | None = None


class ModuleV3(Struct):
    path: list[str] | None = None
    outputs: dict[str, Any] | None = None
    resources: dict[str, ResourceV3] | None = None


class StateV3(Struct):
    terraform_version: str | None = None
    serial: Serial | None = None
    lineage: str | None = None
    modules: list[ModuleV3] | None = None
