"""Why there is no token of Entra ID, told apart: by the SDK's own credentials, where a tool or a variable makes them fail."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_identity import EntraIdentity
from kumoss_console.clients.azure_no_token import AZ, ENVIRONMENT, NoIdentity, Why
from kumoss_console.errors import AccessDenied, ConsoleError, Unreachable
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from tests.azurite import ACCOUNT
from tests.fakes.scripted_service import closed_port

EXPIRED = (
    "ERROR: AADSTS70043: The refresh token has expired or is invalid due to sign-in frequency checks by conditional access. "
    "Interactive authentication is needed. Please run: az login --scope https://storage.azure.com/.default"
)
ENTRA = StorageCredentials(entra=True, source="Entra ID")


def settings() -> StorageSettings:
    return StorageSettings(
        provider=StorageProvider.STORAGE_ACCOUNT,
        endpoint_url=f"https://127.0.0.1:{closed_port()}/{ACCOUNT}",
        connect_timeout=0.2,
        read_timeout=0.2,
    )


@pytest.fixture
def az(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts an ``az`` of a few lines of shell in front of whatever there is."""

    def write(script: str) -> None:
        tool = tmp_path / "az"
        tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        tool.chmod(0o755)

    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return write


def by_az(seconds: int = 10) -> EntraIdentity:
    from azure.identity import AzureCliCredential

    return EntraIdentity(lambda: [AzureCliCredential(process_timeout=seconds)])


def by_variables() -> EntraIdentity:
    from azure.identity import EnvironmentCredential

    return EntraIdentity(lambda: [EnvironmentCredential(retry_total=0)])


async def error_of(identity: EntraIdentity) -> ConsoleError:
    """What a command says, where nothing can be asked without a token. The account is at a port where nobody listens."""
    store = AzureStore(settings(), ENTRA, identity=identity, back_off=20.0)
    with pytest.raises(ConsoleError) as caught:
        await store.check()
    await store.aclose()
    return caught.value


async def test_a_sign_in_that_has_ended_is_told_in_a_fresh_process_too(az: Callable[[str], None]) -> None:
    az(f"echo '{EXPIRED}' >&2; exit 1")
    error = await error_of(by_az())
    assert (type(error), error.code) == (AccessDenied, "store.expired_token")
    assert "AADSTS70043" in error.detail
    assert error.hint.startswith("sign in again (az login)")


async def test_who_never_signed_in_has_no_credentials(az: Callable[[str], None]) -> None:
    az("echo \"ERROR: Please run 'az login' to setup account.\" >&2; exit 1")
    error = await error_of(by_az())
    assert (type(error), error.code) == (AccessDenied, "store.no_credentials")
    assert error.title.startswith("there are no credentials of Entra ID")
    assert error.detail == "not set up here: az login"


async def test_an_az_that_hangs_is_what_hangs_and_not_the_store(az: Callable[[str], None]) -> None:
    az("exec sleep 60")
    error = await error_of(by_az(seconds=1))
    assert isinstance(error, Unreachable)
    assert "was not asked" in error.title
    assert error.detail == "az login: it gave no answer within 1 s"
    assert "az account get-access-token" in error.hint


class AzureCliCredential:
    """Hangs as the SDK's own does over an ``az`` that hangs, until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def get_token(self, *_: str, **__: object) -> Any:
        self.go.wait(60)
        raise ValueError("let go")


async def test_where_the_time_is_over_before_there_is_a_token_the_store_is_not_said_to_hang() -> None:
    slow = AzureCliCredential()
    store = AzureStore(settings(), ENTRA, identity=EntraIdentity(lambda: [slow]), back_off=0.1)
    with pytest.raises(Unreachable) as caught:
        await store.check()
    slow.go.set()
    await store.aclose()
    assert "no token of Entra ID came in time" in caught.value.title
    assert caught.value.detail.startswith(f"{AZ} gave no answer within")
    assert "overloaded" not in str(caught.value)


async def test_a_login_service_that_cannot_be_reached_is_told_from_having_no_credentials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AZURE_TENANT_ID", "72f988bf-86f1-41af-91ab-2d7cd011db47")
    monkeypatch.setenv("AZURE_CLIENT_ID", "x")
    monkeypatch.setenv("AZURE_CLIENT_SECRET", "hunter2")
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{closed_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    error = await error_of(by_variables())
    assert isinstance(error, Unreachable)
    assert "cannot be reached" in error.title
    assert error.detail.startswith(f"{ENVIRONMENT}: Authentication failed")
    assert "HTTPS_PROXY" in error.hint
    assert "hunter2" not in str(error)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("AADSTS7000222: The provided client secret keys for app 'x' are expired.", "expired"),
        ("AADSTS7000215: Invalid client secret provided.", "refused"),
        ("AADSTS90002: Tenant 'x' not found.", "refused"),
    ],
)
def test_what_entra_id_itself_says_no_to_is_told_by_its_codes(said: str, why: Why) -> None:
    from azure.core.exceptions import ClientAuthenticationError

    class EnvironmentCredential:
        def get_token(self, *_: str, **__: object) -> Any:
            raise ClientAuthenticationError(said)

    identity = EntraIdentity(lambda: [EnvironmentCredential()])
    with pytest.raises(NoIdentity) as caught:
        identity.get_token("scope")
    assert (caught.value.why, caught.value.source) == (why, ENVIRONMENT)
    assert identity.told == f"no token ({ENVIRONMENT})"


def test_who_is_asked_first_tells_why_there_is_no_token() -> None:
    from azure.core.exceptions import ClientAuthenticationError

    class EnvironmentCredential:
        def get_token(self, *_: str, **__: object) -> Any:
            raise ClientAuthenticationError("AADSTS7000215: Invalid client secret provided.")

    class AzureCliCredential:
        def get_token(self, *_: str, **__: object) -> Any:
            raise ClientAuthenticationError(EXPIRED)

    with pytest.raises(NoIdentity) as caught:
        EntraIdentity(lambda: [EnvironmentCredential(), AzureCliCredential()]).get_token("scope")
    assert (caught.value.why, caught.value.source) == ("refused", ENVIRONMENT)
    assert "AADSTS70043" in str(caught.value)


async def test_who_asks_is_said_as_it_is_where_there_is_nothing_to_show() -> None:
    nobody = AzureStore(settings(), StorageCredentials(source="none"))
    assert nobody.identity.startswith("nobody")
    assert "entra_id" in nobody.identity
    asked = AzureStore(settings(), ENTRA, identity=EntraIdentity(list))
    assert asked.identity == "Entra ID, not asked yet"
    with pytest.raises(AccessDenied):
        await asked.check()
    assert asked.identity == "Entra ID: no token (nothing is set up here)"
    await asked.aclose()
