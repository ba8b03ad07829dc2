"""What an operator should know about an override that can be written, before an ``init`` finds out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings

_DEFAULT_KEY = "rustfsadmin"


def doubts_of_override(storage: StorageSettings, credentials: StorageCredentials, filename: str) -> Iterator[Finding]:
    """Doubts about keys, address and file name; none holds a secret."""
    if filename.startswith("."):
        yield Finding(
            code="override.hidden_file",
            severity=Severity.ERROR,
            subject="paths.backend_override_filename",
            message="the engines ignore files whose name begins with a dot: this override has no effect",
            remedy="Use a name that begins with a letter.",
        )
    if storage.provider is not StorageProvider.STORAGE_ACCOUNT:
        yield from _doubts_of_keys(storage, credentials)
        yield from _doubts_of_address(storage)


def _doubts_of_keys(storage: StorageSettings, credentials: StorageCredentials) -> Iterator[Finding]:
    names = f"{storage.access_key_env} and {storage.secret_key_env}"
    aws = storage.provider is StorageProvider.S3
    if bool(credentials.access_key) != bool(credentials.secret_key):
        missing = storage.secret_key_env if credentials.access_key else storage.access_key_env
        yield Finding(
            code="override.half_credentials",
            severity=Severity.WARNING,
            subject=missing,
            message=f"{missing} is blank: the core embeds keys only where both are set, so none is embedded",
            remedy=f"Set both of {names}, or blank both.",
        )
    elif not credentials.static_keys and aws:
        yield Finding(
            code="override.no_credentials",
            severity=Severity.INFO,
            subject="storage",
            message="no credentials are embedded: the engine uses the identity of the sidecar, not of the core",
            remedy="Grant the sidecar's identity access to the state bucket.",
        )
    elif not credentials.static_keys:
        yield Finding(
            code="override.no_credentials",
            severity=Severity.WARNING,
            subject="storage",
            message=f"no credentials are embedded, because {names} are blank; the core itself would not start",
            remedy=f"Set {names} to a key pair of the store.",
        )
    elif _uses_default(credentials):
        yield Finding(
            code="override.default_credentials",
            severity=Severity.ERROR if aws else Severity.WARNING,
            subject=storage.access_key_env,
            message=f"{_DEFAULT_KEY}, the bundled store's default, is embedded{'; AWS does not know it' if aws else ''}",
            remedy=f"Blank {names} so that the sidecar's own identity is used." if aws else f"Set {names} to a pair of your own.",
        )


def _uses_default(credentials: StorageCredentials) -> bool:
    return any(key is not None and key.reveal() == _DEFAULT_KEY for key in (credentials.access_key, credentials.secret_key))


def _doubts_of_address(storage: StorageSettings) -> Iterator[Finding]:
    if storage.provider is StorageProvider.S3:
        if not storage.region.strip():
            yield Finding(
                code="override.no_region",
                severity=Severity.ERROR,
                subject="storage.region",
                message="the region is blank; the engine finds no bucket without one",
                remedy="Set storage.region to the region of the bucket.",
            )
    elif not re.match(r"(?i)https?://[^/?#]", storage.endpoint_url):
        yield Finding(
            code="override.bad_endpoint",
            severity=Severity.ERROR,
            subject="storage.endpoint_url",
            message="the endpoint is not an http:// or https:// URL; the engine cannot reach the store",
            remedy="Write it as http://HOST:PORT, with a host that the sidecar can resolve.",
        )
    elif "@" in storage.endpoint_url:
        yield Finding(
            code="override.credentials_in_endpoint",
            severity=Severity.WARNING,
            subject="storage.endpoint_url",
            message="the endpoint holds an '@': a user name or password in it is written into every workspace",
            remedy="Give keys by the variables, not in the URL.",
        )
