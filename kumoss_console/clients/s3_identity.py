"""Who we are to an S3 store, and where that was taken from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.endpoint.aspect import Doubt
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
_REFUSALS: dict[str, tuple[str, Doubt]] = {
    "AccessDenied": ("STS may not be asked", "forbidden"),
    "ExpiredToken": ("STS says that the credentials have expired", "failed"),
    "ExpiredTokenException": ("STS says that the credentials have expired", "failed"),
    "InvalidClientTokenId": ("STS does not know the access key", "failed"),
    "UnrecognizedClientException": ("STS does not know the access key", "failed"),
    "SignatureDoesNotMatch": ("STS knows the access key, and the secret key does not match it", "failed"),
    "InvalidToken": ("STS does not take the session token", "failed"),
}
"""What STS answers, in words. Its own message is not quoted: it may name the key."""


def identity(client: S3Client, storage: StorageSettings, credentials: StorageCredentials) -> Aspect:
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
        where = f"the SDK's credential chain: {_METHODS.get(method, printable(method) or 'a source it does not name')}"
    if storage.provider is not StorageProvider.S3:
        return Aspect(
            name="identity", standing="plain", said=f"keys from {printable(where)}", evidence="this store has no name for them"
        )
    return _named(client, storage, printable(where))


def _signer(client: Any) -> Any:
    """botocore has no public way to the credentials that a client resolved."""
    return getattr(client, "_request_signer", None)


def _named(client: S3Client, storage: StorageSettings, where: str) -> Aspect:
    """What STS calls them. Its silence and its refusal say nothing of the store: they are answers of their own."""
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError

    try:
        name = str(_caller(client, storage)["Arn"])
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        said, doubt = _REFUSALS.get(code, ("STS gave no answer to it", "failed"))
        return _nameless(where, said, f"STS GetCallerIdentity: {printable(code) or 'an error without a code'}", doubt)
    except (BotoCoreError, OSError) as error:
        return _nameless(where, "STS cannot be asked from here", f"STS GetCallerIdentity: {type(error).__name__}", "failed")
    except (KeyError, ValueError, ResponseParserError):
        return _nameless(where, "STS gave an answer that is not its own", "STS GetCallerIdentity: no Arn in it", "failed")
    return Aspect(name="identity", standing="plain", said=printable(name), evidence=f"from {where}")


def _nameless(where: str, why: str, evidence: str, doubt: Doubt) -> Aspect:
    said = f"keys from {where}, without a name: {why}"
    return Aspect(name="identity", standing="unknown", said=said, evidence=evidence, doubt=doubt)


def _caller(client: S3Client, storage: StorageSettings) -> Any:
    """One question to the STS of the region's own partition (``amazonaws.com.cn`` for ``cn-``), asked once."""
    import boto3
    import botocore.session
    from botocore.config import Config

    frozen: Any = _signer(client)._credentials.get_frozen_credentials()
    # The keys are given: the operator's profile, which may not be on this machine, has no say.
    session = botocore.session.Session({"profile": (None, None, None, None)})
    sts = boto3.Session(botocore_session=session).client(
        "sts",
        region_name=storage.region,
        aws_access_key_id=frozen.access_key,
        aws_secret_access_key=frozen.secret_key,
        aws_session_token=frozen.token,
        config=Config(
            connect_timeout=storage.connect_timeout,
            read_timeout=storage.read_timeout,
            retries={"total_max_attempts": 1},
            user_agent_extra="kumoss-console",
        ),
    )
    try:
        return sts.get_caller_identity()
    finally:
        sts.close()
