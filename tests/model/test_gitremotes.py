from __future__ import annotations

import pytest

from kumoss_console.model.gitremotes import remotes_of, repositories_of

CONFIG = """\
[core]
\trepositoryformatversion = 0
\tbare = false ; a comment
# url = https://commented.example/x
[remote "origin"]
\turl = git@github.com:acme/infra.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[remote "upstream"]
\tURL = "https://ops:hunter2@GitHub.com/Up/infra" # the fork's source
[remote "backup"]
\turl = /srv/git/infra.git
\tpushurl = ssh://git@git.acme:2222/team/infra.git
[branch "main"]
\tremote = origin
"""


def test_every_remote_that_can_have_a_key_is_named_by_its_https_spelling_without_a_password() -> None:
    found = remotes_of(CONFIG)
    assert [(one.name, one.repo, one.url) for one in found] == [
        ("origin", "github.com/acme/infra", "https://github.com/acme/infra"),
        ("upstream", "github.com/up/infra", "https://github.com/up/infra"),
        ("backup", "git.acme/team/infra", "https://git.acme/team/infra"),
    ]
    assert "hunter2" not in repr(found)


@pytest.mark.parametrize(
    ("url", "repositories"),
    [
        ("https://github.com/acme/infra.git", ["github.com/acme/infra"]),
        ("HTTPS://github.com:8443/acme/infra.git", ["github.com/acme/infra"]),
        ("http://github.com/acme/infra", ["github.com/acme/infra"]),
        ("git@github.com:acme/infra.git", ["github.com/acme/infra"]),
        ("github.com:acme/infra", ["github.com/acme/infra"]),
        ("ssh://git@github.com:22/acme/infra.git", ["github.com/acme/infra"]),
        ("ssh://git@ssh.github.com:443/acme/infra.git", ["github.com/acme/infra"]),
        ("git@ssh.dev.azure.com:v3/acme/Plat/infra", ["dev.azure.com/acme/plat/_git/infra"]),
        ("git@git.acme:2222/team/infra.git", ["git.acme/2222/team/infra", "git.acme/team/infra"]),
        ("git@github.com:acme/infra.GIT", ["github.com/acme/infra.git"]),
        ("/srv/git/infra.git", []),
        ("../infra", []),
        ("file:///srv/git/infra.git", []),
        ("", []),
        ("https://", []),
        ("\x1b]52;c;QQ==\x07", []),
    ],
)
def test_each_spelling_of_a_remote_gives_the_repository_it_is_served_under(url: str, repositories: list[str]) -> None:
    assert list(repositories_of(url)) == repositories


def test_a_shorthand_of_the_same_file_is_written_out() -> None:
    config = '[url "https://github.com/"]\n insteadOf = gh:\n[url "https://git.acme/"]\n insteadof = gh:acme/\n'
    config += '[remote "a"]\n url = gh:other/infra\n[remote "b"]\n url = gh:acme/infra\n'
    assert [one.repo for one in remotes_of(config)] == ["github.com/other/infra", "git.acme/infra"]


def test_quotes_escapes_continued_lines_and_one_line_sections_are_read_as_git_does() -> None:
    config = '[remote "a \\"b\\""] url = "https://github.com/\\\nacme/infra"  ; x\n[REMOTE "c"]\nurl=https://h/d\\\\\n'
    assert [(one.name, one.repo) for one in remotes_of(config)] == [('a "b"', "github.com/acme/infra"), ("c", "h/d\\")]


@pytest.mark.parametrize("config", ["", "[", "]", "[remote", '[remote "x"', "=", "url =", '[remote "x"]\nurl', "\\", "\x00" * 50])
def test_a_broken_file_has_no_remotes_and_does_no_harm(config: str) -> None:
    assert remotes_of(config) == ()


def test_the_same_repository_under_two_remotes_is_one() -> None:
    config = '[remote "a"]\nurl = git@h.x:t/i\n[remote "b"]\nurl = https://H.x/t/i.git\n'
    assert [one.name for one in remotes_of(config)] == ["a"]
