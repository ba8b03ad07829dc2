"""Things a bucket holds, and the projects that own them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from textual.pilot import Pilot

from kumoss_console.model.context import KnownProject
from kumoss_console.model.project import derive
from kumoss_console.text import printable
from tests.screens.world import World, painted

SCOPE = "11111111-2222-3333-4444-555555555555"
INFRA = KnownProject(repo="https://github.com/acme/infra", scope=SCOPE, name="infra")
NET = KnownProject(repo="https://github.com/acme/net", scope="prod", path="envs/eu", name="net")


def key_of(project: KnownProject) -> str:
    return derive(project.repo, project.scope, project.path).object_key()


INFRA_KEY = key_of(INFRA)
INFRA_ROOT_KEY = derive(INFRA.repo, INFRA.scope, ".").object_key()
NET_KEY = key_of(NET)
ORPHAN_KEY = f"{'9f' * 32}/terraform.tfstate"


def resource(name: str, *, type: str = "aws_vpc", mode: str = "managed", id: str = "") -> dict[str, Any]:  # noqa: A002
    return {
        "mode": mode,
        "type": type,
        "name": name,
        "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
        "instances": [{"schema_version": 0, "attributes": {"id": id or f"{type}-{name}"}}],
    }


def state(serial: int = 41, *, resources: Sequence[dict[str, Any]] = (), outputs: dict[str, Any] | None = None) -> bytes:
    document = {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": serial,
        "lineage": "7d1e0000-0000-4000-8000-00000000000a",
        "outputs": outputs or {},
        "resources": list(resources),
    }
    return json.dumps(document).encode()


def lock(world: World, *, holder: str = "ci@runner-7", minutes: float = 192) -> bytes:
    created = (world.clock() - timedelta(minutes=minutes)).isoformat()
    document = {"ID": "3f2504e0", "Operation": "OperationTypeApply", "Who": holder, "Version": "1.11.4", "Created": created}
    return json.dumps(document).encode()


def calm(pilot: Pilot[None]) -> str:
    """What is painted, having made sure that a terminal would obey nothing of it."""
    text = painted(pilot)
    assert printable(text, newlines=True) == text
    return text
