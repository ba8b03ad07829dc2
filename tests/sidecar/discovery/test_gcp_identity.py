from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from kumoss_console.sidecar.discovery.failure import DiscoveryError
from kumoss_console.sidecar.discovery.gcp_identity import request_token
from tests.fakes.clouds.gcp import TOKEN, gcp_cloud
from tests.fakes.clouds.server import Answer, Cloud
from tests.sidecar.discovery.conftest import Asking


@pytest.fixture(scope="module")
def private_key() -> str:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    return private.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def account(cloud: Cloud, private_key: str) -> str:
    info = {
        "type": "service_account",
        "client_email": "ops@acme.iam.gserviceaccount.com",
        "private_key": private_key,
        "token_uri": f"{cloud.url}/token",
    }
    return json.dumps(info)


def test_a_ready_token_is_used_as_it_is_and_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.auth.exceptions", None)
    environ = {"GOOGLE_OAUTH_ACCESS_TOKEN": "ya29.ready", "GOOGLE_CREDENTIALS": "not even JSON"}
    assert request_token(environ).reveal() == "ya29.ready"
    with pytest.raises(DiscoveryError, match=r"install them: pip install 'kumoss-console\[gcp\]'$"):
        request_token({"GOOGLE_CREDENTIALS": "{}"})


@pytest.mark.parametrize("as_file", [False, True])
def test_a_service_account_gets_its_token_with_the_real_library(
    as_file: bool, asking: Asking, private_key: str, tmp_path: Path
) -> None:
    with gcp_cloud([]) as cloud:
        cloud.lead(asking.monkeypatch)
        given = account(cloud, private_key)
        if as_file:
            (tmp_path / "key.json").write_text(given)
            given = str(tmp_path / "key.json")
        assert request_token({"GOOGLE_CREDENTIALS": given}).reveal() == TOKEN
    (asked,) = cloud.asked
    assert parse_qs(asked.body.decode())["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]


def test_application_default_credentials_are_the_last_resort(asking: Asking, private_key: str, tmp_path: Path) -> None:
    with gcp_cloud([]) as cloud:
        cloud.lead(asking.monkeypatch)
        (tmp_path / "key.json").write_text(account(cloud, private_key))
        asking.monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "key.json"))
        asking.monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "acme-prod-1")
        assert request_token({}).reveal() == TOKEN


@pytest.mark.parametrize("source", ["token", "account"])
def test_any_of_them_may_impersonate(source: str, asking: Asking, private_key: str) -> None:
    with gcp_cloud([]) as cloud:
        environ = dict(cloud.lead(asking.monkeypatch))
        if source == "account":
            del environ["GOOGLE_OAUTH_ACCESS_TOKEN"]
            environ["GOOGLE_CREDENTIALS"] = account(cloud, private_key)
        environ["GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"] = "deploy@acme.iam.gserviceaccount.com"
        assert request_token(environ).reveal() == TOKEN
    impersonated = cloud.asked[-1]
    assert impersonated.path == "/v1/projects/-/serviceAccounts/deploy@acme.iam.gserviceaccount.com:generateAccessToken"
    assert impersonated.headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("/nowhere/at/all.json", "GOOGLE_CREDENTIALS is neither a readable file nor JSON content"),
        ("{not json", "GOOGLE_CREDENTIALS is neither a readable file nor JSON content"),
        ("[1]", "GOOGLE_CREDENTIALS is not a JSON object"),
        ('"text"', "GOOGLE_CREDENTIALS is not a JSON object"),
        ("x" * 5000, "GOOGLE_CREDENTIALS is neither a readable file nor JSON content"),
        ("a\0b", "GOOGLE_CREDENTIALS is neither a readable file nor JSON content"),
    ],
)
def test_credentials_that_cannot_be_read_are_told_without_their_content(given: str, message: str) -> None:
    with pytest.raises(DiscoveryError) as refusal:
        request_token({"GOOGLE_CREDENTIALS": given})
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    "info",
    [
        {"type": "service_account"},
        {"type": "service_account", "client_email": "a@b", "token_uri": "https://x", "private_key": "key-to-hide"},
        {"type": "authorized_user"},
    ],
)
def test_credentials_without_what_they_need_are_misconfigured(info: dict[str, str]) -> None:
    with pytest.raises(DiscoveryError, match=r"^Google credentials are misconfigured: ") as refusal:
        request_token({"GOOGLE_CREDENTIALS": json.dumps(info)})
    assert "key-to-hide" not in str(refusal.value)


@pytest.mark.filterwarnings("ignore:The load_credentials_from_dict method is deprecated:DeprecationWarning")
def test_a_kind_of_credentials_that_nobody_knows_is_misconfigured() -> None:
    with pytest.raises(DiscoveryError, match=r"^Google credentials are misconfigured: .*valid type"):
        request_token({"GOOGLE_CREDENTIALS": '{"type": "carrier_pigeon"}'})


def test_nothing_set_up_is_said_with_what_to_do(asking: Asking) -> None:
    with pytest.raises(DiscoveryError) as refusal:
        request_token({})
    assert str(refusal.value) == "no Google credentials configured for scope discovery; set GOOGLE_* per PROVIDERS.md"


def test_a_default_that_names_no_file_is_misconfigured_and_not_absent(asking: Asking) -> None:
    environ = {"GOOGLE_APPLICATION_CREDENTIALS": "/nowhere/at/all.json"}
    asking.monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/at/all.json")
    with pytest.raises(DiscoveryError, match=r"^Google credentials are misconfigured: .*/nowhere/at/all.json"):
        request_token(environ)


def test_a_refused_grant_is_a_failed_request(asking: Asking, private_key: str) -> None:
    with gcp_cloud([]) as cloud:
        cloud.lead(asking.monkeypatch)
        cloud.instead(
            "token", Answer(400, {"error": "invalid_grant", "error_description": "Invalid JWT", "id_token": "hide-me"}), nth=0
        )
        with pytest.raises(DiscoveryError, match=r"^Google token request failed: invalid_grant") as refusal:
            request_token({"GOOGLE_CREDENTIALS": account(cloud, private_key)})
    assert "hide-me" not in str(refusal.value)


def test_a_token_endpoint_that_is_not_there_is_a_failed_request(asking: Asking, private_key: str) -> None:
    with gcp_cloud([]) as cloud:
        cloud.lead(asking.monkeypatch)
        given = account(cloud, private_key)
    with pytest.raises(DiscoveryError, match=r"^Google token request failed: "):
        request_token({"GOOGLE_CREDENTIALS": given})


def test_an_answer_without_a_token_is_told(asking: Asking, private_key: str) -> None:
    with gcp_cloud([]) as cloud:
        cloud.lead(asking.monkeypatch)
        cloud.instead("token", Answer(body={"access_token": "", "expires_in": 3600}), nth=0)
        with pytest.raises(DiscoveryError, match=r"^Google credentials produced no access token$"):
            request_token({"GOOGLE_CREDENTIALS": account(cloud, private_key)})


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, b"<html>Sign in</html>"),
        Answer(200, [1]),
        Answer(200, b"42"),
        Answer(200, b"\xff"),
        Answer(200, {"access_token": 7, "expires_in": "soon"}),
        Answer(200, {}),
        Answer(400, b"<html>"),
        Answer(400, [1]),
        Answer(400, {"error": ["list"], "error_description": 7}),
    ],
)
@pytest.mark.parametrize("operation", ["token", "impersonate"])
def test_a_token_endpoint_that_is_none_is_told(operation: str, answer: Answer, asking: Asking, private_key: str) -> None:
    with gcp_cloud([]) as cloud:
        cloud.instead(operation, answer, nth=0)
        environ = dict(cloud.lead(asking.monkeypatch))
        del environ["GOOGLE_OAUTH_ACCESS_TOKEN"]
        environ["GOOGLE_CREDENTIALS"] = account(cloud, private_key)
        if operation == "impersonate":
            environ["GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"] = "deploy@acme.iam.gserviceaccount.com"
        with pytest.raises(DiscoveryError, match=r"^Google (token request failed: |credentials produced no access token)"):
            request_token(environ)
