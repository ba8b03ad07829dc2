"""The other direction of near-misses: spellings that look different and give the same key, so that they share one state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kumoss_console.errors import InputError
from kumoss_console.model.project import ProjectKey, derive
from kumoss_console.model.twins import as_url


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision:
    """A spelling with the same key. All three can be typed; ``risk`` says what else it may name, empty where nothing."""

    why: str
    repo: str
    scope: str
    path: str
    risk: str


def collisions(key: ProjectKey) -> tuple[Collision, ...]:
    """Spellings that share the key of ``key``, those first that may name something else."""
    return tuple(one for one in _spellings(key) if _project_id(one) == key.project_id)


def _spellings(key: ProjectKey) -> Iterator[Collision]:
    url = as_url(key.repo)
    scheme, address = url[:8], url[8:]
    server, slash, path = address.partition("/")

    def same(why: str, repo: str = url, *, scope: str = key.scope, spelled: str = key.path, risk: str = "") -> Collision:
        return Collision(why=why, repo=repo, scope=scope, path=spelled, risk=risk)

    yield same(
        "another port",
        f"{scheme}{server}:8443{slash}{path}",
        risk="another server on the same host shares this state",
    )
    if path != path.upper():
        yield same(
            "upper case in host or path",
            f"{scheme}{server.upper()}{slash}{path.upper()}",
            risk="on a host that tells upper from lower case, another repository shares this state",
        )
    yield same(
        "a query or a fragment",
        f"{url}?ref=next#readme",
        risk="another branch of the repository shares this state",
    )
    yield same("a user name or a password", f"{scheme}ops@{address}")
    yield same(".git at the end", f"{url}.git")
    yield same("slashes around the repository", f"{scheme}{server}//{path}/")
    if key.scope != key.scope.upper():
        yield same("the scope in upper case", scope=key.scope.upper())
    if key.path:
        yield same("slashes around the path", spelled=f"/{key.path}/")
    if key.path not in {"", "."}:
        yield same("'./' before the path, or inside", spelled=f"./{key.path.replace('/', '/./')}")
    yield same("white space around", f" {url} ", scope=f" {key.scope} ", spelled=f" {key.path} " if key.path else " ")


def _project_id(spelled: Collision) -> str:
    """Some spelling of an odd text may not survive: it is asked for, never assumed."""
    try:
        return derive(spelled.repo, spelled.scope, spelled.path).project_id
    except InputError:
        return ""
