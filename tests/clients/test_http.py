"""Endpoints and tokens are checked before anything is sent, and never shown where they hold a secret."""

from __future__ import annotations

import re
import ssl
from pathlib import Path

import certifi
import pytest

from kumoss_console.clients.http import Bearer, checked_endpoint, trust
from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.errors import ExitCode, InputError
from kumoss_console.text import Secret


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://iac:8082", "http://iac:8082"),
        ("https://iac.acme.example/", "https://iac.acme.example"),
        ("http://10.0.0.1:80/iac//", "http://10.0.0.1:80/iac"),
        ("http://[::1]:8082", "http://[::1]:8082"),
        ("HTTP://iac:8082", "HTTP://iac:8082"),
    ],
)
def test_a_base_url_is_kept_without_its_last_slash(given: str, kept: str) -> None:
    assert checked_endpoint(given) == kept


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "http://"),
        ("iac:8082", "must begin with http"),
        ("ftp://iac", "must begin with http"),
        ("//iac:8082", "must begin with http"),
        ("http://", "no host"),
        ("http://:8082", "no host"),
        ("http:///v1", "no host"),
        ("http://iac:port", "port"),
        ("http://iac:99999", ""),
        ("http://[::1", ""),
        ("http://iac:8082?x=1", "no query"),
        ("http://iac:8082/#", "no query and no fragment"),
        ("http://iac :8082", "space"),
        ("http://iac\x1b[2J:8082", ""),
        ("http://iac:8082\n", ""),
        ("http://\u2603.example", "IDNA"),
    ],
)
def test_an_unusable_endpoint_is_refused_with_the_reason(given: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_endpoint(given)
    assert caught.value.code == "sidecar.endpoint_invalid"
    assert caught.value.exit_code is ExitCode.INPUT
    assert words in caught.value.detail
    assert "services.iac.endpoint" in caught.value.hint
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "given", ["http://ops:hunter22@iac:8082", "https://hunter22@iac", "ftp://a:hunter22@x", "http://a:hunter22@x:y"]
)
def test_a_password_in_the_endpoint_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_endpoint(given)
    assert "hunter22" not in f"{caught.value} {caught.value.__cause__}"


@pytest.mark.parametrize("token", ["ends in a line\n", "two words", "späti-token", "\x00\x00\x00"])
def test_a_token_that_no_header_can_carry_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(InputError) as caught:
        SidecarClient("http://iac:8082", Secret(token), timeout=1.0)
    assert caught.value.code == "sidecar.token_unusable"
    assert token.strip() not in str(caught.value)


def test_a_token_is_not_in_the_words_for_its_holder() -> None:
    assert "tok-abcdef" not in f"{Bearer(Secret('tok-abcdef'))!r} {vars(Bearer(Secret('tok-abcdef')))!r}"


def test_certificates_and_host_names_are_verified() -> None:
    context = trust()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_an_authority_of_the_operators_own_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certifi.where())
    monkeypatch.setenv("SSL_CERT_DIR", "/nowhere")
    assert trust().cert_store_stats()["x509_ca"] == len(re.findall("BEGIN CERTIFICATE", Path(certifi.where()).read_text()))


def test_a_machine_without_roots_gets_the_bundled_ones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "none"))
    assert trust().cert_store_stats()["x509_ca"] > 0
