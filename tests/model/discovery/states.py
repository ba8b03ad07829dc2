"""State documents for comparisons, made of (type, name, attributes)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from kumoss_console.model.importdiff import StateIds, state_ids

Resource = tuple[str, str, Mapping[str, Any]]


def document(*resources: Resource, serial: int = 7, lineage: str = "") -> bytes:
    """A state of format 4. Without a ``lineage`` it has that of its first resource."""
    return json.dumps(
        {
            "version": 4,
            "terraform_version": "1.11.4",
            "serial": serial,
            "lineage": lineage or str(uuid5(NAMESPACE_URL, repr(resources[:1]))),
            "outputs": {},
            "resources": [
                {
                    "mode": "managed",
                    "type": type_,
                    "name": name,
                    "provider": 'provider["registry.terraform.io/hashicorp/any"]',
                    "instances": [{"schema_version": 0, "attributes": dict(attributes)}],
                }
                for type_, name, attributes in resources
            ],
        }
    ).encode()


def state(
    *resources: Resource, key: str = "here/terraform.tfstate", owner: str = "", serial: int = 7, lineage: str = ""
) -> StateIds:
    """The same, read."""
    return state_ids(document(*resources, serial=serial, lineage=lineage), key=key, owner=owner)


def topics(arns: Sequence[str]) -> list[Resource]:
    """SNS topics with both identifiers."""
    return [("aws_sns_topic", f"t{n}", {"arn": arn, "id": arn}) for n, arn in enumerate(arns)]
