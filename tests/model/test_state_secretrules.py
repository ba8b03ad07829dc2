"""What is a secret though nobody marked it stays hidden on every surface, and what only looks a little like one stays shown."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from kumoss_console.model.state import parse_state
from kumoss_console.model.state.inside import Inside
from kumoss_console.model.state.raw import document_pieces
from kumoss_console.model.state.search import search
from kumoss_console.model.state.sensitive import masked
from kumoss_console.model.state.veil import veil
from kumoss_console.model.statediff.diff import diff
from kumoss_console.model.statediff.recorded import recorded
from kumoss_console.text import MASK

SECRET = "Sup3rSecretValue42"


def state(type_: str, attributes: dict[str, Any], marks: tuple[str, ...] = ()) -> bytes:
    paths = [[{"type": "get_attr", "value": name}] for name in marks]
    instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": paths}
    provider = 'provider["registry.terraform.io/hashicorp/x"]'
    resource = {"mode": "managed", "type": type_, "name": "x", "provider": provider, "instances": [instance]}
    document = {"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}, "resources": [resource]}
    return json.dumps(document).encode()


def surfaces(raw: bytes, type_: str) -> dict[str, str]:
    """The object as each surface shows it."""
    document, inside = parse_state(raw), Inside(raw)
    held = inside.object(f"{type_}.x", 0)
    assert held is not None
    empty = recorded(state("null_resource", {"id": "1"}), label="before")
    changes = diff(empty, recorded(raw, label="after")).changes
    return {
        "values": json.dumps(held.values()),
        "raw": "".join(document_pieces(raw, document)),
        "diff": " ".join(leaf.after.text for change in changes for leaf in change.leaves().leaves if leaf.after is not None),
    }


ENVIRONMENT = [{"name": "c", "environment": [{"name": "DB_PASSWORD", "value": SECRET}, {"name": "STAGE", "value": "prod"}]}]
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV"
OBJECTS = [
    ("random_password", {"id": "none", "result": SECRET, "bcrypt_hash": f"$2a${SECRET}"}),
    ("azurerm_key_vault_secret", {"id": "https://kv/secrets/x", "value": SECRET}),
    ("aws_ssm_parameter", {"id": "/x", "type": "SecureString", "value": SECRET, "insecure_value": SECRET}),
    ("aws_secretsmanager_secret_version", {"id": "x", "secret_string": SECRET, "secret_binary": SECRET}),
    ("kubernetes_secret", {"id": "ns/s", "data": {"user": SECRET}, "binary_data": {"x": SECRET}}),
    ("kubernetes_secret_v1", {"id": "ns/s", "data": {"user": SECRET}}),
    ("google_secret_manager_secret_version", {"id": "p/s", "secret_data": SECRET}),
    ("tls_private_key", {"id": "x", "private_key_openssh": SECRET, "private_key_pem_pkcs8": SECRET}),
    ("vault_generic_secret", {"id": "x", "data": {"k": SECRET}, "data_json": SECRET}),
    ("aws_db_instance", {"id": "db", "password": SECRET}),
    ("helm_release", {"id": "h", "set_sensitive": [{"name": "p", "value": SECRET}], "values": [f"db:\n  password: {SECRET}\n"]}),
    ("kubernetes_deployment", {"id": "ns/d", "spec": [{"env": [{"name": "DB_PASSWORD", "value": SECRET, "value_from": []}]}]}),
    ("aws_ecs_task_definition", {"id": "svc", "container_definitions": json.dumps(ENVIRONMENT)}),
    ("x_y", {"id": "x", "settings": [{"key": "api_token", "value": SECRET}], "tags": [{"Key": "secret", "Value": SECRET}]}),
    ("x_y", {"id": "x", "note": f"jdbc:sqlserver://db;user=sa;Pwd={SECRET};encrypt=true"}),
    ("x_y", {"id": "x", "note": f"Endpoint=sb://x/;SharedAccessKeyName=root;SharedAccessKey={SECRET}"}),
    ("x_y", {"id": "x", "note": f"AccountName=a;AccountKey={SECRET}=="}),
    ("x_y", {"id": "x", "note": f"BlobEndpoint=https://a/;SharedAccessSignature=sv=2024&sig={SECRET}"}),
    ("x_y", {"id": "x", "note": f"postgres://app:{SECRET}@db:5432/app"}),
    ("x_y", {"id": "x", "script": f"#!/bin/sh\nexport DB_PASSWORD='{SECRET} {SECRET}'\n"}),
]


@pytest.mark.parametrize(("type_", "attributes"), OBJECTS, ids=[f"{type_}-{number}" for number, (type_, _) in enumerate(OBJECTS)])
def test_a_secret_that_nobody_marked_is_shown_on_no_surface(type_: str, attributes: dict[str, Any]) -> None:
    raw = state(type_, attributes)
    for surface, shown in surfaces(raw, type_).items():
        assert SECRET not in shown, surface
        assert attributes["id"] in shown, surface
    assert [hit for hit in search(parse_state(raw), Inside(raw), SECRET) if hit is not None] == []


@pytest.mark.parametrize(
    "token",
    [
        JWT,
        "ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "gho_0123456789abcdefghijABCDEFGHIJ012345",
        "github_pat_11ABCDEFG0abcdefghijkl_0123456789abcdefghijABCDEFGHIJ",
        "glpat-abcdefghij0123456789",
        "xoxb-123456789012-abcdefghijkl",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    ],
)
def test_a_token_is_known_by_its_form_wherever_it_stands(token: str) -> None:
    for text in (token, f"use {token} here", json.dumps({"note": token})):
        shown = surfaces(state("x_y", {"id": "x", "note": text}), "x_y")
        assert all(token not in one for one in shown.values())
    assert token not in str(masked(f"see {token}"))


@pytest.mark.parametrize(
    "attributes",
    [
        {"id": "AKIAIOSFODNN7EXAMPLE"},
        {"arn": "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db/password-AbCdEf"},
        {"id": "https://kv.vault.azure.net/secrets/db-password/0123456789abcdef"},
        {"id": "projects/p/secrets/db-password/versions/1"},
        {"name": "db-password", "length": 20},
        {"settings": [{"name": "REGION", "value": "eu-west-1"}, {"name": "TOKEN_CHECK", "value": "true"}]},
        {"policy": json.dumps({"Statement": [{"Action": "secretsmanager:GetSecretValue", "Resource": "*"}], "n": 1.10})},
        {"note": "a task_live_long description of glass-and-eyJ things, without any of them"},
    ],
    ids=lambda attributes: next(iter(attributes)),
)
def test_names_and_identifiers_of_secrets_are_no_secrets(attributes: dict[str, Any]) -> None:
    assert veil({"attributes": attributes}) == {"attributes": attributes}


def test_a_plain_parameter_is_hidden_and_what_its_type_calls_insecure_is_shown() -> None:
    shown = surfaces(
        state("aws_ssm_parameter", {"id": "/x", "type": "String", "insecure_value": "eu-west-1"}), "aws_ssm_parameter"
    )
    assert all("eu-west-1" in one for one in shown.values())


def test_a_marked_value_is_known_in_other_case_as_base64_and_cut_off() -> None:
    coded = [base64.b64encode(f"{before}{SECRET}".encode()).decode() for before in ("", "a", "ab")]
    copies = {"upper": SECRET.upper(), "lower": f"x{SECRET.lower()}x", "cut": SECRET[:-1]} | dict(zip("abc", coded, strict=True))
    raw = state("x_y", {"id": "x", "marked": SECRET, "name": "sup3r", **copies}, ("marked",))
    held = Inside(raw).object("x_y.x", 0)
    assert held is not None
    values = held.values()
    assert {name: str(values[name]) for name in copies} == dict.fromkeys(copies, MASK)
    assert (values["id"], values["name"]) == ("x", "sup3r")


def test_a_long_marked_document_does_not_hide_the_names_in_it() -> None:
    document = f"cluster: production-cluster\nserver: https://production\n{SECRET}"
    raw = state("x_y", {"id": "production-cluster", "kube": document}, ("kube",))
    held = Inside(raw).object("x_y.x", 0)
    assert held is not None
    assert held.values() == {"id": "production-cluster", "kube": MASK}
