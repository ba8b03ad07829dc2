"""Where the token may come from, and what is known to be secret by its name."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
from pathlib import Path
from urllib.parse import quote

import pytest

from kumoss_console.errors import ConfigError
from kumoss_console.sidecar.logs import configure_logging
from kumoss_console.sidecar.secrets import secrets_in
from tests.sidecar.answers import problem
from tests.sidecar.conftest import TOKEN, Serving

DIGEST = "sha256:" + hashlib.sha256(TOKEN.encode()).hexdigest()
ANY_JOB = "/v1/jobs/00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize("content", [TOKEN, f"{TOKEN}\n", DIGEST, f"{DIGEST.replace('a', 'A').replace('shA', 'sha')}\n"])
async def test_a_file_gives_the_token_or_its_digest(content: str, serving: Serving, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(content)
    for bearer, status in ((TOKEN, 404), (content.strip(), 404 if content.strip() == TOKEN else 401), ("", 401)):
        service = serving(KUMOSS_IAC_TOKEN_FILE=str(file), bearer=bearer)
        problem(await service.client.get(ANY_JOB), status)
    settings = serving.settings(KUMOSS_IAC_TOKEN_FILE=str(file))
    assert not {name for name in settings.environ if name.startswith("KUMOSS")}
    assert TOKEN not in repr(settings)


def test_a_token_in_the_environment_goes_before_a_file(serving: Serving) -> None:
    settings = serving.settings(KUMOSS_IAC_TOKEN=TOKEN, KUMOSS_IAC_TOKEN_FILE="/nowhere")
    assert settings.token_sha256 == hashlib.sha256(TOKEN.encode()).digest()


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff", b"two\nlines", b"\x1b[31m"])
def test_a_file_without_a_usable_token_refuses_the_start(content: bytes | None, serving: Serving, tmp_path: Path) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match="KUMOSS_IAC_TOKEN_FILE"):
        serving.settings(KUMOSS_IAC_TOKEN_FILE=str(file))


@pytest.mark.parametrize("content", [DIGEST.upper(), DIGEST[:-1], "sha256:zz", f"{DIGEST.removeprefix('sha256:')}  -"])
def test_a_digest_with_a_typo_is_not_taken_for_the_token(content: str, serving: Serving, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(content)
    with pytest.raises(ConfigError, match="KUMOSS_IAC_TOKEN_FILE"):
        serving.settings(KUMOSS_IAC_TOKEN_FILE=str(file))


PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
SECRETS = {
    "ARM_CLIENT_SECRET": "first-value",
    "AWS_SECRET_ACCESS_KEY": "second/value+x",
    "AWS_SESSION_TOKEN": "third-value",
    "ARM_ACCESS_KEY": "fourth-value",
    "TF_VAR_db_password": "fifth-value",
    "TF_VAR_apikey": "sixth-value",
    "TF_VAR_db_pass": "seventh-value",
    "PRIVATE_KEY": PEM,
    "GOOGLE_CREDENTIALS": json.dumps({"client_email": "a@b", "private_key": PEM, "refresh_token": "eighth-value"}),
}


def test_what_is_named_like_a_secret_never_stands_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    configure_logging(*secrets_in(SECRETS | {"PWD": "/a/folder", "HOME": "/home/somebody", "AN_API_KEY": "short"}))
    logging.getLogger("test").warning(
        "%s", [*SECRETS.values(), *PEM.splitlines(), "eighth-value", "/a/folder /home/somebody short"]
    )
    root.handlers[:] = handlers
    root.setLevel(level)
    said = capsys.readouterr().err
    for secret in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "MIIEvQ"):
        assert secret not in said
    assert "/a/folder /home/somebody short" in said


def test_a_secret_is_known_again_where_it_is_quoted_or_encoded(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    value = 'pa"w0rd\\xyz/ä+1'
    configure_logging(*secrets_in({"DB_PASSWORD": value}))
    forms = [
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        quote(value, safe=""),
        base64.b64encode(value.encode()).decode(),
    ]
    logging.getLogger("test").warning("%s", " | ".join(forms))
    root.handlers[:] = handlers
    root.setLevel(level)
    said = capsys.readouterr().err
    assert not [form for form in forms if form.strip('"=') in said]
    assert "w0rd" not in said
