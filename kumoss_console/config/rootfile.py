"""What a configuration file is: a console file, the core's file, or the core's file with a ``console`` section."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kumoss_console.config.console_tables import CONSOLE
from kumoss_console.config.core_tables import CORE_SECTIONS
from kumoss_console.config.elements import Element, Entries
from kumoss_console.config.nearest import nearest
from kumoss_console.config.report import Problem, Report
from kumoss_console.config.sections import entries_of
from kumoss_console.text import printable

SECTION = "console"

_SHAPE = "a console file, whose one top-level key is console:, or the core's config.yaml, with or without a console: section"


@dataclass(frozen=True, slots=True)
class RootFile:
    """``console`` is the console section, ``core`` the whole file where it has sections of the core's."""

    console: Element | None
    core: Element | None


def classify(path: Path, root: Element | None, report: Report) -> RootFile | None:
    """What the file holds; ``None`` for a file that sets nothing, with a warning, or that is neither, with a problem."""
    if root is None or (root.kind == "scalar" and root.scalar() is None):
        report.warn(f"{printable(str(path))} sets nothing: it is empty but for comments")
        return None
    report.meet(root.file)
    entries = entries_of(root, _SHAPE, report)
    if not entries.entries:
        return None
    for name, first, second in entries.repeated:
        if name == SECTION:
            found = f"is written twice, on line {first} and on line {second}"
            report.add(Problem(file=root.file, line=second, key=name, found=found, accepted="each key once"))
    console = entries.get(SECTION)
    core = root if CORE_SECTIONS.intersection(entries.names()) else None
    _report_misplaced(entries, report)
    if console is None:
        _look_for_slip(root, entries, core, report)
        if core is None:
            return None
    return RootFile(console, core)


def _report_misplaced(entries: Entries, report: Report) -> None:
    """Keys of ours at the top level, where they would be read by nobody."""
    for entry in entries.entries:
        if entry.name in CONSOLE.names:
            accepted = f"{entry.name} below console:"
            hint = "begin the file with console: and indent what is in it now"
            report.add(entry.element.problem(accepted, found="stands at the top level, where nobody reads it", hint=hint))


def _look_for_slip(root: Element, entries: Entries, core: Element | None, report: Report) -> None:
    written = next((name for name in entries.names() if nearest(name, [SECTION], cutoff=0.75)), None)
    if core is not None:
        if written is not None:
            report.warn(f"{root.file}: nobody reads the key {printable(written)}; did you mean {SECTION}?")
        return
    if any(entry.name in CONSOLE.names for entry in entries.entries):
        return
    keys = ", ".join(entry.shown for entry in entries.entries[:5])
    hint = f"did you mean {SECTION} where it says {printable(written)}?" if written else "begin the file with console:"
    report.add(root.problem(_SHAPE, found=f"is no configuration of either kind: its keys are {keys}", hint=hint))
