"""Secrets from the environment, by the core's rules, each with where it came from.

A variable that is absent and one that is blank are two things: the bundled store's ``rustfsadmin`` stands in only for the
absent one. What the core would refuse to start without is a warning here, because keys, overrides and documents can be looked
at without any secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from kumoss_console.model.context import AzureSettings, IacSettings
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import Secret

BUNDLED_KEY = "rustfsadmin"
"""The key of the object store that comes with the core, which the core falls back to."""

_BUNDLED_SOURCE = f"the core's default {BUNDLED_KEY}"
_CHAIN = "the SDK's credential chain"
# Two words or more in capitals. Anything else might be a key id somebody wrote in place of a name.
_CONVENTIONAL = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")

_DEFAULTS = StorageSettings()
_NO_AZURE = AzureSettings()
# Both are members of every SAS, and no base64 text has an ampersand.
_SAS = re.compile(r"(?=.*\bsv=)(?=.*\bsig=).*&", re.DOTALL)
_CONNECTION = re.compile(r"(?i)\b(?:accountname|accountkey|defaultendpointsprotocol|blobendpoint)=")

Warn = Callable[[str], None]


def storage_credentials(
    storage: StorageSettings, environ: Mapping[str, str], warn: Warn, azure: AzureSettings = _NO_AZURE
) -> StorageCredentials:
    """What the core would sign requests with, and embed; and, for a storage account, how the console gets in without that."""
    if storage.provider is StorageProvider.STORAGE_ACCOUNT:
        return _account_credentials(storage, environ, warn, azure)
    access, access_source = _static_key(storage, storage.access_key_env, "storage.access_key_env", environ)
    secret, secret_source = _static_key(storage, storage.secret_key_env, "storage.secret_key_env", environ)
    access_name = shown_variable(storage.access_key_env, "storage.access_key_env")
    secret_name = shown_variable(storage.secret_key_env, "storage.secret_key_env")
    if access and secret:
        if storage.provider is StorageProvider.S3 and access.reveal() == BUNDLED_KEY:
            warn(
                f"{access_name} still holds {BUNDLED_KEY}, the bundled store's key, and the provider is S3: every init would end "
                f"in InvalidAccessKeyId; blank {access_name} and {secret_name}"
            )
        source = _BUNDLED_SOURCE if access_source == secret_source == _BUNDLED_SOURCE else f"{access_source}, {secret_source}"
        return StorageCredentials(access_key=access, secret_key=secret, source=source)
    if access or secret:
        lacking = secret_name if access else access_name
        warn(f"{lacking} is not set while its other half is: the core uses neither and takes {_CHAIN}")
    elif storage.provider is StorageProvider.S3 and _renamed(storage):
        warn(f"{access_name} and {secret_name} are named for static keys and are not set: the core takes {_CHAIN}")
    elif storage.provider is StorageProvider.RUSTFS:
        warn(
            f"{access_name} and {secret_name} are blank: the core signs with {_CHAIN} then, "
            "and refuses to start where that has none"
        )
    return StorageCredentials(access_key=access, secret_key=secret, source=_CHAIN)


def bearer_token(iac: IacSettings, environ: Mapping[str, str], warn: Warn) -> Secret | None:
    """The sidecar's bearer token; ``None`` where the variable is absent."""
    value = environ.get(iac.token_env) if iac.token_env else None
    name = shown_variable(iac.token_env, "services.iac.token_env")
    if not value:
        warn(
            "Services the core calls have no bearer token in the environment: "
            f"services.iac → {'$' if name == iac.token_env else ''}{name}"
        )
    elif value != value.strip():
        warn(f"{name} begins or ends with blanks or a line break: no token has those")
    return None if value is None else Secret(value)


def shown_variable(name: str, key: str) -> str:
    """The variable's name where it surely is one; else in words, as somebody may have written the secret itself there."""
    return name if _CONVENTIONAL.fullmatch(name) else f"the variable named by {key}"


def _renamed(storage: StorageSettings) -> bool:
    """Whether somebody chose the variables, and so expects keys in them."""
    return (storage.access_key_env, storage.secret_key_env) != (_DEFAULTS.access_key_env, _DEFAULTS.secret_key_env)


def _static_key(storage: StorageSettings, variable: str, key: str, environ: Mapping[str, str]) -> tuple[Secret | None, str]:
    value = environ.get(variable) if variable else None
    if value is not None:
        return Secret(value), f"env {shown_variable(variable, key)}"
    if storage.provider is StorageProvider.RUSTFS:
        return Secret(BUNDLED_KEY), _BUNDLED_SOURCE
    return None, _CHAIN


def _account_credentials(
    storage: StorageSettings, environ: Mapping[str, str], warn: Warn, azure: AzureSettings
) -> StorageCredentials:
    """The account's key, which the core needs; else a SAS, else Entra ID where the operator asks for it."""
    variable = storage.account_key_env
    name = shown_variable(variable, "storage.account_key_env")
    value = environ.get(variable) if variable else None
    if value and _SAS.match(value) and not _CONNECTION.search(value):
        warn(f"{name} holds a SAS: this console reads the container with it, the core needs the account's key there")
        return StorageCredentials(sas=Secret(value), source=f"env {name}")
    if value:
        if _CONNECTION.search(value):
            warn(f"{name} holds a connection string, and the core needs the key alone: what stands behind AccountKey=")
        return StorageCredentials(account_key=Secret(value), source=f"env {name}")
    blank = None if value is None else Secret("")
    sas = environ.get(azure.sas_env) if azure.sas_env else None
    if sas:
        return StorageCredentials(
            account_key=blank, sas=Secret(sas), source=f"env {shown_variable(azure.sas_env, 'azure.sas_env')}"
        )
    if azure.entra_id:
        return StorageCredentials(account_key=blank, entra=True, source="Entra ID")
    warn(f"storage.provider STORAGE_ACCOUNT requires env var {name}.")
    state = "absent" if value is None else "blank"
    return StorageCredentials(account_key=blank, source=f"none: {name} is {state}")
