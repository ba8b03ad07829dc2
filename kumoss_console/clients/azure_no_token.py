"""Why there is no token of Entra ID: as errors an operator can act on. The account itself has not been asked then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from kumoss_console.clients.azure_errors import EXPIRED, AzureTarget, Rule, made
from kumoss_console.errors import AccessDenied, ConsoleError, Unreachable

Why = Literal["absent", "expired", "unreachable", "silent", "refused"]
"""Why there is no token: nothing is set up; the sign-in has ended; who gives tokens cannot be reached, or the tool that asks for
one hangs; or the answer was another no."""

ENVIRONMENT, AZ, AZD, POWERSHELL = "the variables AZURE_*", "az login", "azd auth login", "Connect-AzAccount"
"""Where an identity comes from, in words."""

_CODE = "store.no_credentials"
_NOTHING_SET_UP = Rule(
    AccessDenied,
    _CODE,
    "there are no credentials of Entra ID for {where}",
    "az login, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or put the account's key into {variable}",
)
_REFUSED = Rule(AccessDenied, _CODE, "Entra ID gave no token for {where}, which was not asked", "")
_UNREACHABLE = Rule(
    Unreachable,
    _CODE,
    "the service that gives tokens of Entra ID cannot be reached, and {where} was not asked",
    "check the way to login.microsoftonline.com (HTTPS_PROXY), or AZURE_AUTHORITY_HOST where it is another one",
)
_SILENT = Rule(Unreachable, _CODE, "no token of Entra ID came in time for {where}, which was not asked", "")

_SIGN_IN: Mapping[str, str] = {
    ENVIRONMENT: "make a new secret or certificate for that application, and put it where AZURE_CLIENT_SECRET or "
    "AZURE_CLIENT_CERTIFICATE_PATH says",
    AZ: "sign in again (az login), then try again",
    AZD: "sign in again (azd auth login), then try again",
    POWERSHELL: "sign in again (Connect-AzAccount), then try again",
}
_RENEW = "renew that identity, or use another one (az login)"
_SEE_WHY: Mapping[str, str] = {
    ENVIRONMENT: "compare AZURE_TENANT_ID, AZURE_CLIENT_ID and the secret with the application's registration",
    AZ: "see what az account get-access-token --resource https://storage.azure.com says, and sign in (az login)",
    AZD: "see what azd auth token says, and sign in (azd auth login)",
    POWERSHELL: "see what Get-AzAccessToken says, and sign in (Connect-AzAccount)",
}
_LOOK = "look at that identity, or use another one: az login, AZURE_*, the account's key or a SAS"


class NoIdentity(Exception):
    """No credential gave a token. The text is for people; ``source`` is the first one that is set up, in words."""

    def __init__(self, told: str, *, why: Why = "absent", source: str = "") -> None:
        super().__init__(told)
        self.why: Why = why
        self.source = source


def no_token(error: NoIdentity, target: AzureTarget) -> ConsoleError:
    """The error that this is to somebody who asked for ``target``."""
    told = str(error)
    match error.why:
        case "absent":
            return made(_NOTHING_SET_UP, target, told)
        case "expired":
            return made(EXPIRED, target, told, hint=_SIGN_IN.get(error.source, _RENEW))
        case "unreachable":
            return made(_UNREACHABLE, target, told)
        case "silent":
            return made(_SILENT, target, told, hint=_SEE_WHY.get(error.source, _LOOK))
        case "refused":
            return made(_REFUSED, target, told, hint=_SEE_WHY.get(error.source, _LOOK))


def no_token_in_time(target: AzureTarget, source: str, seconds: float) -> ConsoleError:
    """``source`` was asked for a token, and the time for the whole call is over."""
    return made(_SILENT, target, f"{source} gave no answer within {seconds:.0f} s", hint=_SEE_WHY.get(source, _LOOK))
