from __future__ import annotations

import pytest

from kumoss_console.model.project import derive
from kumoss_console.model.twins import twins

GUID = "11111111-2222-3333-4444-555555555555"
REPO = "https://git.acme.example/team/infra"


def whys(repo: str, path: str = "envs/core") -> dict[str, tuple[str, str]]:
    return {twin.why: (twin.repo, twin.path) for twin in twins(derive(repo, "prod", path))}


@pytest.mark.parametrize(("path", "other"), [("", "."), (".", ""), ("/", "."), ("./", "")])
def test_the_root_spelled_the_other_way_is_the_first_twin(path: str, other: str) -> None:
    first = twins(derive(REPO, "prod", path))[0]
    assert (first.path, first.project_id) == (other, derive(REPO, "prod", other).project_id)


def test_a_plain_project_has_the_twins_that_a_slip_of_the_hand_makes() -> None:
    assert whys(REPO) == {
        "the path with a detour by '..'": (REPO, "envs/../envs/core"),
        "the repository spelled with .GIT": ("https://git.acme.example/team/infra.GIT", "envs/core"),
        "the host with the root dot of DNS": ("https://git.acme.example./team/infra", "envs/core"),
        "the repository with a doubled slash": ("https://git.acme.example/team//infra", "envs/core"),
        "the repository with its slashes escaped": ("https://git.acme.example/team%2finfra", "envs/core"),
        "the path with capitals": (REPO, "Envs/Core"),
    }


@pytest.mark.parametrize(
    ("scope", "why", "other"),
    [
        (GUID, "the scope as a resource id", f"/subscriptions/{GUID}"),
        (f"/subscriptions/{GUID}/resourceGroups/x", "the scope without the path of a resource id", GUID),
        ("123456789012", "the scope as a console shows it", "1234-5678-9012"),
        ("1234-5678-9012", "the scope without hyphens", "123456789012"),
        ("projects/acme-prod", "the scope without projects/", "acme-prod"),
    ],
)
def test_a_scope_spelled_as_a_cloud_shows_it_is_another_project(scope: str, why: str, other: str) -> None:
    twin = next(twin for twin in twins(derive(REPO, scope, "envs")) if twin.why == why)
    assert (twin.scope, twin.project_id) == (other, derive(REPO, other, "envs").project_id)


def test_a_port_that_is_dropped_may_have_been_meant_as_a_folder() -> None:
    assert whys("https://git.acme.example:2222/team/infra")["the port taken for a folder"] == (
        "https://git.acme.example/2222/team/infra",
        "envs/core",
    )


@pytest.mark.parametrize(
    ("repo", "path", "why", "spelled"),
    [
        (REPO, "Envs/Core", "the path in lower case", (REPO, "envs/core")),
        (REPO, "envs/x/../core", "the path with '..' resolved", (REPO, "envs/core")),
        (REPO, "envs\\core", "the path with slashes for backslashes", (REPO, "envs/core")),
        (REPO, "/ envs/core /", "the path without blanks around its segments", (REPO, "envs/core")),
        (f"{REPO}.GIT", "", "the repository without .git", (REPO, "")),
        ("https://git.acme.example./team/infra", "", "the host without the root dot of DNS", (REPO, "")),
        ("https://bücher.example/x", "", "the host in its other script", ("https://xn--bcher-kva.example/x", "")),
        ("https://xn--bcher-kva.example/x", "", "the host in its other script", ("https://bücher.example/x", "")),
        ("https://[2001:db8:0::1]/x", "", "the address in its short form", ("https://[2001:db8::1]/x", "")),
        ("https://git.acme.example/team//infra", "", "the repository without duplicate slashes", (REPO, "")),
        (f"{REPO}/../infra", "", "the repository with dot segments resolved", (REPO, "")),
        ("https://git.acme.example/team/infr%61", "", "the repository with escapes decoded", (REPO, "")),
        (f"{REPO} eu", "", "the repository with blanks escaped", (f"{REPO}%20eu", "")),
        ("https://git.acme.example/team\\infra", "", "the repository with slashes for backslashes", (REPO, "")),
    ],
)
def test_a_doubtful_spelling_has_the_plain_one_as_its_twin(repo: str, path: str, why: str, spelled: tuple[str, str]) -> None:
    assert whys(repo, path)[why] == spelled


def test_a_blank_at_the_end_of_a_path_survives_in_its_twins() -> None:
    key = derive(REPO, "prod", "envs /")
    assert {twin.path for twin in twins(key)} == {"/envs /", "envs", "/Envs /", "/envs /../envs /"}
    assert all(derive(twin.repo, twin.scope, twin.path).project_id == twin.project_id for twin in twins(key))
