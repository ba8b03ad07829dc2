"""What of a key can be copied."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from datetime import datetime

from kumoss_console.model.context import Context
from kumoss_console.model.storage import object_url
from kumoss_console.model.twins import as_url
from kumoss_console.services.keys.service import KeyExplanation
from kumoss_console.services.keys.whatif import WhatIf
from screens.copies import Copy
from screens.key.view import Line, Look
from screens.project_screen import project_options
from screens.subject import Subject


def copies(
    explanation: KeyExplanation,
    line: Line,
    *,
    typed: Subject,
    look: Look,
    context: Context,
    now: datetime,
    what_if: WhatIf | None = None,
) -> tuple[Copy, ...]:
    """For the line under the cursor: the project's own key, the one it would have, or that of a near-miss."""
    own = project_options(typed, explanation.key)
    compared = what_if is not None and line.object_key in what_if.keys
    options = own if line.own or compared else _options(line.spelling)
    if compared and what_if is not None:
        options = " ".join((own, *_changes(what_if)))
    check = " --check" if look.facts else ""
    command = f"kumoss-console key {options}{check} --context {shlex.quote(context.name)}"
    document = explanation.as_data(tuple(look.facts.values()) or None, now=now)
    if what_if is not None:
        document["what_if"] = what_if.as_data(look.facts, now=now)
    url = object_url(context.storage, line.object_key)
    return (
        Copy(label="the object key", text=line.object_key, role="thing"),
        Copy(label="the project id", text=line.project_id),
        *((Copy(label="the URL of the object", text=url),) if url else ()),
        Copy(label="the explanation as JSON", text=json.dumps(document, indent=2, ensure_ascii=False), role="json"),
        Copy(label="the command that shows this", text=command, role="command"),
        *(() if line.own or compared else (Copy(label="the near-miss's repository", text=line.spelling.repo),)),
        *((Copy(label="the hashed text", text=explanation.key.hashed),) if line.own else ()),
    )


def _changes(what_if: WhatIf) -> Iterator[str]:
    """``--what-if-…`` for the fields that differ, spelled from the hashed lines: a password that was typed is not in them."""
    new = what_if.after.key
    spelled = {"repo": as_url(new.repo), "scope": new.scope, "path": new.path}
    yield from (f"--what-if-{name} {shlex.quote(spelled[name])}" for name in what_if.changed)


def _options(spelling: Subject) -> str:
    options = f"--repo {shlex.quote(spelling.repo)} --scope {shlex.quote(spelling.scope)}"
    return f"{options} --path {shlex.quote(spelling.path)}" if spelling.path else options
