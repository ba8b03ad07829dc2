from __future__ import annotations

import pytest

from kumoss_console.model.collisions import collisions
from kumoss_console.model.project import derive

REPO = "https://git.acme.example/team/infra"


def test_ports_user_names_queries_and_case_are_told_as_one_key_and_what_they_may_name_instead() -> None:
    found = {one.why: one for one in collisions(derive(REPO, "prod", "envs/core"))}
    assert found["another port"].repo == "https://git.acme.example:8443/team/infra"
    assert found["a user name or a password"].repo == "https://ops@git.acme.example/team/infra"
    assert found["a query or a fragment"].repo == "https://git.acme.example/team/infra?ref=next#readme"
    assert found["upper case in host or path"].repo == "https://GIT.ACME.EXAMPLE/TEAM/INFRA"
    assert found["slashes around the path"].path == "/envs/core/"
    assert found["the scope in upper case"].scope == "PROD"
    risky = [one.why for one in found.values() if one.risk]
    assert risky == ["another port", "upper case in host or path", "a query or a fragment"]
    assert list(found)[: len(risky)] == risky, "what may name something else comes first"


@pytest.mark.parametrize(
    ("repo", "scope", "path"),
    [
        (REPO, "prod", ""),
        (REPO, "prod", "."),
        (f"{REPO}.GIT", "11111111-2222-3333-4444-555555555555", "Envs/Core"),
        ("https://[2001:db8::1]/x", "", "../x"),
        ("https://bücher.example/straße;v=1/", "STRASSE", "a b"),
        (f"{REPO} eu", "123456789012", "/ envs /"),
        ("https://git.acme.example", "p", "x"),
        ("https://git.acme.example/a;b/;c/", "p", "x"),
        ("https://git.acme.example/İ/ſ", "İ", "x"),
    ],
)
def test_every_spelling_that_is_named_gives_exactly_this_key(repo: str, scope: str, path: str) -> None:
    key = derive(repo, scope, path)
    found = collisions(key)
    assert found
    for one in found:
        assert derive(one.repo, one.scope, one.path).project_id == key.project_id, one.why
