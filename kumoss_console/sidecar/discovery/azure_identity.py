"""A token for Azure, from the same ``ARM_*`` variables that the azurerm provider is set up with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kumoss_console.sidecar.discovery.failure import OTHER_FORM, UNREADABLE, DiscoveryError, extra_missing, told
from kumoss_console.sidecar.discovery.fields import truthy
from kumoss_console.text import Secret

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential

AUTHORITY_VARIABLE = "AZURE_AUTHORITY_HOST"
_TIMEOUT = 60
_SECRET_VARIABLES = ("ARM_CLIENT_SECRET", "ARM_CLIENT_CERTIFICATE_PASSWORD", "ARM_OIDC_TOKEN")
# The authorities that azure-identity may check a name with; one of another cloud is known to its own network only.
_PUBLIC = ("login.microsoftonline.com", "login.microsoftonline.us", "login.chinacloudapi.cn", "login.partner.microsoftonline.cn")


@dataclass(frozen=True, slots=True)
class Method:
    """How a token is got: the name of a credential of ``azure.identity`` and what it is made with."""

    credential: str
    arguments: Mapping[str, Any]


def chosen(environ: Mapping[str, str]) -> Method:
    """The first method that ``environ`` sets up. Raises :class:`DiscoveryError` where it sets up none."""

    def told_by(name: str) -> str | None:
        return environ.get(name, "").strip() or None

    who = {"tenant_id": told_by("ARM_TENANT_ID") or "", "client_id": told_by("ARM_CLIENT_ID") or ""}
    if truthy(environ.get("ARM_USE_MSI")):
        return Method("ManagedIdentityCredential", {"client_id": told_by("ARM_CLIENT_ID")})
    if truthy(environ.get("ARM_USE_AKS_WORKLOAD_IDENTITY")):
        return Method(
            "WorkloadIdentityCredential",
            {name: value or None for name, value in who.items()} | {"token_file_path": told_by("AZURE_FEDERATED_TOKEN_FILE")},
        )
    if truthy(environ.get("ARM_USE_OIDC")) and (assertion := _assertion(environ)):
        return Method("ClientAssertionCredential", {**who, "func": assertion})
    if path := told_by("ARM_CLIENT_CERTIFICATE_PATH"):
        password = environ.get("ARM_CLIENT_CERTIFICATE_PASSWORD") or None
        return Method("CertificateCredential", {**who, "certificate_path": path, "password": password})
    if secret := environ.get("ARM_CLIENT_SECRET"):
        return Method("ClientSecretCredential", {**who, "client_secret": secret})
    raise DiscoveryError("no Azure credentials configured for scope discovery; set ARM_* per PROVIDERS.md")


def _assertion(environ: Mapping[str, str]) -> Callable[[], str] | None:
    if token := environ.get("ARM_OIDC_TOKEN", "").strip():
        return partial(str, token)
    if path := environ.get("ARM_OIDC_TOKEN_FILE_PATH", "").strip():
        # Read at each use: whoever wrote it replaces it before it expires.
        return lambda: Path(path).read_text("utf-8").strip()
    return None


def request_token(environ: Mapping[str, str], scope: str) -> Secret:
    """A token for ``scope``. Blocks for as long as the token endpoint does. Raises :class:`DiscoveryError`."""
    method = chosen(environ)
    secrets = [Secret(environ[name]) for name in _SECRET_VARIABLES if environ.get(name)]
    try:
        from azure.core.exceptions import AzureError
    except ImportError:
        raise extra_missing("Azure", "azure") from None
    try:
        credential = _made(method, environ)
    except ImportError:
        raise extra_missing("Azure", "azure") from None
    except (ValueError, TypeError, OSError) as error:
        raise DiscoveryError(f"Azure credentials are misconfigured: {told(str(error), secrets)}") from None
    with closing(credential):
        try:
            return Secret(credential.get_token(scope).token)
        except (AzureError, ValueError, OSError) as error:
            raise DiscoveryError(f"Azure token request failed: {told(str(error), secrets)}") from None
        except UNREADABLE:
            raise DiscoveryError(f"Azure token request failed: {OTHER_FORM}") from None


def _made(method: Method, environ: Mapping[str, str]) -> _ClosableCredential:
    from azure import identity

    # Written out one by one: an attribute looked up by a name would be typed by nobody.
    kinds: dict[str, Callable[..., Any]] = {
        "ManagedIdentityCredential": identity.ManagedIdentityCredential,
        "WorkloadIdentityCredential": identity.WorkloadIdentityCredential,
        "ClientAssertionCredential": identity.ClientAssertionCredential,
        "CertificateCredential": identity.CertificateCredential,
        "ClientSecretCredential": identity.ClientSecretCredential,
    }
    options: dict[str, Any] = {"connection_timeout": _TIMEOUT, "read_timeout": _TIMEOUT}
    authority = environ.get(AUTHORITY_VARIABLE, "").strip()
    if authority and method.credential != "ManagedIdentityCredential":
        options["authority"] = authority
        options["disable_instance_discovery"] = authority.partition("://")[2].strip("/") not in _PUBLIC
    made: _ClosableCredential = kinds[method.credential](**method.arguments, **options)
    return made


if TYPE_CHECKING:

    class _ClosableCredential(TokenCredential):
        def close(self) -> None: ...
