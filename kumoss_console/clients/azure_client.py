"""The SDK's client for the container of the settings, with whatever the operator has to show: a key, a SAS, an identity.

``azure-storage-blob`` and ``azure-identity`` are an extra. They are imported when a client is made, and asked for by name where
they are missing.
"""

from __future__ import annotations

import base64
import binascii
import importlib.util
import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from kumoss_console.clients.azure_errors import (
    SETTINGS,
    AzureTarget,
    Way,
    made,
    usable_container,
)
from kumoss_console.clients.azure_wire import MAX_OBJECT, bounded_session
from kumoss_console.errors import AccessDenied, ConfigError, InputError
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.text import Secret, printable

if TYPE_CHECKING:
    from azure.core.credentials import TokenCredential
    from azure.storage.blob import ContainerClient

INSTALL = "pip install 'kumoss-console[azure]'"


def must_have(*modules: str) -> None:
    """Raise :class:`~kumoss_console.errors.ConfigError` where the extra is not installed."""
    for module in modules:
        try:
            there = importlib.util.find_spec(module) is not None
        except ModuleNotFoundError:
            there = False
        if not there:
            raise ConfigError(
                "This console was installed without what it needs to read a storage account",
                detail=f"the package {module.replace('.', '-')} is not installed",
                hint=f"{INSTALL}; keys, overrides and jobs work here without it.",
                code="store.extra_missing",
            )


def way_of(credentials: StorageCredentials) -> Way:
    """How requests will be authorised: the key where there is one, else the SAS, else Entra ID."""
    if credentials.account_key:
        return "key"
    return "sas" if credentials.sas else "entra"


def make_client(
    storage: StorageSettings,
    credentials: StorageCredentials,
    target: AzureTarget,
    seconds: float,
    identity: TokenCredential | None,
) -> ContainerClient:
    """A client that asks only where the settings say. ``seconds`` is what an answer that is no blob may take.

    Raises :class:`~kumoss_console.errors.InputError` and :class:`~kumoss_console.errors.AccessDenied` for settings and
    credentials that no request can carry, before one is made.
    """
    must_have("azure.storage.blob")
    from azure.core.pipeline.transport import RequestsTransport
    from azure.storage.blob import ContainerClient

    # The SDK warns where nobody listens, and the standard library would print that over the screen.
    logging.getLogger("azure").addHandler(logging.NullHandler())
    transport = RequestsTransport(
        session=bounded_session(seconds),
        connection_timeout=storage.connect_timeout,
        read_timeout=storage.read_timeout,
    )
    return ContainerClient(
        _account_url(storage, target),
        _container(storage, target),
        credential=_credential(credentials, target, identity, storage),
        transport=transport,
        retry_total=max(0, storage.max_attempts - 1),
        # Who is not there, or closes the line, is not asked again; who says that it is busy, is.
        retry_connect=0,
        retry_read=0,
        initial_backoff=0.2,
        increment_base=1,
        random_jitter_range=0.1,
        permit_redirects=False,
        max_single_get_size=MAX_OBJECT + 1,
        max_single_put_size=MAX_OBJECT,
        user_agent="kumoss-console",
    )


def _account_url(storage: StorageSettings, target: AzureTarget) -> str:
    """The endpoint by the core's rule: the account is the first host label before ``blob``, else the one path segment."""
    try:
        parts = urlsplit(storage.endpoint_url)
        host = parts.hostname or ""
    except ValueError:
        raise made(SETTINGS, target, "storage.endpoint_url is no URL") from None
    if parts.scheme not in {"http", "https"} or not host or not target.account:
        raise made(
            SETTINGS,
            target,
            "storage.endpoint_url names no storage account",
            hint="storage.endpoint_url is https://ACCOUNT.blob.core.windows.net, or http://HOST:PORT/ACCOUNT for an emulator",
        )
    if parts.query:
        raise made(
            SETTINGS,
            target,
            "storage.endpoint_url has something behind a question mark",
            hint="put a SAS into the variable that azure.sas_env of the context names (STORAGE_ACCOUNT_SAS)",
        )
    server = parts.netloc.rpartition("@")[2]
    emulator = not host.startswith(f"{target.account}.blob")
    return f"{parts.scheme}://{server}" + (f"/{target.account}" if emulator else "")


def _container(storage: StorageSettings, target: AzureTarget) -> str:
    name = storage.terraform_state_bucket
    if not usable_container(name):
        raise made(
            SETTINGS,
            target,
            "storage.terraform_state_bucket is no name of a container",
            hint="a container is named with 3 to 63 small letters, digits and single hyphens",
        )
    return name


def _credential(
    credentials: StorageCredentials, target: AzureTarget, identity: TokenCredential | None, storage: StorageSettings
) -> Any:
    from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential

    if credentials.account_key:
        return AzureNamedKeyCredential(target.account, _key(credentials.account_key, target.variable))
    if credentials.sas:
        return AzureSasCredential(_signature(credentials.sas, target.variable))
    if identity is None:
        raise AccessDenied(
            f"there are no credentials for {target.where}",
            hint=f"put the account's key into {storage.account_key_env}, or a SAS into STORAGE_ACCOUNT_SAS, or set "
            "azure: {entra_id: true} in the context",
            code="store.no_credentials",
        )
    if urlsplit(storage.endpoint_url).scheme != "https":
        raise made(
            SETTINGS,
            target,
            "a token of Entra ID is sent over https only",
            hint="begin storage.endpoint_url with https://, or use a key or a SAS",
        )
    return identity


def _key(key: Secret, variable: str) -> str:
    """The key where it can be one; what it is instead is told by its form alone."""
    text = key.reveal()
    lowered = text.lower()
    if "accountname=" in lowered or "endpointsprotocol=" in lowered or "accountkey=" in lowered:
        raise _no_key(variable, "a connection string", "put only what stands behind AccountKey= into it")
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise _no_key(variable, "no base64 text, which every key of an account is", "copy the key again, whole") from None
    return text


def _signature(sas: Secret, variable: str) -> str:
    text = sas.reveal()
    if text.lower().startswith(("http://", "https://")):
        raise _no_key(variable, "a whole URL", "put only what stands behind its question mark into it")
    if "sharedaccesssignature=" in text.lower():
        raise _no_key(variable, "a connection string", "put only what stands behind SharedAccessSignature= into it")
    bare = text.removeprefix("?")
    members = parse_qs(bare)
    if not bare.isascii() or not bare.isprintable() or " " in bare or not {"sv", "sig"} <= set(members):
        raise _no_key(variable, "no SAS, which has at least sv= and sig= in it", "copy the SAS again, whole, in quotes")
    return bare


def _no_key(variable: str, what: str, then: str) -> InputError:
    return InputError(
        f"{printable(variable)} holds {what}", hint=f"Set {printable(variable)} again: {then}.", code="store.credentials"
    )
