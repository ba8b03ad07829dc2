"""A plan as large as one likes, in the form an engine gives it: every value repeated in four places, as engines do."""

from __future__ import annotations

import json
from typing import Any

_SHARES = (
    ("update", ["update"], 60),
    ("create", ["create"], 15),
    ("replace", ["delete", "create"], 8),
    ("delete", ["delete"], 9),
    ("read", ["read"], 3),
    ("no-op", ["no-op"], 5),
)


def generated(resources: int = 15_000) -> bytes:
    """``show -json`` of a plan with that many resources of about forty attributes, in modules of 30 with two levels."""
    kinds = [kind for kind in _SHARES for _ in range(kind[2])]
    changes: list[dict[str, Any]] = []
    planned: list[dict[str, Any]] = []
    for number in range(resources):
        _, actions, _ = kinds[number % len(kinds)]
        module = f'module.team["t{number // 300:03}"].module.service[{number // 30 % 10}]'
        name, key = f"node_{number % 3}", f"host-{number:05}"
        before = _attributes(number, "m5.large")
        after = _attributes(number, "m5.large" if actions == ["no-op"] else "m5.xlarge")
        unknown: dict[str, Any] = {"tags": {}}
        if "create" in actions:
            for computed in ("arn", "id", "private_ip"):
                del after[computed]
                unknown[computed] = True
        resource = {
            "address": f'{module}.aws_instance.{name}["{key}"]',
            "module_address": module,
            "mode": "data" if actions == ["read"] else "managed",
            "type": "aws_instance",
            "name": name,
            "index": key,
            "provider_name": "registry.terraform.io/hashicorp/aws",
        }
        change: dict[str, Any] = {
            "actions": actions,
            "before": None if actions == ["create"] else before,
            "after": None if actions == ["delete"] else after,
            "after_unknown": unknown,
            "before_sensitive": {"user_data": True} if number % 5 == 0 else {"tags": {}},
            "after_sensitive": {"user_data": True} if number % 5 == 0 else {"tags": {}},
        }
        if len(actions) == 2:
            change["replace_paths"] = [["instance_type"]]
        changes.append({**resource, "change": change})
        planned.append({**resource, "schema_version": 1, "values": after, "sensitive_values": {}})
    return json.dumps(
        {
            "format_version": "1.2",
            "terraform_version": "1.11.4",
            "variables": {"password": {"value": "not to be kept"}},
            "planned_values": {"root_module": {"resources": planned}},
            "resource_changes": changes,
            "prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": planned}}},
            "configuration": {"root_module": {}},
            "timestamp": "2025-03-14T09:26:53Z",
            "applyable": True,
            "complete": True,
            "errored": False,
        },
        separators=(",", ":"),
    ).encode()


def _attributes(number: int, size: str) -> dict[str, Any]:
    return {
        "ami": "ami-0abcdef1234567890",
        "arn": f"arn:aws:ec2:eu-central-1:123456789012:instance/i-{number:017x}",
        "availability_zone": "eu-central-1a",
        "cpu_options": [{"amd_sev_snp": "", "core_count": 2, "threads_per_core": 2}],
        "disable_api_stop": False,
        "disable_api_termination": False,
        "ebs_block_device": [],
        "ebs_optimized": False,
        "id": f"i-{number:017x}",
        "instance_type": size,
        "metadata_options": [{"http_endpoint": "enabled", "http_put_response_hop_limit": 1, "http_tokens": "required"}],
        "private_ip": f"10.{number // 65536}.{number // 256 % 256}.{number % 256}",
        "root_block_device": [{"device_name": "/dev/xvda", "encrypted": True, "volume_size": 8, "volume_type": "gp3"}],
        "security_groups": [f"sg-{number % 7}", "sg-common"],
        "source_dest_check": True,
        "subnet_id": "subnet-0123456789abcdef0",
        "tags": {"Name": f"host-{number:05}", "team": f"t{number // 300:03}", "env": "prod", "cost": str(number % 11)},
        "user_data": "#cloud-config\npackages:\n - nginx\nruncmd:\n - [systemctl, start, nginx]\n",
        "vpc_security_group_ids": ["sg-0123", "sg-4567"],
        **{f"attribute_{index:02}": f"value {index} of a provider with many attributes" for index in range(20)},
    }
