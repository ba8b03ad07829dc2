"""``key``: why this digest, what exists there, and whose it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumoss_console.errors import AccessDenied, ConfigError
from kumoss_console.model.project import derive
from tests.cli.conftest import DIGEST, REPO, SCOPE
from tests.cli.harness import Console
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE

KEY = f"{DIGEST}/terraform.tfstate"
STATE = json.dumps(
    {"version": 4, "terraform_version": "1.9.0", "serial": 41, "lineage": "7d1e", "outputs": {}, "resources": []}
).encode()


def test_the_project_id_of_the_handbook(console: Console) -> None:
    run = console.run("key", "--repo", REPO, "--scope", SCOPE, "--json")

    assert (run.code, run.err) == (0, "")
    assert list(run.envelope) == ["ok", "data", "warnings"]
    assert list(run.data)[:8] == ["project_id", "key", "bucket", "url", "normalised", "steps", "twins", "object"]
    assert run.data["project_id"] == DIGEST
    assert run.data["key"] == KEY
    assert run.data["normalised"] == {"repo": "github.com/acme/infra", "scope": SCOPE, "path": ""}
    assert run.data["object"] is None
    assert {"path": ".", "object": None}.items() <= run.data["twins"][0].items()


def test_plain_output_shows_the_hashed_lines_one_by_one(console: Console) -> None:
    run = console.run("key", "--repo", "https://GitHub.com:8443/acme/infra.git", "--scope", SCOPE, "--path", "/net/")

    assert run.code == 0
    assert "1  github.com/acme/infra\n" in run.out
    assert f"2  {SCOPE}\n" in run.out
    assert "3  net\n" in run.out
    assert "port 8443" in run.out


def test_a_key_alone_asks_nobody_and_makes_no_file(console: Console, store: FakeStore) -> None:
    console.run("key", "--repo", REPO, "--scope", SCOPE)

    assert store.calls == []
    assert console.sidecar.calls == []
    assert not console.journal_file.exists()


def test_check_looks_up_the_key_and_every_twin(console: Console, store: FakeStore) -> None:
    store.objects[KEY] = STATE

    run = console.run("key", "--repo", REPO, "--scope", SCOPE, "--check", "--json")

    assert run.code == 0
    assert {"status": "present", "serial": 41, "lineage": "7d1e", "engine_version": "1.9.0"}.items() <= run.data["object"].items()
    assert run.data["object"]["modified"] == "2026-01-02T03:04:05Z"
    assert {twin["object"]["status"] for twin in run.data["twins"]} == {"absent"}
    assert "present · serial 41" in console.run("key", "--repo", REPO, "--scope", SCOPE, "--check").out


def test_check_against_a_store_that_says_no_ends_with_3(console: Console, store: FakeStore) -> None:
    store.errors["head"] = AccessDenied("The store refused the key id", hint="Grant it.", code="store.access_denied")

    run = console.run("key", "--repo", REPO, "--scope", SCOPE, "--check", "--json")

    assert run.code == 3
    assert run.error == {
        "code": "store.access_denied",
        "title": "The store refused the key id",
        "detail": "",
        "hint": "Grant it.",
    }
    assert run.envelope["data"]["key"] == KEY
    assert run.envelope["data"]["object"]["status"] == "unknown"
    assert run.envelope["data"]["object"]["detail"] == "The store refused the key id"


def test_the_key_is_printed_where_what_reads_the_store_is_not_installed(console: Console, store: FakeStore) -> None:
    store.errors["head"] = ConfigError("installed without what it needs", hint="pip install …", code="store.extra_missing")

    run = console.run("key", "--repo", REPO, "--scope", SCOPE, "--check")

    assert run.code == 2
    assert KEY in run.out
    assert "installed without what it needs" in run.err


def test_check_without_a_state_bucket_is_refused_with_what_to_do(console: Console) -> None:
    console.store = None

    run = console.run("key", "--repo", REPO, "--scope", SCOPE, "--check")

    assert run.code == 2
    assert "→ " in run.err


@pytest.mark.parametrize("repo", ["git@github.com:acme/infra.git", "http://github.com/acme/infra"])
def test_a_spelling_that_has_no_key_ends_with_2_and_the_https_spelling(console: Console, repo: str) -> None:
    run = console.run("key", "--repo", repo, "--scope", SCOPE)

    assert (run.code, run.out) == (2, "")
    assert "https://github.com/acme/infra" in run.err


MOVED = ("key", "--repo", REPO, "--scope", SCOPE, "--what-if-path", "envs/prod")


def test_what_if_shows_old_and_new_key_and_asks_nobody(console: Console, store: FakeStore) -> None:
    run = console.run(*MOVED, "--json")

    assert run.code == 0
    assert run.data["project_id"] == DIGEST
    assert run.data["what_if"]["changed"] == ["path"]
    assert run.data["what_if"]["project_id"] != DIGEST
    assert run.data["what_if"]["normalised"] == {"repo": "github.com/acme/infra", "scope": SCOPE, "path": "envs/prod"}
    assert store.calls == []


def test_a_module_that_would_move_away_from_its_state_is_bad_news(console: Console, store: FakeStore) -> None:
    store.objects[KEY] = STATE

    run = console.run(*MOVED, "--check", "--json")

    assert run.code == 1
    assert run.data["object"]["serial"] == 41
    assert run.data["what_if"]["object"]["status"] == "absent"
    assert run.data["what_if"]["verdict"]["code"] == "key.what_if_left_behind"
    text = console.run(*MOVED, "--check").out
    assert "path     (empty) → envs/prod\n" in text
    assert "stays behind under the old key" in text


def test_a_spelling_of_the_same_repository_keeps_the_key(console: Console) -> None:
    run = console.run(
        "key", "--repo", REPO, "--scope", SCOPE, "--what-if-repo", "https://GitHub.com:8443/acme/infra.git", "--json"
    )

    assert run.data["what_if"]["same_key"] is True


def test_spellings_that_share_the_key_are_told_with_what_they_may_name(console: Console) -> None:
    run = console.run("key", "--repo", REPO, "--scope", SCOPE, "--json")

    assert {"why", "repo", "scope", "path", "risk"} == set(run.data["collisions"][0])
    assert "another server on the same host" in console.run("key", "--repo", REPO, "--scope", SCOPE).out


def test_the_owner_of_a_key_a_digest_and_the_beginning_of_one(console: Console) -> None:
    for asked in (KEY, DIGEST, DIGEST[:8]):
        run = console.run("key", "--owner", asked, "--json")
        assert run.code == 0
        assert run.data["project_id"] == DIGEST
        assert run.data["owner"]["name"] == "acme/infra"
    assert REPO in console.run("key", "--owner", DIGEST).out


def test_a_key_that_nobody_known_owns_is_bad_news(console: Console) -> None:
    run = console.run("key", "--owner", "f" * 64, "--json")

    assert run.code == 1
    assert run.data["owner"] is None
    assert console.run("key", "--owner", "f" * 64).out == ""


def clone(folder: Path, url: str, *files: str) -> None:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")


def test_a_key_is_found_among_local_clones_and_given_scopes(console: Console, tmp_path: Path) -> None:
    clone(tmp_path / "src" / "net", "git@github.com:acme/net.git", "envs/eu/main.tf")
    key = derive("https://github.com/acme/net", "other-scope", "envs/eu")

    argv = ("key", "--owner", key.object_key(), "--clones", str(tmp_path / "src"), "--scope", "x", "--scope", "Other-Scope")
    run = console.run(*argv, "--json")

    assert run.code == 0
    assert run.data["owner"] == {
        "name": "",
        "provider": None,
        "repo": "https://github.com/acme/net",
        "scope": "other-scope",
        "path": "envs/eu",
    }
    assert run.data["matches"][0]["source"] == f"clone {tmp_path / 'src' / 'net'}, remote origin"
    assert "found by    clone" in console.run(*argv).out


def test_the_scopes_that_a_state_names_are_tried_when_it_may_be_read(console: Console, store: FakeStore, tmp_path: Path) -> None:
    clone(tmp_path / "src" / "net", "https://github.com/acme/net", "main.tf")
    subscription = "99999999-2222-3333-4444-555555555555"
    key = derive("https://github.com/acme/net", subscription, ".").object_key()
    state = json.loads(STATE)
    attributes = {"id": f"/subscriptions/{subscription}/resourceGroups/rg"}
    state["resources"] = [
        {
            "mode": "managed",
            "type": "azurerm_resource_group",
            "name": "rg",
            "provider": 'provider["registry.terraform.io/hashicorp/azurerm"]',
            "instances": [{"schema_version": 0, "attributes": attributes}],
        }
    ]
    store.objects[key] = json.dumps(state).encode()

    blind = console.run("key", "--owner", key, "--clones", str(tmp_path / "src"), "--json")
    run = console.run("key", "--owner", key, "--clones", str(tmp_path / "src"), "--check", "--json")

    assert (blind.code, blind.data["owner"]) == (1, None)
    assert (run.code, run.data["owner"]["path"], run.data["owner"]["scope"]) == (0, ".", subscription)
    assert run.data["search"]["inferred"] == [{"scope": subscription, "provider": "azure", "count": 1}]


def test_a_key_that_nobody_at_hand_has_says_what_was_tried_and_what_would_add_to_it(console: Console) -> None:
    run = console.run("key", "--owner", "f" * 64)

    assert run.code == 1
    assert "Tried: " in run.err
    assert "--clones DIR and --scope ID add to them" in run.err


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("--repo", REPO),
        ("--owner", DIGEST, "--repo", REPO),
        ("--owner", DIGEST, "--what-if-path", "x"),
        ("--owner", "f" * 64, "--clones", "/nowhere/at/all"),
        ("--repo", REPO, "--scope", "a", "--scope", "b"),
        ("--owner", "nonsense"),
    ],
)
def test_half_a_question_ends_with_2(console: Console, argv: tuple[str, ...]) -> None:
    run = console.run("key", *argv)

    assert run.code == 2
    assert "→ " in run.err


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\x00" not in text])
def test_hostile_input_never_reaches_the_terminal(console: Console, text: str) -> None:
    for argv in (("--repo", REPO, "--scope", text), ("--repo", text, "--scope", SCOPE), ("--owner", text)):
        for mode in ((), ("--json",)):
            run = console.run("key", *argv, *mode)
            assert run.code in {0, 1, 2}
            shown = run.out + run.err
            assert not any(char in shown for char in "\x1b\x9b\u202e\r")
