"""The derivation against a second, literal reading of the rule by the standard library, over generated spellings."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from pathlib import PurePosixPath
from urllib.parse import urlparse

from hypothesis import given, settings
from hypothesis import strategies as st

from kumoss_console.errors import InputError
from kumoss_console.model.project import ProjectKey, derive
from kumoss_console.model.twins import twins

PIECES = (
    *"aZ09.-_~%;:@/\\ ?#[]=&+!",
    "\t",
    ".git",
    ".GIT",
    "//",
    "..",
    "%2F",
    "%61",
    "é",
    "ß",
    "İ",
    "世",
    "\u202e",
    "\x00",
    "℀",
    "[::1]",
)
SOUP = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
REPOS = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(("https://", "HTTPS://", " https://")),
    st.sampled_from(("", "bot@", "bot:s3cr3t@", "@")),
    st.sampled_from(("git.acme.example", "Git.Acme.Example.", "[2001:DB8::1]", "192.0.2.10", "bücher.example")),
    st.sampled_from(("", ":", ":443", ":8443")),
    st.builds("{}{}".format, st.sampled_from(("/", "//", "/team/", "?", "#", "")), SOUP),
)


def literally(repo: str, scope: str, path: str) -> str:
    """The rule word by word, as the core's description gives it."""
    parsed = urlparse(repo.strip())
    host = (parsed.hostname or "").lower()
    repository = parsed.path.strip("/").removesuffix(".git").strip("/").lower()
    module = path.strip().strip("/")
    module = PurePosixPath(module).as_posix() if module else ""
    return f"{host}/{repository}\n{scope.strip().lower()}\n{module}"


def derived(repo: str, scope: str, path: str) -> ProjectKey | None:
    try:
        return derive(repo, scope, path)
    except InputError as error:
        told = f"{error} {error!r}"
    assert "s3cr3t" not in told
    return None


@settings(deadline=None)
@given(REPOS, SOUP, SOUP)
def test_what_is_accepted_is_hashed_exactly_as_the_rule_says(repo: str, scope: str, path: str) -> None:
    key = derived(repo, scope, path)
    if key is not None:
        assert key.hashed == literally(repo, scope, path)
        assert key.project_id == sha256(key.hashed.encode()).hexdigest()


@settings(deadline=None)
@given(REPOS, SOUP, SOUP)
def test_the_steps_of_each_field_lead_from_the_input_to_the_hashed_line(repo: str, scope: str, path: str) -> None:
    key = derived(repo, scope, path)
    if key is not None:
        for field, value in (("repo", key.repo), ("scope", key.scope), ("path", key.path)):
            steps = [step for step in key.steps if step.field == field]
            assert steps[-1].after == value
            assert all(left.after == right.before for left, right in pairwise(steps))
        assert "s3cr3t" not in repr(key)


@settings(deadline=None)
@given(REPOS, SOUP, SOUP)
def test_every_twin_can_be_typed_and_has_the_other_key_it_names(repo: str, scope: str, path: str) -> None:
    key = derived(repo, scope, path)
    if key is not None:
        for twin in twins(key):
            assert twin.project_id != key.project_id
            assert derive(twin.repo, twin.scope, twin.path).project_id == twin.project_id, twin


@settings(deadline=None)
@given(st.text())
def test_no_text_at_all_leaves_a_traceback(repo: str) -> None:
    derived(repo, repo, repo)
    derived(f"https://{repo}", repo, repo)
    derived(f"https://git.acme.example/{repo}", repo, repo)


@settings(deadline=None)
@given(st.sampled_from(("https://", "http://", "ssh://", "git::https://", "", "https:", "//")), SOUP)
def test_no_password_gets_into_an_error_whatever_stands_around_it(scheme: str, soup: str) -> None:
    for repo in (f"{scheme}bot:s3cr3t@{soup}", f"{scheme}bot:s3cr3t/@{soup}", f"{scheme}s3cr3t@{soup}:x/y"):
        derived(repo, "prod", "")
