from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import InputError
from kumoss_console.model.clone import Clone
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.gitremotes import remotes_of
from kumoss_console.model.project import derive
from kumoss_console.services.keys.owner_search import OwnerSearch, OwnerSearchService
from tests.waiting import AT_ONCE, wait_until

PROJECT = KnownProject(repo="https://github.com/acme/known", scope="prod", path="envs/a", name="known")
CONTEXT = Context(name="prod", projects=(PROJECT,), scopes=("stage",))


def clone(folder: str, url: str, *modules: str) -> Clone:
    return Clone(folder=folder, remotes=remotes_of(f'[remote "origin"]\nurl = {url}\n'), modules=modules)


def service(*clones: Clone | None, context: Context = CONTEXT) -> OwnerSearchService:
    return OwnerSearchService(context, lambda folders, unreadable: iter(clones), run_blocking)


async def result(searching: OwnerSearchService, wanted: str, *scopes: str) -> OwnerSearch:
    return [state async for state in searching.stream(wanted, [Path("/src")], scopes)][-1]


INFRA = clone("/src/infra", "git@github.com:acme/infra.git", ".", "envs/core")


@pytest.mark.parametrize(
    ("repo", "scope", "path", "source"),
    [
        ("https://github.com/acme/infra", "given", "envs/core", "clone /src/infra, remote origin"),
        ("https://github.com/acme/infra", "stage", ".", "clone /src/infra, remote origin"),
        ("https://github.com/acme/infra", "prod", "", "clone /src/infra, remote origin"),
        ("https://github.com/acme/known", "stage", "envs/a", "known project known"),
        ("https://github.com/acme/known", "given", "", "known project known"),
    ],
)
async def test_the_owner_is_found_among_clones_and_known_projects_times_every_known_scope(
    repo: str, scope: str, path: str, source: str
) -> None:
    key = derive(repo, scope, path)
    done = await result(service(None, INFRA), f"{key.project_id}/terraform.tfstate", "GIVEN ")
    (match,) = done.matches
    assert (match.project_id, match.repo, match.scope, match.path) == (key.project_id, key.repo, scope, path)
    assert match.source == source
    assert done.stage == "done"
    assert set(done.scopes) == {"given", "stage", "prod"}


async def test_a_key_that_no_candidate_has_is_told_with_what_was_tried() -> None:
    done = await result(service(INFRA), "f" * 64)
    assert done.matches == ()
    assert (done.clones, done.repositories, done.tried, done.total, done.stopped) == (1, 2, 12, 12, False)


async def test_every_beginning_that_fits_is_told() -> None:
    key = derive("https://github.com/acme/infra", "prod", "")
    done = await result(service(INFRA), key.project_id[:8])
    assert [match.project_id for match in done.matches] == [key.project_id]


async def test_a_clone_whose_configuration_cannot_be_read_is_told() -> None:
    done = await result(service(Clone(folder="/src/x", remotes=(), modules=("a",), readable=False)), "f" * 64)
    assert done.unreadable == ("/src/x",)


async def test_text_without_a_project_id_is_refused_before_anything_is_read() -> None:
    with pytest.raises(InputError):
        await result(service(INFRA), "acme")


async def test_a_search_stops_when_nobody_waits_any_more_and_leaves_the_loop_free_meanwhile() -> None:
    walking = threading.Event()
    looked: list[int] = []

    def endless(folders: Iterable[Path], unreadable: list[str]) -> Iterator[Clone | None]:
        while True:
            walking.set()
            looked.append(1)
            yield None

    async def search() -> None:
        async for _ in OwnerSearchService(CONTEXT, endless, run_blocking).stream("f" * 64, [Path("/")], ()):
            pass

    task = asyncio.create_task(search())
    await wait_until(walking.is_set)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    before = -1

    def still() -> bool:
        nonlocal before
        same, before = before == len(looked), len(looked)
        return same

    await wait_until(still, timeout=AT_ONCE)


async def test_millions_of_candidates_are_told_about_while_they_are_tried() -> None:
    many = [clone(f"/src/{n}", f"https://h/r{n}", *(f"envs/{m}" for m in range(100))) for n in range(50)]
    states = [state async for state in service(*many).stream("f" * 64, [], [f"s{n}" for n in range(100)])]
    hashing = [state.tried for state in states if state.stage == "hashing"]
    assert len(hashing) >= 2
    assert hashing == sorted(hashing)
    assert states[-1].tried == states[-1].total > 500_000
