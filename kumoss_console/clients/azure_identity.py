"""Who we are to a storage account without a key: an identity of Entra ID, and where its token came from.

The SDK's own chain tries an environment, a workload, a machine, and the sessions of other tools, and keeps to itself which one
answered. Here the same credentials are asked one after another, so that the one that answered can be told.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import msgspec

from kumoss_console.clients.azure_client import must_have
from kumoss_console.clients.azure_no_token import AZ, AZD, ENVIRONMENT, POWERSHELL, NoIdentity, Why
from kumoss_console.clients.azure_wire import waiting_for
from kumoss_console.text import printable, redact

if TYPE_CHECKING:
    from azure.core.credentials import AccessToken, TokenCredential

_SOURCES = {
    "EnvironmentCredential": ENVIRONMENT,
    "WorkloadIdentityCredential": "a workload identity",
    "ManagedIdentityCredential": "the managed identity of this machine",
    "SharedTokenCacheCredential": "the token cache of this user",
    "VisualStudioCodeCredential": "Visual Studio Code",
    "AzureCliCredential": AZ,
    "AzurePowerShellCredential": POWERSHELL,
    "AzureDeveloperCliCredential": AZD,
    "BrokerCredential": "the sign-in broker of this machine",
}
_EXPIRED = (
    "expired",
    "aadsts50173",  # the password was changed
    "aadsts700082",  # unused for too long
    "aadsts70043",  # the sign-in frequency of conditional access
    "aadsts7000222",  # the secret of an application
    "interaction_required",
)


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
        self._who = ""
        self._failed = ""

    @property
    def told(self) -> str:
        """``jo@acme.example by az login``; that there is no token, and of whom; empty before anybody was asked."""
        if not self._failed:
            return self._who
        return f"{self._who}, and no new token" if self._who else f"no token ({self._failed})"

    def get_token(self, *scopes: str, **how: Any) -> AccessToken:
        """A token of the first credential that has one. Raises :class:`NoIdentity` where none has."""
        waiting_for("an identity of Entra ID")
        try:
            with self._lock:
                return self._asked(scopes, how)
        except NoIdentity as error:
            self._failed = error.source or "nothing is set up here"
            raise
        finally:
            waiting_for("")

    def _asked(self, scopes: Sequence[str], how: Mapping[str, Any]) -> AccessToken:
        from azure.core.exceptions import AzureError

        if self._credentials is None:
            self._credentials = self._found()
        absent: list[str] = []
        failed: list[_Failure] = []
        for credential in [self._answered] if self._answered is not None else self._credentials:
            source = _source(credential)
            waiting_for(source or "an identity of Entra ID")
            try:
                token = credential.get_token(*scopes, **how)
            except (AzureError, ValueError) as error:
                why = _kind(error)
                if why == "absent":
                    absent.append(source)
                else:
                    failed.append(_Failure(source, why, _words(error, why)))
                continue
            self._answered = credential
            self._who, self._failed = f"{_whose(token.token)} by {source}", ""
            return token
        nowhere = f"not set up here: {', '.join(name for name in absent if name)}" if any(absent) else ""
        said = (*(f"{one.source}: {one.words}" for one in failed), *((nowhere,) if nowhere else ()))
        told = "\n".join(said) or "no way to sign in was found"
        # Not from the SDK's error, whose text may be a page long and name a client's secret.
        if failed:
            raise NoIdentity(told, why=failed[0].why, source=failed[0].source) from None
        ended = self._answered is not None  # it gave tokens, and is signed out by now
        raise NoIdentity(told, why="expired" if ended else "absent", source=absent[0] if ended else "") from None


@dataclass(frozen=True, slots=True)
class _Failure:
    """A credential that is set up and gave no token."""

    source: str
    why: Why
    words: str


def _kind(error: Exception) -> Why:
    """The SDK has one error for nearly all of it: what it came from tells them apart."""
    from azure.core.exceptions import ServiceRequestError, ServiceResponseError
    from azure.identity import CredentialUnavailableError

    chain = (error, error.__cause__)
    if any(isinstance(link, subprocess.TimeoutExpired) for link in chain):
        return "silent"
    if any(isinstance(link, ServiceRequestError | ServiceResponseError) for link in chain):
        return "absent" if isinstance(error, CredentialUnavailableError) else "unreachable"
    if any(sign in str(error).lower() for sign in _EXPIRED):
        return "expired"
    return "absent" if isinstance(error, CredentialUnavailableError) else "refused"


def _words(error: Exception, why: Why) -> str:
    cause = error.__cause__
    if why == "silent" and isinstance(cause, subprocess.TimeoutExpired):
        return f"it gave no answer within {cause.timeout:.0f} s"
    return _why(error)


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
    return printable(text)[:200]


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
