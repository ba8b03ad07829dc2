from __future__ import annotations

import base64
import json
import os
import sys
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from kumoss_console.sidecar.discovery.azure_identity import chosen, request_token
from kumoss_console.sidecar.discovery.failure import DiscoveryError
from tests.fakes.clouds.azure import TOKEN, azure_cloud
from tests.fakes.clouds.login import TENANT, azure_login, client_certificate
from tests.fakes.clouds.server import Answer
from tests.sidecar.discovery.conftest import Asking

CLIENT = {"ARM_TENANT_ID": TENANT, "ARM_CLIENT_ID": "client-1"}
SCOPE = "https://management.azure.com/.default"
ALL = {
    "ARM_USE_MSI": "true",
    "ARM_USE_AKS_WORKLOAD_IDENTITY": "1",
    "ARM_USE_OIDC": " On ",
    "ARM_OIDC_TOKEN": "assertion",
    "ARM_CLIENT_CERTIFICATE_PATH": "/certificate",
    "ARM_CLIENT_SECRET": "s3cret",
}


def test_the_first_method_that_is_set_up_wins() -> None:
    environ = dict(ALL)
    order = []
    for name in (
        "ARM_USE_MSI",
        "ARM_USE_AKS_WORKLOAD_IDENTITY",
        "ARM_USE_OIDC",
        "ARM_CLIENT_CERTIFICATE_PATH",
        "ARM_CLIENT_SECRET",
    ):
        order.append(chosen(environ).credential)
        del environ[name]
    assert order == [
        "ManagedIdentityCredential",
        "WorkloadIdentityCredential",
        "ClientAssertionCredential",
        "CertificateCredential",
        "ClientSecretCredential",
    ]


@pytest.mark.parametrize("flag", ["false", "0", "", "no", "enabled"])
def test_a_flag_that_is_not_set_is_passed_over(flag: str) -> None:
    environ = {"ARM_USE_MSI": flag, "ARM_USE_OIDC": flag, "ARM_OIDC_TOKEN": "t", "ARM_CLIENT_SECRET": "s"}
    assert chosen(environ).credential == "ClientSecretCredential"


def test_oidc_without_a_token_falls_through_to_the_secret() -> None:
    environ = {"ARM_USE_OIDC": "true", "ARM_OIDC_REQUEST_URL": "https://example", "ARM_CLIENT_SECRET": "s"}
    assert chosen(environ).credential == "ClientSecretCredential"


@pytest.mark.parametrize("environ", [{}, {"ARM_SUBSCRIPTION_ID": "x"}, {"ARM_CLIENT_SECRET_FILE_PATH": "/x"}, CLIENT])
def test_nothing_set_up_is_said_with_what_to_do(environ: dict[str, str]) -> None:
    with pytest.raises(DiscoveryError) as refusal:
        chosen(environ)
    assert str(refusal.value) == "no Azure credentials configured for scope discovery; set ARM_* per PROVIDERS.md"


def test_a_token_file_is_read_at_each_use(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(" first \n")
    assertion = chosen({"ARM_USE_OIDC": "true", "ARM_OIDC_TOKEN_FILE_PATH": str(file)}).arguments["func"]
    assert assertion() == "first"
    file.write_text("second")
    assert assertion() == "second"


@pytest.mark.parametrize("method", ["secret", "certificate", "assertion", "workload"])
def test_a_token_is_got_with_the_real_library(method: str, asking: Asking, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("file-assertion")
    environ = (
        CLIENT
        | {
            "secret": {"ARM_CLIENT_SECRET": "s3cret"},
            "certificate": {"ARM_CLIENT_CERTIFICATE_PATH": str(client_certificate(tmp_path / "client.pem"))}
            if method == "certificate"
            else {},
            "assertion": {"ARM_USE_OIDC": "true", "ARM_OIDC_TOKEN": "assertion"},
            "workload": {"ARM_USE_AKS_WORKLOAD_IDENTITY": "true", "AZURE_FEDERATED_TOKEN_FILE": str(file)},
        }[method]
    )
    with azure_login(tmp_path) as login:
        login.lead(asking.monkeypatch)
        assert request_token({**os.environ, **environ}, SCOPE).reveal() == TOKEN
    sent = parse_qs(next(asked for asked in login.asked if asked.operation == "token").body.decode())
    assert sent["scope"] == [SCOPE]
    assert sent["client_id"] == ["client-1"]
    match method:
        case "secret":
            assert sent["client_secret"] == ["s3cret"]
        case "certificate":
            claims = sent["client_assertion"][0].split(".")[1]
            assert json.loads(base64.urlsafe_b64decode(claims + "=="))["sub"] == "client-1"
        case "assertion":
            assert sent["client_assertion"] == ["assertion"]
        case "workload":
            assert sent["client_assertion"] == ["file-assertion"]


@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        ({"ARM_CLIENT_SECRET": "hunter22"}, "client_id"),
        ({"ARM_CLIENT_SECRET": "hunter22", "ARM_CLIENT_ID": "c", "ARM_TENANT_ID": "bad tenant/"}, "tenant"),
        ({"ARM_CLIENT_CERTIFICATE_PATH": "/nowhere/at/all.pem", **CLIENT}, "/nowhere/at/all.pem"),
        ({"ARM_USE_AKS_WORKLOAD_IDENTITY": "true", **CLIENT}, "token_file_path"),
    ],
)
def test_what_cannot_be_a_credential_is_misconfigured(environ: dict[str, str], reason: str) -> None:
    with pytest.raises(DiscoveryError) as refusal:
        request_token(environ, SCOPE)
    assert str(refusal.value).startswith("Azure credentials are misconfigured: ")
    assert reason in str(refusal.value)
    assert "hunter22" not in str(refusal.value)


def test_a_refused_secret_is_told_in_azures_words_and_not_repeated(asking: Asking, tmp_path: Path) -> None:
    refused = {"error": "invalid_client", "error_description": "AADSTS7000215: Invalid client secret s3cret-value provided."}
    with azure_login(tmp_path) as login:
        login.instead("token", Answer(401, refused), nth=0)
        login.lead(asking.monkeypatch)
        with pytest.raises(DiscoveryError) as refusal:
            request_token({**os.environ, **CLIENT, "ARM_CLIENT_SECRET": "s3cret-value"}, SCOPE)
    assert str(refusal.value).startswith("Azure token request failed: ")
    assert "AADSTS7000215" in str(refusal.value)
    assert "s3cret-value" not in str(refusal.value)


ODD = [
    Answer(200, b"<html>Sign in</html>"),
    Answer(200, [1]),
    Answer(200, b"42"),
    Answer(200, {"access_token": 7, "expires_in": "soon"}),
    Answer(200, {}),
    Answer(200, b""),
    Answer(400, {"error": ["list"], "error_description": 7}),
]


@pytest.mark.parametrize(
    ("operation", "answer"), [("token", answer) for answer in ODD] + [("configuration", ODD[0]), ("configuration", ODD[1])]
)
def test_an_authority_that_is_none_is_a_failed_request(operation: str, answer: Answer, asking: Asking, tmp_path: Path) -> None:
    with azure_login(tmp_path) as login:
        login.instead(operation, answer, nth=0)
        login.lead(asking.monkeypatch)
        with pytest.raises(DiscoveryError, match=r"^Azure (token request failed|credentials are misconfigured): "):
            request_token({**os.environ, **CLIENT, "ARM_CLIENT_SECRET": "s3cret-value"}, SCOPE)


@pytest.mark.parametrize("answer", ODD)
def test_an_identity_endpoint_that_is_none_is_a_failed_request(answer: Answer, asking: Asking) -> None:
    with azure_cloud([]) as cloud:
        cloud.instead("token", answer, nth=0)
        with pytest.raises(DiscoveryError, match=r"^Azure token request failed: "):
            request_token(cloud.lead(asking.monkeypatch), SCOPE)


def test_a_token_file_that_is_gone_is_a_failed_request(asking: Asking, tmp_path: Path) -> None:
    environ = {**CLIENT, "ARM_USE_OIDC": "true", "ARM_OIDC_TOKEN_FILE_PATH": str(tmp_path / "gone")}
    with azure_login(tmp_path) as login:
        login.lead(asking.monkeypatch)
        with pytest.raises(DiscoveryError, match=r"^Azure token request failed: .*gone"):
            request_token({**os.environ, **environ}, SCOPE)


def test_a_managed_identity_may_be_named(asking: Asking) -> None:
    with azure_cloud([]) as cloud:
        environ = cloud.lead(asking.monkeypatch)
        assert request_token({**environ, "ARM_CLIENT_ID": "mine"}, "https://example.net/.default").reveal() == TOKEN
    assert cloud.asked[0].query["resource"] == "https://example.net"
    assert cloud.asked[0].query["client_id"] == "mine"


def test_without_the_packages_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("azure.identity", "azure.core.exceptions"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(DiscoveryError, match=r"install them: pip install 'kumoss-console\[azure\]'$"):
            request_token({"ARM_USE_MSI": "true"}, SCOPE)
