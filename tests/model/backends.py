"""Workspaces of a few lines, for tests of the backend model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kumoss_console.model.backend import EffectiveBackend, Entry, Snapshot, effective_backend, parse_engine
from kumoss_console.model.backend.result import Binding
from kumoss_console.text import Secret

Files = Mapping[str, str | bytes]


def local(path: str) -> str:
    return f'terraform {{\n  backend "local" {{\n    path = {path}\n  }}\n}}\n'


def s3(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in ('bucket = "b"', 'key = "k"', 'region = "r"', *lines))
    return f'terraform {{\n  backend "s3" {{\n{body}  }}\n}}\n'


def entries(files: Files) -> tuple[Entry, ...]:
    return tuple(Entry(name=name, raw=text.encode() if isinstance(text, str) else text) for name, text in files.items())


def read(
    files: Files,
    engine: str = "tofu",
    *,
    options: Sequence[str] = (),
    option_files: Files | None = None,
    environ: Mapping[str, str] | None = None,
    selected: str = "default",
) -> EffectiveBackend:
    given = {entry.name: entry for entry in entries(option_files or {})}
    snapshot = Snapshot(folder="ws", entries=entries(files), options=given, selected=selected)
    return effective_backend(snapshot, parse_engine(engine), options=options, environ=environ)


def plain(value: object) -> object:
    if isinstance(value, Secret):
        return value.reveal()
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def values(binding: Binding | None) -> dict[str, object]:
    return {attribute.name: plain(attribute.value) for attribute in (binding.attributes if binding else ())}


def errors(effective: EffectiveBackend) -> list[tuple[str, str]]:
    return [(problem.summary, problem.at) for problem in effective.problems if problem.kind == "error"]
