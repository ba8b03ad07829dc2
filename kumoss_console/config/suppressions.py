"""The file of suppressions: what discovery is not to tell again, why, by whose decision and until when.

Every fault of the file is refused with its line: a suppression that is misread would hide what nobody meant to hide.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from kumoss_console.config.discovery import exists
from kumoss_console.config.document import Unreadable, read_document
from kumoss_console.config.elements import Element
from kumoss_console.config.fields import Field, Section
from kumoss_console.config.report import Problem, Report
from kumoss_console.config.rules import Choice, Nested, Text
from kumoss_console.config.sections import entries_of, read_section
from kumoss_console.config.xdg import config_dir
from kumoss_console.errors import ConfigError
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.suppressions import Suppression

FILE = "suppressions.yaml"
"""Its name in the console's configuration folder."""

_DATE = "the last day it holds, as 2027-01-31"
_ROOT = Section(
    path="",
    fields=(Field(name="suppressions", rule=Nested(accepted="a list of suppressions"), doc="What is not told again."),),
)
_ONE = Section(
    path="suppressions[]",
    fields=(
        Field(name="pattern", rule=Text(accepted="an identifier, * for any text", at_least=1), doc="Identifiers it covers."),
        Field(name="reason", rule=Text(accepted="why, in words", at_least=1, trimmed=True), doc="Why."),
        Field(name="author", rule=Text(accepted="who decided it", at_least=1, trimmed=True), doc="Who decided."),
        Field(name="expires", rule=Nested(accepted=_DATE), doc="The last day it holds."),
        Field(
            name="provider",
            rule=Choice(spellings={provider.value: provider for provider in CloudProvider}),
            doc="Only on this cloud.",
        ),
    ),
)
_REQUIRED = ("pattern", "reason", "author")


def suppressions_file(environ: Mapping[str, str]) -> Path:
    """Where the file is looked for when none is named."""
    return config_dir(environ) / FILE


def load_suppressions(environ: Mapping[str, str], named: Path | None = None) -> tuple[Suppression, ...]:
    """Those of the file ``named``, which must exist, else of the configuration folder's, which need not.

    Raises :class:`~kumoss_console.errors.ConfigError` with file and line.
    """
    if named is None:
        try:
            file = suppressions_file(environ)
        except ConfigError:  # a user without a home has no such folder, and so no file in it
            return ()
        if not exists(file):
            return ()
    else:
        file = named
    report = Report()
    try:
        root = read_document(file)
    except Unreadable as error:
        report.add(error.problem)
        root = None
    found = _read(root, report) if root is not None else ()
    report.raise_if_any()
    return found


def _read(root: Element, report: Report) -> tuple[Suppression, ...]:
    reading = read_section(root, _ROOT, report, ours=True)
    listed = reading.elements.get("suppressions")
    if listed is None:
        if root.kind == "mapping" and not report.problems:
            report.add(root.problem("the key suppressions with a list", found="holds no suppressions"))
        return ()
    if listed.kind != "list":
        if not (listed.kind == "scalar" and listed.scalar() is None):
            report.add(listed.problem("a list of suppressions", hint="begin each with - pattern: TEXT"))
        return ()
    found = (_one(item, report) for item in listed.items())
    return tuple(one for one in found if one is not None)


def _one(item: Element, report: Report) -> Suppression | None:
    before = len(report.problems)
    reading = read_section(item, _ONE, report, ours=True)
    if item.kind != "mapping":
        return None
    for name in _REQUIRED:
        if name not in {entry.name for entry in entries_of(item, "a mapping", report).entries}:
            accepted = "pattern, reason and author, and optionally expires and provider"
            found = f"a suppression needs {'an' if name == 'author' else 'a'} {name}"
            report.add(Problem(file=item.file, line=item.line, key=f"{item.path}.{name}", found=found, accepted=accepted))
    expires = _date(reading.elements.get("expires"), report)
    if len(report.problems) > before:
        return None
    return Suppression(**reading.values, expires=expires, place=f"{item.file}:{item.line}")


def _date(element: Element | None, report: Report) -> date | None:
    if element is None:
        return None
    if element.kind == "scalar":
        try:
            # YAML has dates of its own: what is written counts, in quotes or not.
            return date.fromisoformat(str(element.node.value))
        except ValueError:
            pass
    report.add(element.problem(_DATE, hint="leave the line out for one without an end"))
    return None
