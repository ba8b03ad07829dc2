"""Near-misses of a project: spellings of what may be the same thing that give another key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address
from posixpath import normpath
from urllib.parse import quote, unquote

from kumoss_console.model.project import ProjectKey, digest

_SUBSCRIPTIONS = "/subscriptions/"
_GUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_ACCOUNT = re.compile(r"[0-9]{12}")
_SHOWN_ACCOUNT = re.compile(r"[0-9]{4}-[0-9]{4}-[0-9]{4}")


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
    spelled = (
        *((why, key.repo, key.scope, path) for why, path in _path_twins(key)),
        *((why, repo, key.scope, key.path) for why, repo in _repository_twins(key)),
        *((why, key.repo, scope, key.path) for why, scope in _scope_twins(key.scope)),
        ("the path with capitals", key.repo, key.scope, _capitals(key.path)),
    )
    for why, repo, scope, path in spelled:
        project_id = digest(repo, scope, path)
        if project_id != key.project_id and project_id not in found:
            found[project_id] = Twin(why=why, repo=as_url(repo), scope=scope, path=_typed(path), project_id=project_id)
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


def _path_twins(key: ProjectKey) -> Iterator[tuple[str, str]]:
    if key.path in {"", "."}:
        other = "" if key.path else "."
        yield f"the root spelled {'.' if other else 'as an empty path'}", other
    yield "the path in lower case", key.path.lower()
    if key.path not in {"", "."} and ".." not in key.path.split("/"):
        first = key.path.partition("/")[0]
        yield "the path with a detour by '..'", f"{first}/../{key.path}"
    if ".." in key.path.split("/"):
        yield "the path with '..' resolved", normpath(key.path)
    if "\\" in key.path:
        yield "the path with slashes for backslashes", _tidy(key.path.replace("\\", "/"))
    yield "the path without blanks around its segments", _tidy("/".join(map(str.strip, key.path.split("/"))))


def _tidy(path: str) -> str:
    segments = [segment for segment in path.strip().strip("/").split("/") if segment not in {"", "."}]
    return "/".join(segments) or ("." if path else "")


def _capitals(path: str) -> str:
    """``envs/core`` as ``Envs/Core``: the same folder on a file system that ignores case."""
    return "/".join(segment[:1].upper() + segment[1:] for segment in path.split("/"))


def _scope_twins(scope: str) -> Iterator[tuple[str, str]]:
    if scope.startswith(_SUBSCRIPTIONS):
        yield "the scope without the path of a resource id", scope.removeprefix(_SUBSCRIPTIONS).partition("/")[0]
    elif _GUID.fullmatch(scope):
        yield "the scope as a resource id", f"{_SUBSCRIPTIONS}{scope}"
    if _ACCOUNT.fullmatch(scope):
        yield "the scope as a console shows it", f"{scope[:4]}-{scope[4:8]}-{scope[8:]}"
    elif _SHOWN_ACCOUNT.fullmatch(scope):
        yield "the scope without hyphens", scope.replace("-", "")
    if scope.startswith("projects/"):
        yield "the scope without projects/", scope.removeprefix("projects/")


def _repository_twins(key: ProjectKey) -> Iterator[tuple[str, str]]:
    host, _, path = key.repo.partition("/")
    if path.endswith(".git"):
        yield "the repository without .git", f"{host}/{path.removesuffix('.git').strip('/')}"
    elif path:
        yield "the repository spelled with .GIT", f"{host}/{path}.git"
    if ":" not in host:
        dotted = host.rstrip(".") if host.endswith(".") else f"{host}."
        yield f"the host {'without' if host.endswith('.') else 'with'} the root dot of DNS", f"{dotted}/{path}"
        yield "the host in its other script", f"{_other_script(host)}/{path}"
    else:
        yield "the address in its short form", f"{IPv6Address(host).compressed}/{path}"
    for port in _dropped_ports(key) if path else ():
        yield "the port taken for a folder", f"{host}/{port}/{path}"
    yield "the repository without duplicate slashes", f"{host}/{_single_slashes(path)}"
    if any(segment in {".", ".."} for segment in path.split("/")):
        yield "the repository with dot segments resolved", f"{host}/{normpath('/' + path).strip('/')}"
    yield "the repository with escapes decoded", f"{host}/{_decoded(path)}"
    yield "the repository with blanks escaped", f"{host}/{path.replace(' ', '%20')}"
    yield "the repository with slashes for backslashes", f"{host}/{path.replace(chr(92), '/').strip('/')}"
    yield "the repository with its letters escaped", f"{host}/{_escaped(path)}"
    if "//" not in path:
        yield "the repository with a doubled slash", f"{host}/{'//'.join(path.rsplit('/', 1))}"
    yield "the repository with its slashes escaped", f"{host}/{path.replace('/', '%2f')}"


def _dropped_ports(key: ProjectKey) -> Iterator[str]:
    """A port is dropped; in the scp form of ssh the same digits are a folder."""
    for step in key.steps:
        if step.field == "repo":
            yield from (dropped.removeprefix("port ") for dropped in step.dropped if dropped.startswith("port "))


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
