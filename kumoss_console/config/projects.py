"""Known projects: repository, scope and path of what is expected in the bucket."""

from __future__ import annotations

from kumoss_console.config.console_tables import PROJECT
from kumoss_console.config.elements import Element
from kumoss_console.config.report import HIDDEN, Problem, Report
from kumoss_console.config.sections import read_section
from kumoss_console.errors import InputError
from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Severity
from kumoss_console.model.project import derive
from kumoss_console.text import printable

# A repository, scope and path that are always right: each field is tried with the others standing in.
_SOUND = {"repo": "https://host/repository", "scope": "scope", "path": ""}


def read_projects(element: Element | None, report: Report) -> tuple[KnownProject, ...]:
    """The projects of a list. One that the core would not take is a fault; one that is listed twice is a warning."""
    if element is None:
        return ()
    if element.kind != "list":
        hint = "begin each project with - repo: URL"
        report.add(element.problem("a list of projects, each with repo and scope", hint=hint))
        return ()
    projects: list[KnownProject] = []
    seen: dict[str, Element] = {}
    for item in element.items():
        project = _read_project(item, report)
        if project is None:
            continue
        projects.append(project)
        key = derive(project.repo, project.scope, project.path)
        place = f"{item.file}:{item.line}: {item.path}"
        for finding in key.findings:
            if finding.severity is not Severity.INFO:
                report.warn(f"{place}: {printable(finding.message)}")
        first = seen.setdefault(key.project_id, item)
        if first is not item:
            report.warn(f"{place} is the same project as the one on line {first.line}")
    return tuple(projects)


def _read_project(item: Element, report: Report) -> KnownProject | None:
    before = len(report.problems)
    reading = read_section(item, PROJECT, report, ours=True)
    if item.kind != "mapping":
        return None
    for required in ("repo", "scope"):
        if required not in reading.elements:
            accepted = "repo and scope, and optionally path, provider and name"
            found = f"a project needs a {required}"
            report.add(Problem(file=item.file, line=item.line, key=f"{item.path}.{required}", found=found, accepted=accepted))
    for name in _SOUND:
        if name in reading.values:
            _check_part(name, reading.values[name], reading.elements[name], report)
    return KnownProject(**reading.values) if len(report.problems) == before else None


def _check_part(name: str, value: str, element: Element, report: Report) -> None:
    if name == "repo" and "@" in value.partition("://")[2].partition("/")[0]:
        hint = "leave the user name, password or token out of the URL"
        report.add(element.problem("an https:// URL of a repository", found=f"found {HIDDEN}", hint=hint))
        return
    try:
        derive(**{**_SOUND, name: value})
    except InputError as error:
        accepted = next(field.rule.accepted for field in PROJECT.fields if field.name == name)
        report.add(element.problem(accepted, found=f"{element.found}: {error.title}", hint=error.hint))
