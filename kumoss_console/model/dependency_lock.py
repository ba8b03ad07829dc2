"""``.terraform.lock.hcl``: which provider versions a directory is pinned to.

The file is HCL, of which the engines write a small and fixed part: ``provider "SOURCE" { version, constraints, hashes }``. That
part is read here; anything else makes the file unreadable, as it does for the engines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kumoss_console.model.finding import Finding, Severity

_TOKEN = re.compile(
    r"""
    (?P<skip> [\ \t\r\n]+ | \#[^\n]* | //[^\n]* | /\*.*?\*/ )
    | (?P<text> "(?:[^"\\\n]|\\.)*" )
    | (?P<word> [A-Za-z_][\w-]* )
    | (?P<mark> [{}\[\]=,] )
    """,
    re.DOTALL | re.VERBOSE,
)
_SOURCE = re.compile(r"[^/\s]+\.[^/\s]+/[^/\s]+/[^/\s]+\Z")
_TERRAFORM_HOST = "registry.terraform.io"
_OPENTOFU_HOST = "registry.opentofu.org"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderLock:
    """One provider. ``h1`` and ``zh`` count the hashes of each scheme: h1 is per platform, zh per published archive."""

    source: str
    version: str
    constraints: str | None
    h1: int
    zh: int

    @property
    def host(self) -> str:
        return self.source.partition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyLock:
    """``error`` is what an engine says of a file it refuses, ``None`` for a file it takes; an empty file is valid."""

    providers: tuple[ProviderLock, ...] = ()
    error: str | None = None
    findings: tuple[Finding, ...] = ()


class _Refused(Exception):
    pass


def parse_dependency_lock(text: str) -> DependencyLock:
    """The providers a dependency lock file pins, or why an engine refuses it."""
    try:
        providers = tuple(_providers(list(_tokens(text))))
    except _Refused as refused:
        return DependencyLock(
            error=str(refused),
            findings=(
                Finding(
                    code="dependency_lock.unreadable",
                    severity=Severity.ERROR,
                    subject=".terraform.lock.hcl",
                    message=str(refused),
                    remedy="delete the file and run init again, then review the versions it pins",
                ),
            ),
        )
    return DependencyLock(providers=providers, findings=tuple(_findings(providers)))


def _tokens(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise _Refused(f"Invalid character: line {text.count(chr(10), 0, position) + 1}")
        if found.lastgroup != "skip":
            yield found[0]
        position = found.end()


def _providers(tokens: list[str]) -> Iterator[ProviderLock]:
    seen: set[str] = set()
    reader = iter(tokens)
    for word in reader:
        if word != "provider":
            raise _Refused(f"Unsupported block type: {word}")
        source = _text(_next(reader))
        _expect(reader, "{")
        provider = _provider(source, dict(_arguments(reader)))
        if source in seen:
            raise _Refused(f"Duplicate provider lock: this lockfile already declared a lock for provider {source}")
        seen.add(source)
        yield provider


def _arguments(reader: Iterator[str]) -> Iterator[tuple[str, list[str]]]:
    while (name := _next(reader)) != "}":
        _expect(reader, "=")
        value = _next(reader)
        yield name, list(_list(reader)) if value == "[" else [_text(value)]


def _list(reader: Iterator[str]) -> Iterator[str]:
    while (item := _next(reader)) != "]":
        if item != ",":
            yield _text(item)


def _provider(source: str, arguments: dict[str, list[str]]) -> ProviderLock:
    if not _SOURCE.match(source):
        raise _Refused(
            "failed to read dependency lock file: Non-normalized provider source address: "
            f"{source} must be written as HOST/NAMESPACE/TYPE"
        )
    if not arguments.get("version"):
        raise _Refused('Missing required argument: The argument "version" is required, but no definition was found.')
    hashes = arguments.get("hashes", [])
    constraints = arguments.get("constraints")
    return ProviderLock(
        source=source,
        version=arguments["version"][0],
        constraints=constraints[0] if constraints else None,
        h1=sum(item.startswith("h1:") for item in hashes),
        zh=sum(item.startswith("zh:") for item in hashes),
    )


def _findings(providers: tuple[ProviderLock, ...]) -> Iterator[Finding]:
    hosts = {provider.host for provider in providers}
    if {_TERRAFORM_HOST, _OPENTOFU_HOST} <= hosts:
        yield Finding(
            code="dependency_lock.two_engines",
            severity=Severity.WARNING,
            subject=".terraform.lock.hcl",
            message="entries of both registries: the directory is used with Terraform and with OpenTofu",
            remedy="settle for one engine, then run its init -upgrade once",
        )
    for provider in providers:
        if provider.h1 + provider.zh == 0:
            yield Finding(
                code="dependency_lock.no_hashes",
                severity=Severity.INFO,
                subject=provider.source,
                message="no hashes: what is downloaded is not verified against this file",
                remedy="run init once, or providers lock for every platform in use",
            )
        elif provider.zh == 0 and provider.h1 == 1:
            yield Finding(
                code="dependency_lock.one_platform",
                severity=Severity.INFO,
                subject=provider.source,
                message="a single h1 hash: init succeeds on the platform that wrote the file and fails on others",
                remedy="run providers lock with every -platform in use",
            )


def _next(reader: Iterator[str]) -> str:
    token = next(reader, None)
    if token is None:
        raise _Refused("Unclosed configuration block: the file ends early")
    return token


def _expect(reader: Iterator[str], mark: str) -> None:
    found = _next(reader)
    if found != mark:
        raise _Refused(f'Invalid expression: "{mark}" expected, found {found}')


def _text(token: str) -> str:
    if not token.startswith('"'):
        raise _Refused(f"Invalid expression: a quoted text expected, found {token}")
    return re.sub(r"\\(.)", r"\1", token[1:-1])
