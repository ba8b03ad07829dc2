from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.errors import ExitCode, InputError
from kumoss_console.model.finding import Severity
from kumoss_console.model.project import ProjectKey, derive
from kumoss_console.model.spelling import UnusableSpelling
from kumoss_console.text import MASK, printable
from tests.hostile import HOSTILE

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "fixtures" / "uris.json").read_text())
REPO = "https://git.acme.example/team/infra"
SCOPE = "11111111-2222-3333-4444-555555555555"
# Rows whose expected reading is not the first one; #59 and #67 are refusals.
EXPECTED_READING = {66: 1, 67: 1}


def rows(kind: str) -> list[Any]:
    return [pytest.param(row, id=f"{row['n']}-{row.get('note', '')[:40]}") for row in CASES if row["kind"] == kind]


def codes(key: ProjectKey) -> set[str]:
    return {finding.code for finding in key.findings}


def is_printable(error: InputError) -> bool:
    return printable(str(error), newlines=True) == str(error)


def dropped(key: ProjectKey) -> list[str]:
    return [what for step in key.steps for what in step.dropped]


@pytest.mark.parametrize("row", rows("accept"))
def test_an_accepted_spelling_gives_its_id_and_is_not_called_ambiguous(row: dict[str, Any]) -> None:
    key = derive(row["uri"], row["scope"], row["iac_path"])
    assert [key.repo, key.scope, key.path] == row["normal"]
    assert key.project_id == row["project_id"] == sha256(key.hashed.encode()).hexdigest()
    assert not [code for code in codes(key) if code.startswith("key.ambiguous")]


@pytest.mark.parametrize("row", rows("reject"))
def test_a_rejected_spelling_is_an_input_error_with_a_next_step(row: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        derive(row["uri"], row["scope"], row["iac_path"])
    assert caught.value.exit_code is ExitCode.INPUT
    assert caught.value.hint


@pytest.mark.parametrize("row", rows("ambiguous"))
def test_an_ambiguous_spelling_gets_the_expected_reading_and_says_that_there_are_others(row: dict[str, Any]) -> None:
    expected = row["readings"][EXPECTED_READING.get(row["n"], 0)]
    if expected["project_id"] is None:
        with pytest.raises(InputError):
            derive(row["uri"], row["scope"], row["iac_path"])
        return
    key = derive(row["uri"], row["scope"], row["iac_path"])
    assert key.project_id == expected["project_id"]
    assert any(code.startswith("key.ambiguous") for code in codes(key))


@pytest.mark.parametrize(
    ("repo", "scope", "path", "project_id"),
    [
        ("https://github.com/acme/infra", SCOPE, "", "cca8550712f0e65e5c95dc347a919f335222fbb6b9c0ad4966dab38ed9a8a609"),
        ("HTTPS://GitHub.com/Acme/Infra.git", SCOPE, "", "cca8550712f0e65e5c95dc347a919f335222fbb6b9c0ad4966dab38ed9a8a609"),
        ("https://github.com/acme/infra", SCOPE, ".", "10d05c01e75225a8a9b14726df15145530ef5f1425e7401695300ed50be23bd1"),
        (
            "https://github.com/acme/infra",
            SCOPE,
            "/envs//dev/",
            "4d0b438762a8fce1c1c68b140b25918c18260a45144a76f651cbaf16b250034c",
        ),
        ("https://github.com/acme/infra.GIT", SCOPE, "", "f03d59fe360bef8e0cec51dc149f4b13abdc8267a52d4798ddfa438cda407ea6"),
        (
            "https://github.com/acme/infra",
            "My-Proj-1",
            "envs/prod",
            "8590b2abf6a3012b079a7a285a63e6a9d997057e1822be3d2802df82d528da5c",
        ),
    ],
)
def test_the_published_digests_hold(repo: str, scope: str, path: str, project_id: str) -> None:
    assert derive(repo, scope, path).project_id == project_id


@pytest.mark.parametrize(
    ("repo", "normal"),
    [
        ("https://github.com/acme/infra.git.git", "github.com/acme/infra.git"),
        ("https://github.com/acme/infra/.git", "github.com/acme/infra"),
        ("https://u:p@github.com:8443/acme/infra.git", "github.com/acme/infra"),
        ("https://github.com/acme/infra.git?ref=main#x", "github.com/acme/infra"),
        ("https://github.com/acme/infra.git;v=1", "github.com/acme/infra"),
        ("https://github.com/acme;v=1/infra", "github.com/acme;v=1/infra"),
        ("https://github.com/acme/infra;v=1/", "github.com/acme/infra;v=1"),
        ("https://github.com//acme//infra", "github.com/acme//infra"),
        ("https://me@corp@github.com/acme/infra", "github.com/acme/infra"),
        ("https://[2001:DB8::1]:8443/acme/infra", "2001:db8::1/acme/infra"),
        ("https://Bücher.example/Ä", "bücher.example/ä"),
        ("https://github.com/ac\tme/infra", "github.com/acme/infra"),
        ("https://github.com", "github.com/"),
    ],
)
def test_a_repository_is_normalised_as_the_core_does(repo: str, normal: str) -> None:
    assert derive(repo, "prod").repo == normal


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("./envs/dev", "envs/dev"),
        ("envs/./dev", "envs/dev"),
        ("./", "."),
        ("./.", "."),
        ("/", ""),
        ("a/../b", "a/../b"),
        ("../x", "../x"),
        ("..", ".."),
        ("Envs/Dev", "Envs/Dev"),
    ],
)
def test_a_path_is_normalised_as_the_core_does(path: str, normal: str) -> None:
    assert derive(REPO, "prod", path).path == normal


def test_each_step_says_in_words_what_it_dropped() -> None:
    key = derive(" https://bot:s3cr3t@GIT.acme.example:8443//Team/infra.git/?ref=main#top ", " PROD", "/./envs//core/")
    assert dropped(key) == [
        "white space around",
        "scheme https://",
        "query ?ref=main",
        "fragment #top",
        "user name",
        "password",
        "port 8443",
        "leading slash",
        "trailing slash",
        ".git suffix",
        "upper case",
        "white space around",
        "upper case",
        "leading slash",
        "trailing slash",
        "duplicate slash",
        "'.' segment",
    ]


def test_a_field_that_needed_nothing_says_so() -> None:
    (step,) = (step for step in derive(REPO, "prod", "envs").steps if step.field == "scope")
    assert (step.before, step.after, step.dropped, step.rule) == ("prod", "prod", (), "taken as it is")


@pytest.mark.parametrize("userinfo", ["bot:s3cr3t", ":s3cr3t", "s3cr3t", "s3cr3t:x-oauth", "a@b:s3cr3t"])
def test_credentials_in_a_url_are_never_kept_and_never_shown(userinfo: str) -> None:
    key = derive(f"https://{userinfo}@git.acme.example/team/infra?private_token=s3cr3t", "prod", "envs/core")
    assert "s3cr3t" not in repr(key)
    assert MASK in key.steps[0].before
    finding = next(finding for finding in key.findings if finding.code == "key.credentials_in_url")
    assert finding.severity is Severity.WARNING
    assert "refuses" in finding.message


@pytest.mark.parametrize(
    "repo",
    [
        "http://bot:s3cr3t@h.example/x",
        "ssh://s3cr3t@h.example/x",
        "bot:s3cr3t@h.example/x",
        "https://bot:s3cr3t/@h.example/x",
        "https://bot:s3cr3t@[nonsense/x",
        "https://bot:s3cr3t@/x",
        "https://bot:s3cr3t@h.example\\x",
        "git::https://bot:s3cr3t@h.example/x.git//m?access_token=s3cr3t",
    ],
)
def test_a_refusal_never_repeats_a_password(repo: str) -> None:
    with pytest.raises(InputError) as caught:
        derive(repo, "prod")
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    ("repo", "https"),
    [
        ("http://git.acme.example:8080/team/infra", "https://git.acme.example/team/infra"),
        ("ssh://git@git.acme.example:22/team/infra.git", "https://git.acme.example/team/infra.git"),
        ("git@git.acme.example:team/infra.git", "https://git.acme.example/team/infra.git"),
        ("git.acme.example:team/infra", "https://git.acme.example/team/infra"),
        ("git://git.acme.example/team/infra", "https://git.acme.example/team/infra"),
        ("git+ssh://git@git.acme.example/team/infra", "https://git.acme.example/team/infra"),
        ("git.acme.example/team/infra", "https://git.acme.example/team/infra"),
        ("//git.acme.example/team/infra", "https://git.acme.example/team/infra"),
        ("https:git.acme.example/team/infra", "https://git.acme.example/team/infra"),
        ("https:/git.acme.example/team/infra", "https://git.acme.example/team/infra"),
        ("https://git.acme.example:team/infra", "https://git.acme.example/team/infra"),
        ("https://git.acme.example\\team\\infra", "https://git.acme.example/team/infra"),
        ("git::https://git.acme.example/team/infra.git//modules/net?ref=v1", "https://git.acme.example/team/infra.git"),
        ("git::ssh://git@git.acme.example/team/infra.git", "https://git.acme.example/team/infra.git"),
        ("git@ssh.dev.azure.com:v3/acme/platform/infra", "https://dev.azure.com/acme/platform/_git/infra"),
        ("ssh://git@ssh.github.com:443/acme/infra.git", "https://github.com/acme/infra.git"),
    ],
)
def test_a_refusal_names_the_https_spelling_of_the_same_repository(repo: str, https: str) -> None:
    with pytest.raises(InputError) as caught:
        derive(repo, "prod")
    assert re.findall(r"https://[^ ]*[^ .]", caught.value.hint) == [https]
    assert derive(https, "prod").repo.startswith(https.removeprefix("https://").partition("/")[0])


@pytest.mark.parametrize(
    "repo", ["file:///srv/git/infra.git", "/srv/git/infra", "./infra", "C:\\infra", "acme/infra", "s3://b/infra"]
)
def test_a_refusal_invents_no_https_spelling(repo: str) -> None:
    with pytest.raises(InputError) as caught:
        derive(repo, "prod")
    assert not any(word.startswith("https://") and len(word) > 9 for word in caught.value.hint.split())


def test_the_module_of_a_module_address_is_named_as_the_path() -> None:
    with pytest.raises(InputError, match="module address") as caught:
        derive("git::https://git.acme.example/team/infra.git//modules/net?ref=v1", "prod")
    assert "path modules/net" in caught.value.hint


@pytest.mark.parametrize(
    "repo", ["https://", "https:///team/infra", "https://:443/x", "https://bot@/x", "https://[::1/x", "https://h:0/x"]
)
def test_a_url_without_a_usable_host_is_refused(repo: str) -> None:
    with pytest.raises(InputError):
        derive(repo, "prod")


@pytest.mark.parametrize("field", ["repo", "scope", "path"])
@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\udcffb"])
def test_what_cannot_be_hashed_unambiguously_is_refused_by_field(field: str, text: str) -> None:
    fields = {"repo": REPO, "scope": "prod", "path": "envs"}
    with pytest.raises(InputError, match=f"^{field} holds"):
        derive(**fields | {field: f"{fields[field]}/{text}"})


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_hashed_raw_and_an_error_about_it_is_printable(text: str) -> None:
    if "\r" in text or "\n" in text:
        with pytest.raises(InputError) as caught:
            derive(REPO, text)
        assert is_printable(caught.value)
        return
    assert derive(f"{REPO}/{text}", text, text).scope == text.strip().lower()
    with pytest.raises(InputError) as caught:
        derive(f"http://{text}/{text}", "prod")
    assert is_printable(caught.value)


def test_characters_that_nobody_sees_are_pointed_out() -> None:
    key = derive(f"{REPO}\u200b", "prod", "envs\x00")
    assert [finding.subject for finding in key.findings if finding.code == "key.invisible_character"] == ["repo", "path"]


def test_a_tab_inside_a_url_is_dropped_and_pointed_out() -> None:
    key = derive("https://git.acme.example/te\tam/infra", "prod")
    assert (key.repo, "tabs inside" in dropped(key)) == ("git.acme.example/team/infra", True)
    assert {"key.ambiguous_tab"} == {code for code in codes(key) if code != "key.root_spelling"}


@pytest.mark.parametrize("mark", ["\ufeff", "\u200b", "\x00"])
def test_an_invisible_character_before_the_scheme_is_named_as_the_fault(mark: str) -> None:
    with pytest.raises(InputError, match="not shown"):
        derive(f"{mark}{REPO}", "prod")


def test_an_empty_scope_gives_a_key_and_a_warning() -> None:
    assert "key.no_scope" in codes(derive(REPO, "", "envs/core"))


def test_a_parent_segment_is_kept_and_the_refusal_of_the_core_is_announced() -> None:
    (finding,) = derive(REPO, "prod", "envs/../core").findings
    assert "refuses" in finding.message


def test_the_object_key_is_the_id_and_the_configured_file_name() -> None:
    key = derive(REPO, "prod")
    assert key.object_key() == f"{key.project_id}/terraform.tfstate"
    assert key.object_key("prod.tfstate") == f"{key.project_id}/prod.tfstate"
    with pytest.raises(InputError, match=r"storage\.terraform_state_filename"):
        key.object_key("a/b")


@pytest.mark.parametrize(
    ("typed", "https", "path"),
    [
        ("git@github.com:acme/infra.git", "https://github.com/acme/infra.git", ""),
        ("ssh://git:hunter2@git.acme:2222/team/infra", "https://git.acme/team/infra", ""),
        ("git::https://github.com/acme/infra.git//envs/prod?ref=main", "https://github.com/acme/infra.git", "envs/prod"),
        ("https://github.com:acme/infra", "https://github.com/acme/infra", ""),
        ("/srv/git/infra", None, ""),
    ],
)
def test_a_refusal_carries_the_spelling_to_use_instead(typed: str, https: str | None, path: str) -> None:
    with pytest.raises(UnusableSpelling) as caught:
        derive(typed, "prod")
    assert (caught.value.https, caught.value.path) == (https, path)
    if https is not None:
        assert derive(https, "prod", path).project_id


def test_a_refused_backslash_is_said_to_be_ambiguous() -> None:
    with pytest.raises(InputError, match="ambiguous: some readers take it for one"):
        derive("https://git.acme.example\\team\\infra", "prod", "envs/core")
