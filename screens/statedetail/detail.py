"""The line under the cursor in full, and what can be taken from it. Pure; what is hidden is in none of it."""

from __future__ import annotations

import shlex

from kumoss_console.model.finding import Finding
from kumoss_console.model.state import OutputRow
from kumoss_console.model.state.document import CheckedObject, CheckRow, ProviderRow
from kumoss_console.model.state.leaves import path_text
from kumoss_console.model.state.raw import pretty
from kumoss_console.services.states.detail import OpenedState
from kumoss_console.text import printable
from screens.copies import Copy
from screens.findings import finding_facts
from screens.statedetail.tree import Heading, Identifier, Module, Node, Object, Resource, Tree, Value, is_hidden
from screens.statedetail.view import LONGEST_TEXT, WHY_HIDDEN, counted, status_sign
from screens.widgets.cells import Cell
from screens.widgets.facts import Fact, fact

LARGEST_COPY = 2_000_000
"""Bytes of an object up to which its JSON is made ready for copying with each menu."""


def facts(node: Node, revealed: str | None = None) -> tuple[Fact, ...]:
    """What the foot of the screen says about a line. ``revealed`` is its value while it is shown."""
    match node.subject:
        case Heading() as heading:
            return (fact(heading.part.value, f"{heading.count:,}"),)
        case Module(address=address, count=count):
            return (fact("module", address), fact("holds", counted(count, "resource")))
        case Resource(row=row):
            words = counted(len(row.instances), "object") if row.instances else "no objects: all were removed, or not yet made"
            return (fact(row.mode, row.address), fact("holds", words), fact("provider", row.provider or Cell("none", "warn")))
        case Object():
            return _object(node.subject)
        case Value() as value:
            return _value(node, value, revealed)
        case OutputRow() as output:
            return (fact("output", output.name, Cell("  sensitive" if output.sensitive else "", "warn")), *_shown(node, revealed))
        case ProviderRow() as provider:
            return (fact("provider", provider.written),)
        case CheckRow() as check:
            return (fact(check.kind, check.address), fact("status", status_sign(check.status)))
        case CheckedObject() as checked:
            messages = tuple(fact("", message) for message in checked.messages)
            return (fact("checked", checked.address), fact("status", status_sign(checked.status)), *messages)
        case Identifier(text=text, why=why):
            return (fact("identifier", text), *((fact("", Cell(why, "warn")),) if why else ()))
        case Finding() as finding:
            return (fact("about", finding.subject), *finding_facts((finding,)))


def _object(subject: Object) -> tuple[Fact, ...]:
    row, instance = subject.row, subject.row.instances[subject.place]
    found = [fact(row.mode, instance.address)]
    if instance.tainted and not instance.deposed:
        found.append(fact("tainted", Cell("the next apply destroys it and creates it anew", "warn")))
    if instance.deposed:
        found.append(fact("deposed", Cell(f"{instance.deposed}: an earlier replacement could not destroy it", "warn")))
    found.append(fact("identifier", instance.identifier or Cell("none that state-resource-ids would give", "dim")))
    found.append(fact("provider", row.provider or Cell("none", "warn")))
    return tuple(found)


def _value(node: Node, value: Value, revealed: str | None) -> tuple[Fact, ...]:
    member = value.member
    found = [fact("attribute", f"{owner_text(node)}.{path_text(member.path)}")]
    if member.why and revealed is None:
        key = "" if member.why == "deep" else " · x reveals it for 30 s"
        return (*found, fact("hidden", Cell(f"{WHY_HIDDEN[member.why]}{key}", "warn")))
    if revealed is not None:
        return (*found, *_shown(node, revealed))
    left = len(member.text) + member.cut - LONGEST_TEXT
    more = f" … {left:,} more characters: v shows all" if left > 0 else ""
    return (*found, fact("value", member.text[:LONGEST_TEXT], Cell(more, "dim")))


def _shown(node: Node, revealed: str | None) -> tuple[Fact, ...]:
    if revealed is not None:
        return (fact("revealed", Cell(revealed[:LONGEST_TEXT], "warn")),)
    if is_hidden(node):
        return (fact("hidden", Cell("x reveals it for 30 s", "warn")),)
    return (fact("value", node.subject.value[:LONGEST_TEXT]),) if isinstance(node.subject, OutputRow) else ()


def owner_text(node: Node) -> str:
    """The address of the object, or ``output.NAME``, that a line belongs to."""
    owner = node.owner
    if owner is None:
        return ""
    if isinstance(owner.subject, Object):
        return owner.subject.row.instances[owner.subject.place].address
    return f"output.{owner.subject.name}" if isinstance(owner.subject, OutputRow) else ""


def title(node: Node) -> str:
    """What a line is called in a sentence."""
    path = path_text(node.path)
    return f"{owner_text(node)}.{path}" if path else owner_text(node)


def command_line(opened: OpenedState, context: str, node: Node | None) -> str:
    """The command that shows the same."""
    what = f"--file {shlex.quote(printable(opened.file))}" if opened.detail is None else shlex.quote(printable(opened.key))
    where = f" --address {shlex.quote(printable(owner_text(node)))}" if node is not None and owner_text(node) else ""
    return f"kumoss-console --context {shlex.quote(context)} state show {what}{where}"


def copies(node: Node | None, opened: OpenedState, tree: Tree, context: str) -> tuple[Copy, ...]:
    """What of a line can be copied, the most wanted first."""
    command = Copy(label="the command that shows this", text=command_line(opened, context, node), role="command")
    state = (
        Copy(label="the key" if opened.detail is not None else "the file", text=printable(opened.name)),
        Copy(label="the lineage", text=printable(opened.document.lineage or "")),
    )
    common = (command, *(copy for copy in state if copy.text))
    return (*(_of_line(node, tree) if node is not None else ()), *common)


def _of_line(node: Node, tree: Tree) -> tuple[Copy, ...]:
    subject = node.subject
    offered: list[Copy] = []
    match subject:
        case Module(address=text):
            offered.append(Copy(label="the module's address", text=printable(text), role="thing"))
        case Resource(row=row):
            offered.append(Copy(label="the address", text=printable(row.address), role="thing"))
        case Object(row=row, place=place):
            instance = row.instances[place]
            offered.append(Copy(label="the address", text=printable(instance.address), role="thing"))
            if instance.identifier:
                offered.append(Copy(label="the identifier", text=printable(instance.identifier)))
        case Value(member=member):
            offered.append(
                Copy(label="the attribute", text=printable(f"{owner_text(node)}.{path_text(member.path)}"), role="thing")
            )
            if not member.why and not member.cut:
                offered.append(Copy(label="the value", text=printable(member.text)))
        case OutputRow(name=name):
            offered.append(Copy(label="the output's name", text=printable(name), role="thing"))
        case ProviderRow(written=text) | Identifier(text=text) | CheckRow(address=text) | CheckedObject(address=text):
            offered.append(Copy(label=_LABELS[type(subject)], text=printable(text), role="thing"))
        case Finding() as finding:
            offered.append(Copy(label="the finding", text=printable(f"{finding.subject}: {finding.message}"), role="thing"))
        case _:
            pass
    held = tree.held(node)
    if held is not None and len(held.json) <= LARGEST_COPY:
        offered.append(Copy(label="its JSON, masked", text=printable(pretty(held.whole()), newlines=True), role="json"))
    return tuple(offered)


_LABELS = {
    ProviderRow: "the provider",
    Identifier: "the identifier",
    CheckRow: "the check's address",
    CheckedObject: "the object's address",
}
