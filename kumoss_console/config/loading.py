"""From files and environment to contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kumoss_console.config.console import DEFAULT_NAME, ConsoleSpec, ContextSpec, CoreSources, read_console
from kumoss_console.config.core import CoreSettings, read_core
from kumoss_console.config.credentials import bearer_token, storage_credentials
from kumoss_console.config.discovery import (
    CORE_VARIABLE,
    CURRENT_FOLDER,
    core_candidate,
    exists,
    expanded,
    find_console_file,
    foreign_owner,
    is_file,
    listed,
)
from kumoss_console.config.document import Unreadable, read_document
from kumoss_console.config.elements import Element
from kumoss_console.config.loaded import ConfigFile, LoadedConfig
from kumoss_console.config.report import Problem, Report
from kumoss_console.config.rootfile import RootFile, classify
from kumoss_console.model.context import AzureSettings, Context
from kumoss_console.text import printable


def load(*, config: Path | None, environ: Mapping[str, str], cwd: Path) -> LoadedConfig:
    """See :func:`kumoss_console.config.load`."""
    loading = _Loading(environ=environ, cwd=cwd)
    console = loading.console(config)
    loading.report.raise_if_any()
    contexts = tuple(loading.context(spec) for spec in console.contexts)
    return LoadedConfig(
        contexts=contexts,
        default=console.default,
        journal=console.journal,
        files=tuple(loading.files),
        warnings=tuple(loading.report.warnings),
    )


def _one(core: CoreSettings) -> ConsoleSpec:
    """The one context there is where no console's section names any."""
    return ConsoleSpec(contexts=(ContextSpec(name=DEFAULT_NAME, core=core),), default=DEFAULT_NAME)


@dataclass(slots=True)
class _Loading:
    """One run of loading: what was read so far, and what was wrong with it."""

    environ: Mapping[str, str]
    cwd: Path
    report: Report = field(default_factory=Report)
    files: list[ConfigFile] = field(default_factory=list)
    read: dict[Path, CoreSettings] = field(default_factory=dict)

    def console(self, config: Path | None) -> ConsoleSpec:
        try:
            found, looked_at = find_console_file(config, self.environ, self.cwd)
            self.files += looked_at
            root = None if found is None else classify(found.path, read_document(found.path), self.report)
        except Unreadable as error:
            self.report.add(error.problem)
            return ConsoleSpec(contexts=(), default=DEFAULT_NAME)
        if found is None or root is None:
            return _one(self._core_file())
        if found.found_by == CURRENT_FOLDER and foreign_owner(found.path):
            self.report.warn(
                f"{printable(str(found.path))} was found in the current folder and can be written by others: it decides where "
                "the token and the keys are sent; name your own file with --config"
            )
        if root.console is None:
            self.files[-1] = replace(self.files[-1], role="core")
            return _one(self._embedded(found.path, root))
        sources = CoreSources(
            named=lambda element, path, name: self._named(found.path.parent, element, path, name),
            shared=lambda: self._embedded(found.path, root) if root.core is not None else self._core_file(),
        )
        return read_console(root.console, sources, self.report)

    def context(self, spec: ContextSpec) -> Context:
        """Resolve the secrets and put the context together."""
        core = spec.core

        def warn(sentence: str) -> None:
            self.report.warn(f"context {spec.name}: {sentence}")

        iac = core.iac if spec.poll_interval is None else replace(core.iac, job_poll_interval=spec.poll_interval)
        return Context(
            name=spec.name,
            storage=core.storage,
            credentials=storage_credentials(core.storage, self.environ, warn, spec.values.get("azure", AzureSettings())),
            iac=iac,
            token=bearer_token(core.iac, self.environ, warn),
            paths=core.paths,
            core_file=core.file,
            **spec.values,
        )

    def _core_file(self) -> CoreSettings:
        """The core's file that stands for every context that names none; the core's defaults where there is no file."""
        candidate = core_candidate(self.environ, self.cwd)
        there = is_file(candidate.path)
        self._note(listed(candidate.path, "core", candidate.found_by, there=there))
        if there:
            return self._read(candidate.path)
        if candidate.demanded:
            what = "is no file" if exists(candidate.path) else "does not exist"
            self.report.warn(
                f"{CORE_VARIABLE} names {printable(str(candidate.path))}, which {what}: the core takes its defaults then without "
                "a word, and so does this console; mend the path"
            )
        return CoreSettings()

    def _embedded(self, path: Path, root: RootFile) -> CoreSettings:
        """The core's settings out of the very file that was found as the console's."""
        named = self.environ.get(CORE_VARIABLE)
        if named and (self.cwd / named).resolve() != path.resolve():
            self.report.warn(
                f"{CORE_VARIABLE} names {printable(named)}, which is not read: "
                f"{printable(str(path))} holds the core's own settings"
            )
        if path not in self.read:
            self.read[path] = CoreSettings(file=str(path))
            if root.core is not None:
                self.read[path] = read_core(root.core, self.report, file=str(path))
        return self.read[path]

    def _named(self, folder: Path, element: Element, text: str, context: str) -> CoreSettings:
        path = folder / expanded(text, self.environ)
        there = exists(path)
        self._note(listed(path, "core", f"context {context}", there=there))
        if not there:
            place = f"{printable(str(path))} does not exist"
            self.report.add(
                element.problem("the path of a core configuration file", hint=f"{place}; it is relative to {element.file}")
            )
            return CoreSettings()
        return self._read(path)

    def _read(self, path: Path) -> CoreSettings:
        if path not in self.read:
            self.read[path] = CoreSettings(file=str(path))
            try:
                root = read_document(path)
                if root is not None and root.kind == "mapping":
                    self.read[path] = read_core(root, self.report, file=str(path))
                elif root is not None and not (root.kind == "scalar" and root.scalar() is None):
                    self.report.add(_no_mapping(root))
            except Unreadable as error:
                self.report.add(error.problem)
        return self.read[path]

    def _note(self, file: ConfigFile) -> None:
        if file not in self.files:
            self.files.append(file)


def _no_mapping(root: Element) -> Problem:
    return root.problem("the core's configuration: a mapping with storage, services, paths and the like")
