"""What of a trace can be copied: the verdict, the keys, the next commands, the command that shows the same."""

from __future__ import annotations

import json
import shlex

from kumoss_console.model.trace import Trace
from kumoss_console.services.trace.shape import trace_shape
from screens.copies import Copy


def copies(trace: Trace, options: str, context: str) -> tuple[Copy, ...]:
    """``options`` spell the project for a command line, empty where none was given."""
    workspace = shlex.quote(trace.evidence.workspace) if trace.evidence.workspace is not None else ""
    words = " ".join(part for part in ("kumoss-console trace", workspace, options, "--context", shlex.quote(context)) if part)
    keys = dict.fromkeys(
        (layer.place.key, f"the key of layer {layer.layer}") for layer in trace.layers if layer.place is not None
    )
    seen: set[str] = set()
    copied = []
    for key, label in keys:
        if key and key not in seen:
            seen.add(key)
            copied.append(Copy(label=label, text=key))
    return (
        Copy(label="the verdict", text=trace.summary, role="thing"),
        *((Copy(label="the next commands", text=_script(trace)),) if trace.steps else ()),
        *(Copy(label=step.purpose, text=step.command) for step in trace.steps),
        *copied,
        Copy(label="the trace as JSON", text=json.dumps(trace_shape(trace), indent=2, ensure_ascii=False), role="json"),
        Copy(label="the command that shows this", text=words, role="command"),
    )


def _script(trace: Trace) -> str:
    return "".join(f"# {step.purpose}\n{step.command}\n" for step in trace.steps)
