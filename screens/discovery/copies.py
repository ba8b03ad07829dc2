"""What of a discovery can be copied, the command that shows it included. Hostile identifiers are copied as they are shown."""

from __future__ import annotations

import json
import shlex
from datetime import datetime, timedelta

from kumoss_console.model.context import Context
from kumoss_console.model.importdiff import Item
from kumoss_console.services.discovery.service import Discovery, DiscoveryRequest
from kumoss_console.services.discovery.shape import discovery_shape, item_shape
from kumoss_console.text import printable
from screens.copies import Copy

_PROPOSED = timedelta(days=90)
"""How long a proposed suppression holds: somebody looks again after a quarter."""


def copies(found: Discovery | None, item: Item | None, context: Context, now: datetime) -> tuple[Copy, ...]:
    """For the item under the cursor, and for the whole."""
    if found is None:
        return ()
    offered: list[Copy] = []
    if item is not None:
        shape = json.dumps(item_shape(item, found), indent=2, ensure_ascii=True)
        offered = [
            Copy(label="the identifier", text=printable(item.id), role="thing"),
            Copy(label="the item as JSON", text=shape, role="json"),
            Copy(label="a suppression for it", text=suppression(item, now)),
        ]
    command = Copy(label="the command that shows this", text=command_line(found.request, context.name), role="command")
    findings = "\n".join(f"{one.severity.value}: {one.subject}: {one.message}" for one in found.findings)
    if findings:
        offered.append(Copy(label="the findings", text=printable(findings, newlines=True)))
    return (*offered, command)


def command_line(asked: DiscoveryRequest, context: str) -> str:
    """The command that discovers the same."""
    words = ["kumoss-console", "discover", asked.workspace, "--scope", asked.scope, "--provider", asked.provider.value]
    words += ["--key", asked.key] if asked.key else []
    words += ["--project-number", asked.number] if asked.number else []
    return printable(shlex.join([*words, "--context", context]))


def suppression(item: Item, now: datetime) -> str:
    """An entry for the file of suppressions, its reason and author still to be written."""
    # In brackets a sign of a pattern stands for itself; JSON's quotes are YAML's.
    pattern = "".join(f"[{char}]" if char in "*?[" else char for char in item.id)
    expires = (now + _PROPOSED).date().isoformat()
    return f"  - pattern: {json.dumps(pattern)}\n    reason: \n    author: \n    expires: {expires}\n"


def document(found: Discovery) -> str:
    """All of it as JSON, as ``discover --json`` has it."""
    items = found.comparison.items if found.comparison is not None else ()
    return json.dumps(discovery_shape(found, items), indent=2, ensure_ascii=True)
