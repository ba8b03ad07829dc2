"""Reading one mapping by its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kumoss_console.config.elements import Element, Entries, Entry, TooEntangled
from kumoss_console.config.fields import Field, Section
from kumoss_console.config.nearest import did_you_mean, nearest
from kumoss_console.config.report import HIDDEN, Problem, Report, quoted
from kumoss_console.config.rules import Nested, Rejected

SECRET_NAMES = frozenset(
    {
        "access_key",
        "access_key_id",
        "account_key",
        "api_key",
        "bearer_token",
        "client_secret",
        "connection_string",
        "password",
        "sas_token",
        "secret",
        "secret_access_key",
        "secret_key",
        "session_token",
        "token",
    }
)
# A key of the core that is this close to one we know is a slip, not a key of a newer core.
_SLIP = 0.86


@dataclass(frozen=True, slots=True)
class Reading:
    """The valid values of a section, and the element of every known key that is there, valid or not."""

    values: Mapping[str, Any] = field(default_factory=dict)
    elements: Mapping[str, Element] = field(default_factory=dict)


def entries_of(element: Element, accepted: str, report: Report) -> Entries:
    """The entries of a mapping; anything else is reported and has none."""
    if element.kind != "mapping":
        is_null = element.kind == "scalar" and element.scalar() is None
        report.add(element.problem(accepted, hint="remove the line, or write {} for an empty one" if is_null else ""))
        return Entries()
    try:
        return element.entries()
    except TooEntangled:
        found = "holds merge keys (<<) that merge no mapping, or far too many"
        report.add(element.problem("merge keys that each name a mapping", found=found))
        return Entries()


def read_section(element: Element | None, section: Section, report: Report, *, ours: bool) -> Reading:
    """Read ``element`` by ``section``, reporting every fault.

    In a section of ``ours`` an unknown key is a fault. In the core's own file it is the core's business: only a slip of a key
    we know, and a secret that the core would ignore there, are worth a warning.
    """
    if element is None:
        return Reading()
    entries = entries_of(element, f"a mapping of {', '.join(section.names)}", report)
    _report_repeated(element, entries, section, report, ours=ours)
    values: dict[str, Any] = {}
    elements: dict[str, Element] = {}
    for entry in entries.entries:
        known = section.known(entry.name) if entry.name is not None else None
        if known is None:
            _unknown(entry, section, report, ours=ours)
            continue
        elements[known.name] = entry.element
        if not isinstance(known.rule, Nested):
            _read_value(entry.element, known, values, report)
    return Reading(values, elements)


def _read_value(element: Element, known: Field, values: dict[str, Any], report: Report) -> None:
    if element.kind != "scalar":
        report.add(element.problem(known.rule.accepted))
        return
    value = element.scalar()
    try:
        values[known.name] = known.rule.read(value)
    except Rejected as rejected:
        hint = rejected.hint
        if value is None:
            hint = known.null_hint or "write a value, or remove the line for the default"
        found = f"found {HIDDEN}" if rejected.hide else rejected.found or None
        report.add(element.problem(rejected.accepted or known.rule.accepted, found=found, hint=hint))


def _report_repeated(element: Element, entries: Entries, section: Section, report: Report, *, ours: bool) -> None:
    for name, first, second in entries.repeated:
        if ours or section.known(name):
            report.add(
                Problem(
                    file=element.file,
                    line=second,
                    key=f"{element.path}.{name}" if element.path else name,
                    found=f"is written twice, on line {first} and on line {second}",
                    accepted="each key once",
                    hint="the core would take the last one without a word: remove one" if not ours else "remove one",
                )
            )


def _unknown(entry: Entry, section: Section, report: Report, *, ours: bool) -> None:
    name = entry.name
    if name is not None and name in section.ignored:
        return
    element = entry.element
    variable = f"{name}_env"
    instead = f"name the variable that holds it in {variable}" if section.known(variable) else "keep it out of this file"
    if name is not None and name.casefold() in SECRET_NAMES:
        if ours:
            report.add(
                element.problem(
                    "secrets in environment variables only",
                    found="found a secret written into the file (not shown)",
                    hint=instead,
                )
            )
        elif section.path != "":
            report.warn(f"{element.file}:{element.line}: {element.path}: the core does not read secrets from its file; {instead}")
    elif ours:
        accepted = f"the keys {', '.join(section.names)}"
        shown = quoted(name) if name is not None else entry.shown
        hint = section.elsewhere.get(name or "") or did_you_mean(name or "", section.names)
        report.add(element.problem(accepted, found=f"unknown key {shown}", hint=hint))
    elif name is not None and (meant := nearest(name, section.names, cutoff=_SLIP)):
        place = f"{element.file}:{element.line}: {element.path}"
        report.warn(f"{place}: the core does not know this key and ignores it; did you mean {meant}?")
