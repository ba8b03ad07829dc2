"""Who we are to a storage account without a key: an identity of Entra ID, and where its token came from.

The SDK's own chain tries an environment, a workload, a machine, and the sessions of other tools, and keeps to itself which one
answered. Here the same credentials are asked one after another, so that the one that answered can be told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from kumoss_console.clients.azure_client import must_have
from kumoss_console.clients.azure_failures import NoIdentity
from kumoss_console.text import printable, redact

if TYPE_CHECKING:
    from azure.core.credentials import AccessToken, TokenCredential

_SOURCES = {
    "EnvironmentCredential": "the variables AZURE_*",
    "WorkloadIdentityCredential": "a workload identity",
    "ManagedIdentityCredential": "the managed identity of this machine",
    "SharedTokenCacheCredential": "the token cache of this user",
    "VisualStudioCodeCredential": "Visual Studio Code",
    "AzureCliCredential": "az login",
    "AzurePowerShellCredential": "Connect-AzAccount",
    "AzureDeveloperCliCredential": "azd auth login",
}
_EXPIRED = ("az login", "expired", "aadsts70043", "aadsts700082", "aadsts50173", "interaction")


class _Claims(msgspec.Struct):
    upn: str = ""
    unique_name: str = ""
    app_displayname: str = ""
    appid: str = ""
    oid: str = ""


class EntraIdentity:
    """A credential for the SDK, over the credentials that ``found`` gives. Imported and looked for on first use."""

    def __init__(self, found: Callable[[], Sequence[TokenCredential]] | None = None) -> None:
        self._found = found or _default_credentials
        self._credentials: Sequence[TokenCredential] | None = None
        self._answered: TokenCredential | None = None
        self._lock = threading.Lock()
        self._told = ""

    @property
    def told(self) -> str:
        """``jo@acme.example by az login``; empty before the first token."""
        return self._told

    def get_token(self, *scopes: str, **how: Any) -> AccessToken:
        """A token of the first credential that has one. Raises :class:`NoIdentity` where none has."""
        from azure.core.exceptions import ClientAuthenticationError

        with self._lock:
            if self._credentials is None:
                self._credentials = self._found()
            from azure.identity import CredentialUnavailableError

            absent: list[str] = []
            failed: list[str] = []
            for credential in [self._answered] if self._answered is not None else self._credentials:
                try:
                    token = credential.get_token(*scopes, **how)
                except CredentialUnavailableError:
                    absent.append(_source(credential))
                    continue
                except (ClientAuthenticationError, ValueError) as error:
                    failed.append(f"{_source(credential)}: {_why(error)}")
                    continue
                self._answered = credential
                self._told = f"{_whose(token.token)} by {_source(credential)}"
                return token
        nowhere = f"not set up here: {', '.join(name for name in absent if name)}" if any(absent) else ""
        said = "\n".join((*failed, *((nowhere,) if nowhere else ()))) or "no way to sign in was found"
        expired = self._answered is not None and any(sign in said.lower() for sign in _EXPIRED)
        # Not from the SDK's error, whose text may be a page long and name a client's secret.
        raise NoIdentity(said, expired=expired) from None


def _default_credentials() -> Sequence[TokenCredential]:
    must_have("azure.identity")
    from azure.identity import DefaultAzureCredential

    # The SDK types its members wider than it fills them: each gives tokens.
    return cast("Sequence[TokenCredential]", DefaultAzureCredential().credentials)


def _source(credential: object) -> str:
    """Where a credential's token comes from, in words; empty for the SDK's own stand-in for one that could not be made."""
    name = type(credential).__name__
    return "" if name.startswith("Failed") else _SOURCES.get(name, name)


def _why(error: Exception) -> str:
    text = redact(str(error)).strip().partition("\n")[0]
    return printable(text)[:120]


def _whose(token: str) -> str:
    """Who a token is for, by its own words: it is not checked, that is the service's business."""
    import base64

    try:
        body = token.split(".")[1]
        claims = msgspec.json.decode(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)), type=_Claims)
    except (IndexError, ValueError, msgspec.MsgspecError):
        return "an identity that does not say its name"
    name = claims.upn or claims.unique_name or claims.app_displayname or claims.appid or claims.oid
    return printable(name)[:200] or "an identity that does not say its name"
