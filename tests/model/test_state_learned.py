"""A hidden value stays hidden where it is written in another way, and where only a part of it stands."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from kumoss_console.model.state.sensitive import masked
from kumoss_console.model.state.veil import own_marks, veil
from kumoss_console.text import MASK
from tests.model.plan_documents import diff_of

SECRET = 'Zq<v&9>Kx"7w\u00e9\n???>>>'
PACKED = base64.urlsafe_b64encode(SECRET.encode()).decode()
CASES: list[tuple[str, Any, Any]] = [
    ("escaped", SECRET, json.dumps({"k": SECRET}).replace("<", "\\u003c").replace("&", "\\u0026")),
    ("escaped twice", SECRET, json.dumps({"k": json.dumps({"k": SECRET})})),
    ("base64 of addresses", SECRET, PACKED),
    ("hex", SECRET, SECRET.encode().hex().upper()),
    ("in an address", SECRET, "x=Zq%3Cv%269%3EKx%227w%C3%A9%0A%3f%3f%3f%3e%3e%3e"),
    ("number", 918273645, 918273645),
    ("number in a text", 918273645, "x918273645"),
    ("without the end of the line", "Vb7-Geheim-11\n", " Vb7-Geheim-11"),
    ("what base64 stands for", base64.b64encode(b"Vb7-Geheim-11-lang").decode(), "Vb7-Geheim-11-lang"),
    ("member of JSON", json.dumps({"user": "bob", "k": "Vb7-Geheim-11"}), "x Vb7-Geheim-11"),
    ("line", "first-line-Of-Secret1\nsecond-line-Of-Secret2", "x:\n  second-line-Of-Secret2"),
    ("short in JSON", "Zq1!", json.dumps({"k": "Zq1!"})),
]


@pytest.mark.parametrize(("marked", "copy"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_copy_of_a_marked_value_is_hidden_however_it_is_written(marked: Any, copy: Any) -> None:
    whole = {"attributes": {"p": marked, "t": copy}, "sensitive_attributes": [[{"type": "get_attr", "value": "p"}]]}
    shown = veil(whole, own_marks(whole))["attributes"]["t"]
    assert shown == MASK
    leaves = diff_of({"p": "x", "t": ""}, {"p": marked, "t": copy}, after_sensitive={"p": True}).leaves
    assert {leaf.after.hidden for leaf in leaves if leaf.after is not None} == {"marked"}


@pytest.mark.parametrize("near", ["bob", "Zq<v", {"k": 91827}, "first-line", json.dumps({"user": "bob"})])
def test_what_is_only_near_a_marked_value_stays(near: Any) -> None:
    marked = [SECRET, 91827, json.dumps({"user": "bob", "k": "Vb7-Geheim-11"})]
    whole = {"attributes": {"p": marked, "t": near}, "sensitive_attributes": [[{"type": "get_attr", "value": "p"}]]}
    assert veil(whole, own_marks(whole))["attributes"]["t"] == near


NAMES = (
    "pw db_pw admin_pw rootpw bindpw ldap_bind_pw priv_key privkey private_pem ssh_private basic_auth hmac gossip_encrypt"
    " consumer_key keyfile_json sasurl snmp_community slack_hook authorization"
)


@pytest.mark.parametrize(
    "value",
    [
        *({name: "hunter2Geheim"} for name in NAMES.split()),
        {"key": "DB_PW", "value": "hunter2Geheim"},
        {"variable": "DB_PASSWORD", "value": "hunter2Geheim"},
        {"env.0.name": "X_SECRET", "env.0.value": "hunter2Geheim"},
        ["--password", "hunter2Geheim"],
        "mysql -phunter2Geheim x",
        "curl -u me:hunter2Geheim https-host",
    ],
    ids=str,
)
def test_more_names_pairs_and_options_tell_a_secret(value: Any) -> None:
    for shown in (veil({"v": value}), masked({"v": value}), diff_of({"v": None}, {"v": value})):
        assert "hunter2" not in str(shown)


@pytest.mark.parametrize(
    "value", [{"authorization": "AWS_IAM"}, ["--name", "web"], {"env.0.name": "STAGE", "env.0.value": "prod"}]
)
def test_what_only_looks_like_one_of_them_stays(value: Any) -> None:
    assert veil({"v": value}) == masked({"v": value}) == {"v": value}
