from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import AccessDenied, ConfigError, InputError, Unreachable
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.storage import StorageSettings
from kumoss_console.services.keys.service import KeyService
from tests.fakes.clock import START
from tests.fakes.store import FakeStore

T = TypeVar("T")
REPO = "https://github.com/acme/infra"
SCOPE = "11111111-2222-3333-4444-555555555555"
EMPTY = "cca8550712f0e65e5c95dc347a919f335222fbb6b9c0ad4966dab38ed9a8a609"
DOT = "10d05c01e75225a8a9b14726df15145530ef5f1425e7401695300ed50be23bd1"
STATE = json.dumps(
    {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 41,
        "lineage": "7d1e",
        "outputs": {},
        "resources": [],
        "check_results": None,
    }
).encode()
LOCK = json.dumps(
    {"ID": "l-1", "Operation": "OperationTypeApply", "Who": "ci@runner-7", "Created": "2026-01-02T03:04:05Z", "Path": "k"}
).encode()
CONTEXT = Context(name="prod")


def service(store: FakeStore | None = None, context: Context = CONTEXT) -> KeyService:
    return KeyService(context, store)


def test_an_explanation_names_key_bucket_and_url() -> None:
    explanation = service().explain(REPO, SCOPE)
    assert explanation.object_key == f"{EMPTY}/terraform.tfstate"
    assert explanation.bucket == "kumoss-terraform-state"
    assert explanation.url == f"http://object-storage:9000/kumoss-terraform-state/{EMPTY}/terraform.tfstate"


def test_the_data_has_exactly_the_promised_shape_and_survives_json() -> None:
    data = service().explain("https://github.com:8443/acme/infra", SCOPE).as_data()
    assert list(data)[:8] == ["project_id", "key", "bucket", "url", "normalised", "steps", "twins", "object"]
    assert data["normalised"] == {"repo": "github.com/acme/infra", "scope": SCOPE, "path": ""}
    assert {"field": "repo", "from": "github.com:8443/acme/infra", "to": "github.com/acme/infra"}.items() <= data["steps"][
        1
    ].items()
    assert data["steps"][1]["dropped"] == ["port 8443"]
    assert {"why", "repo", "scope", "path", "project_id", "key", "object"} == set(data["twins"][0])
    assert data["twins"][0]["key"] == f"{DOT}/terraform.tfstate"
    assert data["object"] is None
    assert json.loads(json.dumps(data)) == data


def test_the_configured_file_name_is_in_every_key() -> None:
    context = replace(CONTEXT, storage=StorageSettings(terraform_state_filename="prod.tfstate"))
    data = service(context=context).explain(REPO, SCOPE).as_data()
    assert {data["key"], *(twin["key"] for twin in data["twins"])} >= {f"{EMPTY}/prod.tfstate", f"{DOT}/prod.tfstate"}


def test_managed_state_off_leaves_the_key_and_says_so() -> None:
    context = replace(CONTEXT, storage=StorageSettings(terraform_state_bucket=""))
    explanation = service(context=context).explain(REPO, SCOPE)
    assert (explanation.key.project_id, explanation.bucket, explanation.url) == (EMPTY, "", "")
    assert "key.managed_state_off" in {finding.code for finding in explanation.findings}


async def test_a_check_tells_what_exists_at_the_key_and_at_each_twin() -> None:
    store = FakeStore({f"{DOT}/terraform.tfstate": STATE, f"{DOT}/terraform.tfstate.tflock": LOCK})
    keys = service(store)
    explanation = keys.explain(REPO, SCOPE)
    facts = await keys.check(explanation)
    assert [fact.object_key for fact in facts] == [explanation.object_key, *explanation.twin_keys]
    assert [fact.status for fact in facts] == ["absent", "present", *["absent"] * (len(facts) - 2)]
    data = explanation.as_data(facts, now=START)
    assert data["object"]["status"] == "absent"
    twin = data["twins"][0]["object"]
    assert (twin["serial"], twin["lineage"], twin["engine_version"], twin["size"]) == (41, "7d1e", "1.11.4", len(STATE))
    assert twin["modified"].endswith("Z")
    assert (twin["lock"]["id"], twin["lock"]["holder"]) == ("l-1", "ci@runner-7")
    assert json.loads(json.dumps(data)) == data


async def test_a_document_that_is_no_state_is_present_and_says_what_it_is() -> None:
    keys = service(FakeStore({f"{EMPTY}/terraform.tfstate": b"<Error>no</Error>"}))
    fact = (await keys.check(keys.explain(REPO, SCOPE)))[0]
    assert (fact.status, fact.state.serial if fact.state else None) == ("present", None)
    assert fact.detail


async def test_a_key_that_is_refused_is_unknown_and_never_absent() -> None:
    store = FakeStore()
    store.errors[f"{DOT}/terraform.tfstate"] = AccessDenied("the store refused us", hint="Grant s3:GetObject.")
    keys = service(store)
    facts = await keys.check(keys.explain(REPO, SCOPE))
    assert [fact.status for fact in facts[:2]] == ["absent", "unknown"]
    assert "refused" in facts[1].detail


async def test_a_lock_that_cannot_be_asked_for_leaves_the_state_known() -> None:
    store = FakeStore({f"{EMPTY}/terraform.tfstate": STATE})
    store.errors[f"{EMPTY}/terraform.tfstate.tflock"] = AccessDenied("the store refused us")
    fact = (await service(store).check(service(store).explain(REPO, SCOPE)))[0]
    assert (fact.status, fact.lock_status, fact.detail) == ("present", "unknown", "lock: the store refused us")


async def test_a_state_is_parsed_by_the_bridge_that_never_holds_the_exit() -> None:
    parsed: list[object] = []

    async def off_loop(function: Callable[[], T], /) -> T:
        parsed.append(function)
        return await run_blocking(function)

    keys = KeyService(CONTEXT, FakeStore({f"{EMPTY}/terraform.tfstate": STATE}), off_loop=off_loop)
    facts = await keys.check(keys.explain(REPO, SCOPE))
    assert len(parsed) == 1
    assert facts[0].state is not None


async def test_a_state_deleted_while_we_look_is_absent() -> None:
    class Vanishing(FakeStore):
        async def get(self, key: str) -> bytes:
            self.objects.clear()
            return await super().get(key)

    keys = service(Vanishing({f"{EMPTY}/terraform.tfstate": STATE}))
    assert (await keys.check(keys.explain(REPO, SCOPE)))[0].status == "absent"


async def test_a_store_that_answers_for_nothing_raises() -> None:
    store = FakeStore()
    store.errors["head"] = Unreachable("the store does not answer")
    keys = service(store)
    with pytest.raises(Unreachable):
        await keys.check(keys.explain(REPO, SCOPE))


async def test_without_a_store_a_check_is_refused_with_the_reason() -> None:
    keys = service(context=replace(CONTEXT, storage=StorageSettings(terraform_state_bucket="")))
    with pytest.raises(ConfigError) as caught:
        await keys.check(keys.explain(REPO, SCOPE))
    assert caught.value.code == "store.managed_off"
    assert caught.value.hint


def test_a_key_a_digest_and_its_beginning_name_the_known_project() -> None:
    project = KnownProject(repo=REPO, scope=SCOPE, name="infra")
    keys = service(context=replace(CONTEXT, projects=(project,)))
    for text in (
        EMPTY,
        EMPTY[:6],
        EMPTY.upper(),
        f"{EMPTY}/terraform.tfstate",
        f"s3://kumoss-terraform-state/{EMPTY}/terraform.tfstate",
    ):
        owner = keys.owner_of(text)
        assert owner is not None
        assert (owner.project, owner.project_id) == (project, EMPTY)
    assert keys.owner_of("0" * 64) is None


def test_a_root_is_known_by_both_its_spellings() -> None:
    keys = service(context=replace(CONTEXT, projects=(KnownProject(repo=REPO, scope=SCOPE, name="infra"),)))
    assert {project_id: project.path for project_id, project in keys.owners().items()} == {EMPTY: "", DOT: "."}


def test_a_project_named_for_itself_is_not_taken_for_the_other_spelling() -> None:
    named = (KnownProject(repo=REPO, scope=SCOPE, name="empty"), KnownProject(repo=REPO, scope=SCOPE, path=".", name="dot"))
    owners = service(context=replace(CONTEXT, projects=named)).owners()
    assert {project_id: project.name for project_id, project in owners.items()} == {EMPTY: "empty", DOT: "dot"}


def test_a_known_project_without_a_key_is_a_problem_and_hides_no_other() -> None:
    projects = (KnownProject(repo="git@github.com:acme/infra.git", scope=SCOPE), KnownProject(repo=REPO, scope=SCOPE))
    keys = service(context=replace(CONTEXT, projects=projects))
    assert EMPTY in keys.owners()
    (problem,) = keys.problems
    assert "https://github.com/acme/infra.git" in problem.remedy


@pytest.mark.parametrize("text", ["", "acme", "cca8", "\x1b]52;c;QQ==\x1b\\"])
def test_text_without_a_digest_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        service().owner_of(text)
    assert "\x1b" not in str(caught.value)
