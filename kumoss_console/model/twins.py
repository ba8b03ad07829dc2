"""Near-misses of a project: spellings of what may be the same thing that give another key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address
from posixpath import normpath
from urllib.parse import quote, unquote

from kumoss_console.model.project import ProjectKey, digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A spelling with another key. ``repo`` is an https URL, all three can be typed as they are; ``why`` tells them apart."""

    why: str
    repo: str
    scope: str
    path: str
    project_id: str


def twins(key: ProjectKey) -> tuple[Twin, ...]:
    """The near-misses of ``key``, likeliest first, each with a key of its own."""
    found: dict[str, Twin] = {}
    for why, repo, path in (*_path_twins(key), *_repository_twins(key)):
        project_id = digest(repo, key.scope, path)
        if project_id != key.project_id and project_id not in found:
            found[project_id] = Twin(why=why, repo=as_url(repo), scope=key.scope, path=_typed(path), project_id=project_id)
    return tuple(found.values())


def as_url(repo: str) -> str:
    """An https URL that normalises to ``repo`` (a ``host/path``)."""
    host, _, path = repo.partition("/")
    address = f"[{host}]" if ":" in host else host
    # A '.git' or a blank at the end, and parameters in the last segment, would be dropped again.
    if path.endswith(".git"):
        path = f"{path.removesuffix('.git')}.GIT"
    elif path != path.rstrip():
        path = f"{path}.git"
    return f"https://{address}/{path}{'/' if ';' in path.rpartition('/')[2] else ''}"


def _typed(path: str) -> str:
    """A path that normalises to ``path``: blanks at its ends only survive between slashes."""
    return path if path == path.strip() else f"/{path}/"


def _path_twins(key: ProjectKey) -> Iterator[tuple[str, str, str]]:
    if key.path in {"", "."}:
        other = "" if key.path else "."
        yield f"the root spelled {'.' if other else 'as an empty path'}", key.repo, other
    yield "the path in lower case", key.repo, key.path.lower()
    if ".." in key.path.split("/"):
        yield "the path with '..' resolved", key.repo, normpath(key.path)
    if "\\" in key.path:
        yield "the path with slashes for backslashes", key.repo, _tidy(key.path.replace("\\", "/"))
    yield "the path without blanks around its segments", key.repo, _tidy("/".join(map(str.strip, key.path.split("/"))))


def _tidy(path: str) -> str:
    segments = [segment for segment in path.strip().strip("/").split("/") if segment not in {"", "."}]
    return "/".join(segments) or ("." if path else "")


def _repository_twins(key: ProjectKey) -> Iterator[tuple[str, str, str]]:
    host, _, path = key.repo.partition("/")
    if path.endswith(".git"):
        yield "the repository without .git", f"{host}/{path.removesuffix('.git').strip('/')}", key.path
    elif path:
        yield "the repository spelled with .GIT", f"{host}/{path}.git", key.path
    if ":" not in host:
        dotted = host.rstrip(".") if host.endswith(".") else f"{host}."
        yield f"the host {'without' if host.endswith('.') else 'with'} the root dot of DNS", f"{dotted}/{path}", key.path
        yield "the host in its other script", f"{_other_script(host)}/{path}", key.path
    else:
        yield "the address in its short form", f"{IPv6Address(host).compressed}/{path}", key.path
    yield "the repository without duplicate slashes", f"{host}/{_single_slashes(path)}", key.path
    if any(segment in {".", ".."} for segment in path.split("/")):
        yield "the repository with dot segments resolved", f"{host}/{normpath('/' + path).strip('/')}", key.path
    yield "the repository with escapes decoded", f"{host}/{_decoded(path)}", key.path
    yield "the repository with blanks escaped", f"{host}/{path.replace(' ', '%20')}", key.path
    yield "the repository with slashes for backslashes", f"{host}/{path.replace(chr(92), '/').strip('/')}", key.path
    yield "the repository with its letters escaped", f"{host}/{_escaped(path)}", key.path


def _single_slashes(path: str) -> str:
    return "/".join(segment for segment in path.split("/") if segment)


def _decoded(path: str) -> str:
    """``path`` decoded, or as it is where the result could not be typed in a URL."""
    decoded = unquote(path, errors="strict") if "%" in path and _is_utf8(path) else path
    lowered = decoded.strip().strip("/").lower()
    return lowered if lowered.isprintable() and not set(lowered) & set("?#;") else path


def _is_utf8(path: str) -> bool:
    try:
        unquote(path, errors="strict")
    except UnicodeDecodeError:
        return False
    return True


def _escaped(path: str) -> str:
    return path if path.isascii() else quote(path, safe="/%~!$&'()*+,;=:@ \\").lower()


def _other_script(host: str) -> str:
    """The host in its ``xn--`` form, or out of it; as it is where there is no other form."""
    try:
        return host.encode("idna").decode() if not host.isascii() else host.encode().decode("idna")
    except UnicodeError:
        return host
