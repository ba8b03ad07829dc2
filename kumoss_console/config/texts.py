"""Lists of texts: folders, scope ids."""

from __future__ import annotations

from kumoss_console.config.elements import Element
from kumoss_console.config.report import Report
from kumoss_console.config.rules import Rejected, Text


def read_texts(element: Element | None, rule: Text, what: str, report: Report) -> tuple[str, ...]:
    """The texts of a list, each once, in order; every fault reported at its own line. ``what`` names them in the plural."""
    if element is None:
        return ()
    if element.kind != "list":
        report.add(element.problem(f"a list of {what}", hint="begin each line with a hyphen"))
        return ()
    texts: list[str] = []
    for item in element.items():
        if item.kind != "scalar":
            report.add(item.problem(rule.accepted))
            continue
        try:
            texts.append(rule.read(item.scalar()))
        except Rejected as rejected:
            report.add(item.problem(rejected.accepted or rule.accepted, found=rejected.found or None, hint=rejected.hint))
    return tuple(dict.fromkeys(texts))
