"""The line under the cursor in full, and what can be taken from it. Pure."""

from __future__ import annotations

import json
import shlex

from kumoss_console.model.plan import Action, Change, Check, Deferred, Leaf, OutputChange, Plan, Value, shape
from kumoss_console.text import printable
from screens.copies import Copy
from screens.plan.tree import Heading, Instance, Module, Node, Resource
from screens.plan.view import LONGEST_TEXT, drift_sign, heading_word, meaning, sign, why
from screens.widgets.cells import Cell
from screens.widgets.facts import Fact, fact

_VERBS = {
    Action.DELETE: "will be destroyed",
    Action.FORGET: "will leave the state and go on existing",
    Action.UPDATE: "will be changed in place",
    Action.CREATE: "will be created",
    Action.READ: "will be read during the apply",
    Action.IMPORT: "will be imported as it is",
    Action.MOVE: "gets another address, nothing else",
    Action.OTHER: "changes in a way this console does not know",
    Action.NO_OP: "stays as it is",
}


def facts(node: Node) -> tuple[Fact, ...]:
    """What the detail says about a line."""
    subject = node.subject
    if isinstance(subject, Leaf):
        return _leaf(node, subject)
    if isinstance(subject, Check):
        return (fact(subject.status, subject.address), *(fact("", problem) for problem in subject.problems))
    if isinstance(subject, Heading):
        return (fact(heading_word(subject.what), meaning(subject.what)),)
    if isinstance(subject, Module):
        return (fact("module", subject.address or "the root module"),)
    if isinstance(subject, Resource):
        return (fact("resource", f"{_above(node)}{subject.address}"), fact("instances", f"{subject.count:,}"))
    if isinstance(subject, OutputChange):
        return (fact("output", subject.name, f" · {subject.action.value}"),)
    change = node.change
    if not isinstance(change, Change):
        return ()
    if isinstance(subject, Instance) and subject.drifted:
        done = "was deleted outside" if change.action is Action.DELETE else "was changed outside"
        return (fact("drift", Cell(f"{change.address} ", drift_sign(change).tone), done), fact("provider", change.provider))
    found = [fact(change.action.value, Cell(f"{change.address} ", sign(change).tone), verb(change))]
    reason = subject.reason if isinstance(subject, Deferred) else why(change)
    if reason:
        found.append(fact("why", reason))
    if change.provider:
        found.append(fact("provider", change.provider))
    return tuple(found)


def _above(node: Node) -> str:
    """Address of the module that the line is in, with its dot."""
    parent = node.parent
    while parent is not None and not isinstance(parent.subject, Module):
        parent = parent.parent
    module = parent.subject.address if parent is not None and isinstance(parent.subject, Module) else ""
    return f"{module}." if module else ""


def verb(change: Change) -> str:
    if change.action is Action.REPLACE:
        first, second = ("created", "the old one destroyed") if change.create_first else ("destroyed", "a new one created")
        return f"will be {first}, then {second}"
    return _VERBS[change.action]


def _leaf(node: Node, leaf: Leaf) -> tuple[Fact, ...]:
    change = node.change
    owner = change.address if isinstance(change, Change) else change.name if change is not None else ""
    name = f"{owner}.{leaf.name}" if leaf.name else owner
    label = "forces" if leaf.forces else "value"
    found = [fact(label, Cell(name, "bad" if leaf.forces else ""), " forces the replacement" if leaf.forces else "")]
    if leaf.note:
        found.append(fact("note", leaf.note))
    if leaf.before is not None:
        found.append(fact("before", *_value(leaf.before)))
    if leaf.unknown:
        found.append(fact("after", "known after apply"))
    elif leaf.after is not None:
        found.append(fact("after", *_value(leaf.after)))
    return tuple(found)


def _value(value: Value) -> tuple[Cell | str, ...]:
    hidden = {"marked": "  marked sensitive", "named": "  hidden: its name reads like a secret", "": ""}[value.hidden]
    left = len(value.text) + value.cut - LONGEST_TEXT
    more = f" … {left:,} more characters: Enter" if left > 0 else ""
    return (value.text[:LONGEST_TEXT], Cell(more or hidden, "dim"))


def full_text(leaf: Leaf) -> str:
    """Both values of a leaf to read in full, texts with their lines."""
    parts = []
    for label, value in (("before", leaf.before), ("after", leaf.after)):
        if value is not None:
            parts.append(f"{label}\n{_readable(value)}")
    if leaf.unknown:
        parts.append("after\n(known after apply)")
    return "\n\n".join(parts)


def _readable(value: Value) -> str:
    text = value.text
    if not value.hidden and not value.cut:
        decoded = json.loads(text)
        text = decoded if isinstance(decoded, str) else json.dumps(decoded, indent=2, ensure_ascii=False)
    return f"{text}\n… {value.cut:,} more characters are not shown" if value.cut else text


def raw(change: Change | OutputChange) -> str:
    """The change as JSON, masked."""
    return json.dumps(shape(change), indent=2, ensure_ascii=False)


def copies(node: Node) -> tuple[Copy, ...]:
    """What of a line can be copied, the most wanted first."""
    subject = node.subject
    if isinstance(subject, Check):
        return (Copy(label="the check's address", text=printable(subject.address), role="thing"),)
    if isinstance(subject, Module):
        return (Copy(label="the module's address", text=printable(subject.address), role="thing"),)
    change = node.change
    if change is None:
        return ()
    offered: list[Copy] = []
    if isinstance(change, OutputChange):
        offered.append(Copy(label="the output's name", text=printable(change.name), role="thing"))
    else:
        offered.append(Copy(label="the address", text=printable(change.address), role="thing"))
        offered.append(Copy(label="as -target", text=f"-target={shlex.quote(printable(change.address))}"))
        others = (
            ("the address before", change.previous_address),
            ("the imported id", change.importing),
            ("the provider", change.provider),
        )
        offered += [Copy(label=label, text=printable(text)) for label, text in others if text]
    offered.append(Copy(label="the change as JSON, masked", text=raw(change), role="json"))
    if isinstance(subject, Leaf):
        offered.append(Copy(label="the attribute's path", text=printable(subject.name)))
        values = (("the value before", subject.before), ("the value after", subject.after))
        offered += [
            Copy(label=label, text=printable(value.text)) for label, value in values if value is not None and not value.hidden
        ]
    return tuple(offered)


def as_text(plan: Plan, title: str) -> str:
    """The whole plan as a list, without values: what is pasted into a ticket."""
    lines = [title, plan.headline, ""]
    for change in plan.changes:
        reason = why(change)
        lines.append(f"{sign(change).text:<11} {change.address}{f'   {reason}' if reason else ''}")
    lines += [f"{output.action.value:<11} output {output.name}" for output in plan.outputs]
    lines += [f"drift       {change.address} ({change.action.value})" for change in plan.drift]
    lines += [f"check {check.status:<5} {check.address} {'; '.join(check.problems)}" for check in plan.checks]
    return "\n".join(map(printable, lines)) + "\n"
