"""What an author calls sensitive in an output is shown nowhere else in the document, and what says little stays readable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kumoss_console.model.state import parse_state
from kumoss_console.model.state.inside import Inside
from kumoss_console.model.state.raw import document_pieces
from kumoss_console.model.state.search import search

SECRET = "legacy-c49fea7431"


def document(attributes: dict[str, Any], outputs: dict[str, Any], *, format_: int = 4) -> bytes:
    if format_ == 4:
        instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": []}
        provider = 'provider["registry.terraform.io/hashicorp/x"]'
        resource: dict[str, Any] = {
            "mode": "managed",
            "type": "terraform_data",
            "name": "x",
            "provider": provider,
            "instances": [instance],
        }
        inside: dict[str, Any] = {"terraform_version": "1.11.4", "outputs": outputs, "resources": [resource]}
    else:
        primary = {"id": attributes["id"], "attributes": attributes}
        resource = {"type": "terraform_data", "primary": primary, "provider": "provider.x"}
        inside = {"modules": [{"path": ["root"], "outputs": outputs, "resources": {"terraform_data.x": resource}}]}
    return json.dumps({"version": format_, "serial": 1, "lineage": "l", **inside}).encode()


def output(value: Any, *, sensitive: bool = True) -> dict[str, Any]:
    return {"value": value, "type": "string", **({"sensitive": True} if sensitive else {})}


def shown(raw: bytes) -> str:
    """Everything that is shown of the document, on every surface."""
    read, inside = parse_state(raw), Inside(raw)
    held = inside.object("terraform_data.x", 0)
    assert held is not None
    outputs = [inside.output(row.name) for row in read.outputs]
    return "\n".join(
        (
            repr(read),
            json.dumps(held.values()),
            *(json.dumps(one.values()) for one in outputs if one is not None),
            "".join(document_pieces(inside.text, read)),
        )
    )


@pytest.mark.parametrize("format_", [4, 3])
@pytest.mark.parametrize(
    "attributes",
    [
        {"value": SECRET},
        {"note": f"the password is {SECRET}."},
        {"note": SECRET.upper()},
        {"tags": {SECRET: "x"}},
        {"id": SECRET},
    ],
    ids=["whole", "part", "other case", "key", "identifier"],
)
def test_a_copy_of_a_sensitive_output_is_shown_nowhere(attributes: dict[str, Any], format_: int) -> None:
    raw = document({"id": "one"} | attributes, {"p": output(SECRET), "q": output(SECRET, sensitive=False)}, format_=format_)
    assert SECRET not in shown(raw)
    assert SECRET.upper() not in shown(raw)
    assert [hit for hit in search(parse_state(raw), Inside(raw), "c49fea") if hit is not None] == []


def test_texts_inside_of_a_sensitive_output_count_and_revealing_gives_the_value() -> None:
    raw = document({"id": "one", "value": SECRET}, {"db": output({"host": "db", "secret": [SECRET]})})
    held = Inside(raw).object("terraform_data.x", 0)
    assert SECRET not in shown(raw)
    assert held is not None
    assert (secret := held.reveal(("value",))) is not None
    assert secret.reveal() == SECRET


@pytest.mark.parametrize(
    "text",
    [
        "true",
        "5432",
        "eu-central-1",
        "eu-central-1a",
        "postgres",
        "10.0.0.0/16",
        "1.11.4",
        "db-prod-01",
        "West Europe",
        "x9!",
        "2026-01-02",
    ],
)
def test_what_says_little_stays_readable_in_other_objects(text: str) -> None:
    assert f'"value": "{text}"' in shown(document({"id": "one", "value": text}, {"all": output({"secret": SECRET, "x": text})}))


@pytest.mark.parametrize("name", ["arn:aws:s3:::legacy-c49fea7431", "vpc-0a1b2c3d4e5f67890", "projects/p/zones/z/instances/i-1x"])
def test_what_names_an_object_of_a_cloud_stays_its_identifier(name: str) -> None:
    raw = document({"id": name, "arn": name}, {"all": output({"arn": name, "bucket": SECRET})})
    assert parse_state(raw).ids == (name,)
    assert f'"arn": "{name}"' in shown(raw)


def test_an_output_that_is_not_sensitive_hides_nothing() -> None:
    raw = document({"id": "one", "value": SECRET}, {"p": output(SECRET, sensitive=False)})
    assert f'"value": "{SECRET}"' in shown(raw)
