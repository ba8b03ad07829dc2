"""The remotes that a repository's own ``config`` names, and the https URL of each. Git itself is not asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kumoss_console.errors import InputError
from kumoss_console.model.repository import read_repository
from kumoss_console.model.spelling import recognise
from kumoss_console.model.twins import as_url

_SECTION = re.compile(r'\[\s*(?P<name>[A-Za-z0-9.-]+)\s*(?:"(?P<sub>(?:[^"\\]|\\.)*)")?\s*\]')
_PORT_IN_SCP = re.compile(r"(?:[^@/\s]+@)?[^:/@\s\[\]]+:(?P<port>[0-9]+)/")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}
_INSTEAD = "insteadof"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """``repo`` is the first hashed line (``host/path``) of the remote, ``url`` the https URL that gives it."""

    name: str
    repo: str
    url: str


def remotes_of(config: str) -> tuple[Remote, ...]:
    """The remotes that can have a key, in file order, each repository once. A local remote has none."""
    settings = tuple(_settings(config))
    rewrites = [(value, base) for section, base, name, value in settings if section == "url" and name == _INSTEAD and value]
    found: dict[str, Remote] = {}
    for section, remote, name, value in settings:
        if section == "remote" and name in {"url", "pushurl"}:
            for repo in repositories_of(_rewritten(value, rewrites)):
                found.setdefault(repo, Remote(name=remote, repo=repo, url=as_url(repo)))
    return tuple(found.values())


def repositories_of(url: str) -> tuple[str, ...]:
    """``host/path`` of a remote's URL in any of git's spellings; two where digits may be a port or a folder, none for a path."""
    text = url.strip()
    spellings: list[str | None] = [text] if text[:8].lower() == "https://" else [recognise(text).https]
    if (match := _PORT_IN_SCP.match(text)) and "://" not in text:
        spellings.append(recognise(text.replace(f":{match['port']}/", ":", 1)).https)
    return tuple(dict.fromkeys(repo for spelling in spellings if spelling and (repo := _repository(spelling))))


def _repository(https: str) -> str | None:
    try:
        return read_repository(https).value
    except InputError:
        return None


def _rewritten(url: str, rewrites: list[tuple[str, str]]) -> str:
    """``url.BASE.insteadOf``: the longest beginning that fits is replaced."""
    begin, base = max(((begin, base) for begin, base in rewrites if url.startswith(begin)), key=_length, default=("", ""))
    return base + url.removeprefix(begin) if begin else url


def _length(rewrite: tuple[str, str]) -> int:
    return len(rewrite[0])


def _settings(config: str) -> Iterator[tuple[str, str, str, str]]:
    """(section, subsection, name, value) as git reads them; a line that git would refuse is passed over."""
    section, sub = "", ""
    for line in _joined(config):
        text = line.strip()
        if match := _SECTION.match(text):
            section, sub = match["name"].lower(), re.sub(r"\\(.)", r"\1", match["sub"] or "")
            text = text[match.end() :].strip()
        name, equals, value = text.partition("=")
        if equals and not text.startswith(("#", ";")):
            yield section, sub, name.strip().lower(), _value(value)


def _joined(config: str) -> Iterator[str]:
    """Lines, with those that end in a backslash taken together."""
    begun = ""
    for line in config.removeprefix("\ufeff").splitlines():
        if len(line) - len(line.rstrip("\\")) & 1:
            begun += line[:-1]
        else:
            yield begun + line
            begun = ""
    yield begun


def _value(text: str) -> str:
    """A value without its quotes and comment, its escapes resolved."""
    kept: list[str] = []
    quoted = False
    blanks = ""
    chars = iter(text.strip())
    for char in chars:
        if char == "\\":
            escaped = next(chars, "")
            char = _ESCAPES.get(escaped, escaped)
        elif char == '"':
            quoted = not quoted
            continue
        elif not quoted and char in "#;":
            break
        elif not quoted and char in " \t":
            blanks += char
            continue
        kept.append(blanks + char)
        blanks = ""
    return "".join(kept)
