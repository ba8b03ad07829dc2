"""``state show`` looks inside: one address, a search, the raw document; masked unless somebody asks for the values."""

from __future__ import annotations

import json

import pytest

from kumoss_console.text import MASK, printable
from tests.cli.harness import Console, Run
from tests.hostile import HOSTILE

SECRET, OUTPUT = "hunter2-hunter2", "hunter3-hunter3"
STATE = {
    "version": 4,
    "terraform_version": "1.11.4",
    "serial": 41,
    "lineage": "7d1e",
    "outputs": {"pw": {"value": OUTPUT, "sensitive": True}, "zones": {"value": ["a", "b"]}},
    "resources": [
        {
            "mode": "managed",
            "module": "module.data",
            "type": "aws_db",
            "name": "d",
            "provider": 'provider["registry.terraform.io/hashicorp/aws"].west',
            "instances": [
                {
                    "index_key": "eu",
                    "status": "tainted",
                    "attributes": {"id": "db-1", "login": SECRET, "tags": {"Name": "web"}},
                    "sensitive_attributes": [[{"type": "get_attr", "value": "login"}]],
                },
                {"index_key": "eu", "deposed": "1a2b3c4d", "attributes": {"id": "db-0"}},
            ],
        },
        {"mode": "data", "type": "aws_ami", "name": "u", "provider": "p", "instances": [{"attributes": {"id": "ami-1"}}]},
    ],
    "check_results": [{"object_kind": "check", "config_addr": "check.h", "status": "fail", "objects": []}],
}
ADDRESS = 'module.data.aws_db.d["eu"]'


def show(console: Console, *argv: str, state: object = STATE) -> Run:
    return console.run("state", "show", "--file", "-", *argv, stdin=json.dumps(state).encode())


def test_every_object_is_listed_with_what_is_wrong_first(console: Console) -> None:
    out = show(console).out
    assert out.startswith("! ")
    lines = [line.split() for line in out.splitlines()]
    assert [ADDRESS, "db-1", "tainted"] in lines
    assert [ADDRESS, "db-0", "deposed", "1a2b3c4d"] in lines
    assert out.index("Data sources") > out.index(ADDRESS)
    assert ["registry.terraform.io/hashicorp/aws", "west", "1", "2"] in lines
    assert ["check.h", "check", "fail"] in lines
    assert SECRET not in out
    assert OUTPUT not in out


def test_data_has_providers_and_checks_beside_what_was_promised(console: Console) -> None:
    data = show(console, "--json").data
    assert [provider["alias"] for provider in data["providers"]] == ["west", ""]
    assert data["checks"][0]["status"] == "fail"
    assert data["ids"] == ["db-1", "db-0"]


def test_one_address_shows_its_attributes_masked(console: Console) -> None:
    run = show(console, "--address", ADDRESS)
    assert ["login", MASK] in [line.split() for line in run.out.splitlines()]
    assert f"{ADDRESS} (deposed 1a2b3c4d)" in run.out
    assert SECRET not in run.out
    by_resource = show(console, "--address", "module.data.aws_db.d", "--json")
    assert by_resource.data["selected"][0] == {
        "address": ADDRESS,
        "values": {"id": "db-1", "login": MASK, "tags": {"Name": "web"}},
    }


def test_reveal_prints_what_was_asked_for_and_nothing_else_that_is_masked(console: Console) -> None:
    run = show(console, "--address", ADDRESS, "--reveal")
    assert f'"{SECRET}"' in run.out
    assert OUTPUT not in run.out
    assert f'"{OUTPUT}"' in show(console, "--address", "output.pw", "--reveal").out
    assert OUTPUT not in show(console, "--address", ADDRESS, "--reveal", "--json").out
    assert OUTPUT in show(console, "--reveal").out


def test_an_address_that_is_not_there_is_bad_news_with_the_nearest_one(console: Console) -> None:
    run = show(console, "--address", 'module.data.aws_db.d["us"]', "--json")
    assert run.code == 1
    assert run.error["code"] == "state.no_such_address"
    assert ADDRESS in run.error["hint"]


@pytest.mark.parametrize(
    ("text", "found", "by"),
    [
        ("AWS_DB", [ADDRESS, f"{ADDRESS} (deposed 1a2b3c4d)"], "address"),
        ("ami-1", ["data.aws_ami.u"], "identifier"),
        ("tags.name", [f"{ADDRESS}.tags.Name"], "attribute"),
        ("web", [f"{ADDRESS}.tags.Name"], "value"),
        ("login", [f"{ADDRESS}.login"], "attribute"),
        (SECRET[:7], [], ""),
        (OUTPUT, [], ""),
    ],
)
def test_a_search_tells_where_something_is_and_nothing_of_what_is_masked(
    console: Console, text: str, found: list[str], by: str
) -> None:
    run = show(console, "--search", text, "--json")
    hits = run.data["search"]["found"]
    assert [hit["found"] for hit in hits] == found
    assert {hit["in"] for hit in hits} <= {by}
    assert SECRET not in run.out
    plain = show(console, "--search", text)
    assert all(address in plain.out for address in found)
    assert f"{len(found)} found for {text}" in plain.err


def test_the_raw_document_is_json_and_masked_unless_revealed(console: Console) -> None:
    masked, whole = show(console, "--raw"), show(console, "--raw", "--reveal")
    assert json.loads(whole.out) == STATE
    document = json.loads(masked.out)
    assert document["resources"][0]["instances"][0]["attributes"]["login"] == MASK
    assert document["outputs"]["pw"]["value"] == MASK
    assert document["lineage"] == "7d1e"
    assert show(console, "--raw", "--json").data["document"] == document


@pytest.mark.parametrize(
    "argv", [("--raw", "--search", "x"), ("--address", "a", "--raw"), ("--search", ""), ("--search", "x", "--reveal")]
)
def test_questions_that_exclude_each_other_are_refused(console: Console, argv: tuple[str, ...]) -> None:
    assert show(console, *argv).code == 2


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_address_is_refused_as_any_blank_input_is(console: Console, blank: str) -> None:
    run = show(console, "--address", blank)

    assert run.code == 2
    assert "--address names nothing" in run.err


@pytest.mark.parametrize("number", ["1e400", "0.1234567890123456789012345", "12345678901234567890.5", "9" * 5000])
def test_a_number_is_printed_with_every_digit_by_every_way_to_it(console: Console, number: str) -> None:
    outputs = {"n": {"value": "NUMBER", "type": "number"}}
    one = {**STATE["resources"][0], "instances": [{"attributes": {"id": "db-1", "n": "NUMBER"}}]}  # type: ignore[index]  # a list
    raw = json.dumps({**STATE, "outputs": outputs, "resources": [one]}).replace('"NUMBER"', number).encode()
    ways: tuple[tuple[str, ...], ...] = ((), ("--address", "output.n"), ("--address", "module.data.aws_db.d"), ("--raw",))
    for way in ways:
        for more in ((), ("--json",), ("--reveal",), ("--reveal", "--json")):
            run = console.run("state", "show", "--file", "-", *way, *more, stdin=raw)
            assert run.code in (0, 1), (way, more, run.err)
            assert number in run.out.replace("\n", "").replace(" ", ""), (way, more)
    found = console.run("state", "show", "--file", "-", "--address", "output.n", "--json", stdin=raw)
    exact = json.loads(found.out, parse_float=str, parse_int=str)
    assert exact["data"]["selected"] == [{"address": "output.n", "values": number}]


def test_of_bytes_that_are_no_json_nothing_is_printed_raw(console: Console) -> None:
    page = b'<!DOCTYPE html><html><body><pre>{"password": "hunter2"}</pre><Password>hunter2</Password></body></html>'
    for more in ((), ("--json",)):
        run = console.run("state", "show", "--file", "-", "--raw", *more, stdin=page)
        assert "hunter2" not in run.out + run.err
        assert "an HTML page" in run.out


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_values_are_printed_and_never_obeyed(console: Console, text: str) -> None:
    rows = [
        {"mode": "managed", "type": "t", "name": "n", "instances": [{"index_key": text, "attributes": {"id": text, text: text}}]}
    ]
    state = {"version": 4, "serial": 1, "lineage": "x", "resources": rows, "outputs": {text: {"value": {text: text}}}}
    for argv in ((), ("--address", "t.n"), ("--search", text[:10]), ("--raw",)):
        run = show(console, *argv, state=state)
        assert printable(run.out, newlines=True) == run.out
    assert json.loads(show(console, "--raw", state=state).out) == state
