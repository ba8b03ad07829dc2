"""Who we are to an S3 store, and where that was taken from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import printable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_METHODS = {
    "explicit": "keys that were set",
    "env": "the environment",
    "shared-credentials-file": "the shared credentials file",
    "config-file": "the shared configuration file",
    "assume-role": "an assumed role",
    "assume-role-with-web-identity": "a web identity",
    "sso": "single sign-on",
    "container-role": "the container's role",
    "iam-role": "the role of this machine",
    "custom-process": "a credential process",
}


def identity(client: S3Client, target: Target, storage: StorageSettings, credentials: StorageCredentials) -> Aspect:
    """The identity as far as it is known without a guess. Only AWS can be asked for its name (STS); keys are never shown."""
    if credentials.static_keys:
        where = credentials.source
    else:
        found: Any = getattr(_signer(client), "_credentials", None)
        if found is None:
            return Aspect(
                name="identity", standing="unknown", said="none was found", evidence="the SDK's credential chain", doubt="failed"
            )
        method = str(getattr(found, "method", ""))
        where = f"the SDK's credential chain: {_METHODS.get(method, method or 'a source it does not name')}"
    if storage.provider is not StorageProvider.S3:
        return Aspect(
            name="identity", standing="plain", said=f"keys from {printable(where)}", evidence="this store has no name for them"
        )
    return Aspect(name="identity", standing="plain", said=_arn(client, storage), evidence=f"from {printable(where)}")


def _signer(client: Any) -> Any:
    """botocore has no public way to the credentials that a client resolved."""
    return getattr(client, "_request_signer", None)


def _arn(client: S3Client, storage: StorageSettings) -> str:
    import boto3
    from botocore.config import Config

    signer: Any = _signer(client)
    frozen = signer._credentials.get_frozen_credentials()
    sts = boto3.client(
        "sts",
        region_name=storage.region,
        aws_access_key_id=frozen.access_key,
        aws_secret_access_key=frozen.secret_key,
        aws_session_token=frozen.token,
        config=Config(
            connect_timeout=storage.connect_timeout, read_timeout=storage.read_timeout, retries={"total_max_attempts": 1}
        ),
    )
    try:
        return printable(str(sts.get_caller_identity()["Arn"]))
    finally:
        sts.close()
