"""The ``console`` section: contexts, known projects, intervals, the workspaces root."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kumoss_console.config.console_tables import AZURE, CLONE, CONSOLE, CONTEXT, JOURNAL, LOCKS, SCOPE, SIDECAR
from kumoss_console.config.core import CoreSettings, read_sections
from kumoss_console.config.elements import Element
from kumoss_console.config.nearest import did_you_mean
from kumoss_console.config.projects import read_projects
from kumoss_console.config.report import Problem, Report
from kumoss_console.config.sections import Reading, read_section
from kumoss_console.config.texts import read_texts
from kumoss_console.model.context import AzureSettings, LockSettings
from kumoss_console.model.journal import JournalSettings

DEFAULT_NAME = "default"
"""The name of the one context there is where nobody named any."""

_INLINE = ("storage", "services", "paths")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSpec:
    """A context as written: the core's settings and the keyword arguments of :class:`~kumoss_console.model.context.Context`."""

    name: str
    core: CoreSettings
    poll_interval: float | None = None
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CoreSources:
    """Where a context's core settings come from: the file it names, or the one that stands for all others."""

    named: Callable[[Element, str, str], CoreSettings]
    """Called with the ``config`` element, its text and the context's name."""
    shared: Callable[[], CoreSettings]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSpec:
    """What the console's own section says: the contexts in file order, at least one, and the name of the default one."""

    contexts: tuple[ContextSpec, ...]
    default: str
    journal: JournalSettings = field(default_factory=JournalSettings)


def read_console(section: Element, sources: CoreSources, report: Report) -> ConsoleSpec:
    """The section as it is written, every fault of it reported."""
    reading = read_section(section, CONSOLE, report, ours=True)
    shared = _shared_values(reading, report)
    specs: list[ContextSpec] = []
    lines: dict[str, int] = {}
    contexts = reading.elements.get("contexts")
    for element in _list_of(contexts, report):
        spec = _read_context(element, shared, sources, report)
        if spec is None:
            continue
        if spec.name in lines:
            found = f"the name {spec.name} is also that of the context on line {lines[spec.name]}"
            report.add(element.problem("a name of its own for each context", found=found))
            continue
        lines[spec.name] = element.line
        specs.append(spec)
    if contexts is None:
        specs.append(_spec(DEFAULT_NAME, sources.shared(), shared))
    default = _default(reading, tuple(spec.name for spec in specs), report)
    journal = read_section(reading.elements.get("journal"), JOURNAL, report, ours=True)
    return ConsoleSpec(contexts=tuple(specs), default=default, journal=JournalSettings(**journal.values))


def _default(reading: Reading, names: tuple[str, ...], report: Report) -> str:
    wanted: str | None = reading.values.get("default_context")
    if wanted is None or wanted in names or not names:
        return wanted or next(iter(names), DEFAULT_NAME)
    element = reading.elements["default_context"]
    report.add(element.problem(f"one of the contexts {', '.join(names)}", hint=did_you_mean(wanted, names)))
    return names[0]


def _list_of(contexts: Element | None, report: Report) -> Iterator[Element]:
    if contexts is None:
        return
    if contexts.kind != "list":
        report.add(contexts.problem("a list of contexts, each with a name", hint="begin each context with - name: NAME"))
    elif not contexts.items():
        report.add(
            contexts.problem("at least one context", found="is empty", hint="remove the key for one context named default")
        )
    else:
        yield from contexts.items()


def _read_context(element: Element, shared: dict[str, Any], sources: CoreSources, report: Report) -> ContextSpec | None:
    reading = read_section(element, CONTEXT, report, ours=True)
    own = _shared_values(reading, report)
    sidecar = read_section(reading.elements.get("sidecar"), SIDECAR, report, ours=True)
    locks = read_section(reading.elements.get("locks"), LOCKS, report, ours=True)
    azure = read_section(reading.elements.get("azure"), AZURE, report, ours=True)
    if element.kind == "mapping" and "name" not in reading.elements:
        report.add(_missing(element, "name", "a context needs a name", f"the keys {', '.join(CONTEXT.names)}"))
    name: str | None = reading.values.get("name")
    core = _core_of(reading, name or "", sources, report)
    if name is None:
        return None
    values = {
        **shared,
        **own,
        **{key: (*shared.get(key, ()), *own.get(key, ())) for key in ("projects", "clones", "scopes")},
        **{key: reading.values[key] for key in ("read_only", "colour") if key in reading.values},
        **sidecar.values,
        **({"locks": LockSettings(**locks.values)} if locks.values else {}),
        **({"azure": AzureSettings(**azure.values)} if azure.values else {}),
    }
    return _spec(name, core, values)


def _core_of(reading: Reading, name: str, sources: CoreSources, report: Report) -> CoreSettings:
    config = reading.elements.get("config")
    inline = {key: reading.elements[key] for key in _INLINE if key in reading.elements}
    if config is not None and inline:
        given = " and ".join(inline)
        found = f"is given together with inline {given}"
        report.add(config.problem("either config or inline settings", found=found, hint=f"remove config, or {given}"))
    settings = CoreSettings()
    if inline:
        settings = read_sections(inline.get("storage"), inline.get("services"), inline.get("paths"), report, ours=True)
    if config is not None:
        path = reading.values.get("config")
        return sources.named(config, path, name) if path is not None else settings
    return settings if inline else sources.shared()


def _shared_values(reading: Reading, report: Report) -> dict[str, Any]:
    """The settings that a context takes over from the console section where it does not have its own; lists are added to."""
    keys = ("refresh_interval", "poll_interval", "workspaces_root")
    values: dict[str, Any] = {key: reading.values[key] for key in keys if key in reading.values}
    listed: dict[str, tuple[Any, ...]] = {
        "projects": read_projects(reading.elements.get("projects"), report),
        "clones": read_texts(reading.elements.get("clones"), CLONE, "folders", report),
        "scopes": read_texts(reading.elements.get("scopes"), SCOPE, "scope ids", report),
    }
    return {**values, **{key: found for key, found in listed.items() if found}}


def _spec(name: str, core: CoreSettings, values: dict[str, Any]) -> ContextSpec:
    rest = dict(values)
    return ContextSpec(name=name, core=core, poll_interval=rest.pop("poll_interval", None), values=rest)


def _missing(element: Element, key: str, found: str, accepted: str) -> Problem:
    return Problem(file=element.file, line=element.line, key=f"{element.path}.{key}", found=found, accepted=accepted)
