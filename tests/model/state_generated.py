"""A state as large as one likes, in the form an engine writes it."""

from __future__ import annotations

import json
from typing import Any

SECRET = "hunter2-the-password-of"


def generated(megabytes: float = 34.0) -> bytes:
    """A format 4 state of about that size: objects of 1.6 kB in modules of two levels, every fifth with a marked value."""
    objects = int(megabytes * 1e6 / 1_623)
    resources = [_resource(number) for number in range(objects)]
    document = {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 412,
        "lineage": "7d1e0000-0000-4000-8000-00000000000a",
        "outputs": {"endpoint": {"value": "https://web.acme.example", "type": "string"}},
        "resources": resources,
        "check_results": None,
    }
    return json.dumps(document, indent=2).encode()


def _resource(number: int) -> dict[str, Any]:
    name = f"i-{number:017x}"
    attributes: dict[str, Any] = {
        "ami": "ami-0a1b2c3d4e5f60718",
        "arn": f"arn:aws:ec2:eu-west-1:123456789012:instance/{name}",
        "availability_zone": "eu-west-1a",
        "ebs_optimized": True,
        "id": name,
        "instance_type": "m5.large",
        "password": f"{SECRET}-{number}" if number % 5 == 0 else None,
        "private_ip": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "root_block_device": [{"device_name": "/dev/xvda", "encrypted": True, "iops": 3000, "volume_size": 100}],
        "metadata_options": [{"http_endpoint": "enabled", "http_put_response_hop_limit": 1, "http_tokens": "required"}],
        "primary_network_interface_id": f"eni-{number:017x}",
        "subnet_id": f"subnet-{number % 31:017x}",
        "tags": {"Name": f"node-{number:06}", "team": f"team-{number % 40}", "env": "prod"},
        "vpc_security_group_ids": [f"sg-{number % 97:08x}", f"sg-{number % 89:08x}"],
    }
    marks = [[{"type": "get_attr", "value": "password"}]] if number % 5 == 0 else []
    instance = {"schema_version": 1, "attributes": attributes, "sensitive_attributes": marks, "private": "bnVsbA=="}
    return {
        "module": f'module.team["t{number // 300:03}"].module.service[{number // 30 % 10}]',
        "mode": "managed",
        "type": "aws_instance",
        "name": f"node_{number}",
        "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
        "instances": [instance],
    }
