"""States with a history, for tests of what reads one."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

from kumoss_console.ports.objects import ObjectVersion
from tests.fakes.clock import START
from tests.fakes.store import FakeStore

LINEAGE = "7d1e4a2c-0000-4000-8000-000000000000"
SECRET = "hunter22-hunter22"


def document(serial: int, *names: str, lineage: str = LINEAGE, secret: str = SECRET) -> bytes:
    """A state that manages one network per name, each with a sensitive attribute ``pin``."""
    resources: list[dict[str, Any]] = [
        {
            "mode": "managed",
            "type": "aws_vpc",
            "name": name,
            "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
            "instances": [
                {
                    "attributes": {"id": f"vpc-{name}", "pin": secret},
                    "sensitive_attributes": [[{"type": "get_attr", "value": "pin"}]],
                }
            ],
        }
        for name in names
    ]
    head = {"version": 4, "terraform_version": "1.9.0", "serial": serial, "lineage": lineage, "outputs": {}}
    return json.dumps({**head, "resources": resources}).encode()


def keep(store: FakeStore, key: str, *contents: bytes | None, at: datetime = START) -> None:
    """``contents`` newest first, ``None`` for a delete marker; ids ``v1`` (the oldest) and up, a minute apart up to ``at``."""
    count = len(contents)
    store.history[key] = [
        (
            ObjectVersion(
                key=key,
                version_id=f"v{count - place}",
                kind="delete_marker" if content is None else "version",
                latest=place == 0 and content is not None,
                size=None if content is None else len(content),
                modified=at - timedelta(minutes=place),
                etag=f'"{place}"',
            ),
            content,
        )
        for place, content in enumerate(contents)
    ]
    if contents and contents[0] is not None:
        store.objects[key] = contents[0]
