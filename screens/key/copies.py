"""What of a key can be copied."""

from __future__ import annotations

import json
import shlex
from datetime import datetime

from kumoss_console.model.context import Context
from kumoss_console.model.storage import object_url
from kumoss_console.services.keys import KeyExplanation
from screens.copies import Copy
from screens.key.view import Line, Look
from screens.project_screen import project_options
from screens.subject import Subject


def copies(
    explanation: KeyExplanation, line: Line, *, typed: Subject, look: Look, context: Context, now: datetime
) -> tuple[Copy, ...]:
    """For the line under the cursor: the project's own key, or that of a near-miss."""
    options = project_options(typed, explanation.key) if line.own else _options(line.spelling)
    check = " --check" if look.facts else ""
    command = f"kumoss-console key {options}{check} --context {shlex.quote(context.name)}"
    document = explanation.as_data(tuple(look.facts.values()) or None, now=now)
    url = object_url(context.storage, line.object_key)
    return (
        Copy(label="the object key", text=line.object_key, role="thing"),
        Copy(label="the project id", text=line.project_id),
        *((Copy(label="the URL of the object", text=url),) if url else ()),
        Copy(label="the explanation as JSON", text=json.dumps(document, indent=2, ensure_ascii=False), role="json"),
        Copy(label="the command that shows this", text=command, role="command"),
        *(() if line.own else (Copy(label="the near-miss's repository", text=line.spelling.repo),)),
        *((Copy(label="the hashed text", text=explanation.key.hashed),) if line.own else ()),
    )


def _options(spelling: Subject) -> str:
    options = f"--repo {shlex.quote(spelling.repo)} --scope {shlex.quote(spelling.scope)}"
    return f"{options} --path {shlex.quote(spelling.path)}" if spelling.path else options
