from __future__ import annotations

import time

import pytest

from kumoss_console.model.ownerhash import BLOCK, CandidateRepository, count, hashed_path, hashed_scope, search
from kumoss_console.model.project import derive

REPO = "github.com/acme/infra"
KEY = derive(f"https://{REPO}", "prod", "envs/core").project_id


def repository(*paths: str, repo: str = REPO, source: str = "a clone") -> CandidateRepository:
    return CandidateRepository(repo=repo, paths=paths, source=source)


@pytest.mark.parametrize("digits", [6, 7, 31, 32, 63, 64])
def test_the_candidate_is_found_by_its_digest_or_any_beginning_of_it(digits: int) -> None:
    blocks = list(search(KEY[:digits], [repository("", ".", "envs/core"), repository("x", repo="h/r")], ["dev", "prod"]))
    (match,) = [match for _, found in blocks for match in found]
    assert (match.project_id, match.repo, match.scope, match.path, match.source) == (KEY, REPO, "prod", "envs/core", "a clone")
    assert sum(tried for tried, _ in blocks) == 8


def test_the_last_digit_of_an_odd_beginning_counts() -> None:
    wrong = KEY[:6] + ("0" if KEY[6] != "0" else "1")
    assert not [match for _, found in search(wrong, [repository("envs/core")], ["prod"]) for match in found]


@pytest.mark.parametrize(("paths", "scopes"), [(1, 3 * BLOCK + 1), (3 * BLOCK + 1, 1), (100, 100), (0, 5), (5, 0)])
def test_every_candidate_is_tried_once_whatever_there_is_much_of(paths: int, scopes: int) -> None:
    repositories = [repository(*(f"p{n}" for n in range(paths)))]
    names = [f"s{n}" for n in range(scopes)]
    blocks = [tried for tried, _ in search("00" * 32, repositories, names)]
    assert sum(blocks) == count(repositories, names) == paths * scopes
    assert max(blocks, default=0) <= BLOCK
    if paths and scopes:
        wanted = derive(f"https://{REPO}", names[-1], f"p{paths - 1}").project_id
        assert [match.project_id for _, found in search(wanted, repositories, names) for match in found] == [wanted]


def test_what_cannot_be_hashed_is_no_candidate() -> None:
    assert hashed_path("envs//core/") == "envs/core"
    assert hashed_path("a\nb") is None
    assert hashed_scope(" PROD ") == "prod"
    assert hashed_scope("a\nb") is None


@pytest.mark.parametrize(("repositories", "paths", "scopes"), [(10, 500, 100), (500, 2, 500)])
def test_more_than_a_million_candidates_are_tried_in_a_second_of_one_core(repositories: int, paths: int, scopes: int) -> None:
    many = [repository(*(f"envs/region-{n}/core" for n in range(paths)), repo=f"h/r{n}") for n in range(repositories)]
    names = [f"11111111-2222-3333-4444-{n:012}" for n in range(scopes)]
    began = time.thread_time()
    tried = sum(tried for tried, _ in search("ff" * 32, many, names))
    assert tried / (time.thread_time() - began) > 1_000_000
