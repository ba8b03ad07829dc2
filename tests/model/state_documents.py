"""States of format 4 by hand, for tests of what compares them."""

from __future__ import annotations

import json
from typing import Any

from kumoss_console.model.statediff import ChangeKind, RecordedState, StateDiff, diff, recorded

LINEAGE = "7d1e4a2c-0000-4000-8000-000000000000"


def instance(id_: str | None = "id-1", **more: Any) -> dict[str, Any]:
    attributes = {"id": id_, **more.pop("attributes", {})}
    return {"schema_version": 0, "attributes": attributes, "sensitive_attributes": [], **more}


def resource(
    name: str, *instances: dict[str, Any], type_: str = "aws_vpc", mode: str = "managed", module: str = ""
) -> dict[str, Any]:
    found = {
        "mode": mode,
        "type": type_,
        "name": name,
        "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
        "instances": list(instances),
    }
    return {"module": module, **found} if module else found


def document(*resources: dict[str, Any], serial: int = 1, lineage: str = LINEAGE, **more: Any) -> bytes:
    head = {"version": 4, "terraform_version": "1.9.0", "serial": serial, "lineage": lineage, "outputs": {}}
    return json.dumps({**head, **more, "resources": list(resources)}).encode()


def state(raw: bytes, label: str = "it") -> RecordedState:
    return recorded(raw, label=label)


def compared(before: bytes, after: bytes) -> StateDiff:
    return diff(state(before, "old"), state(after, "new"))


def kinds(found: StateDiff) -> dict[str, ChangeKind]:
    return {change.address: change.kind for change in found.changes}
