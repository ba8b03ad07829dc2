"""The SDK's client for the store of the settings. boto3 is imported when one is made (230 to 460 ms)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.blocking import THREADS
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def make_client(storage: StorageSettings, credentials: StorageCredentials, *, writes: bool = False) -> S3Client:
    """A client that asks only where the settings say, with static keys where both are set, else with the SDK's chain.

    One for ``writes`` sends each request once. Sent again after a dropped connection, a deletion on a condition is told that the
    condition does not hold, since the first one has done it; one without takes what somebody has written meanwhile.
    """
    import boto3
    import botocore.session
    from botocore.config import Config

    access, secret = credentials.access_key, credentials.secret_key
    static = access is not None and secret is not None and credentials.static_keys
    # With keys of our own the operator's profile has no say: AWS_PROFILE may name one that is not on this machine.
    session = botocore.session.Session({"profile": (None, None, None, None)} if static else None)
    session.get_component("response_parser_factory").set_parser_defaults(timestamp_parser=parse_timestamp)
    # The settings say where the store is, not a variable of the operator's shell.
    session.set_config_variable("ignore_configured_endpoint_urls", True)
    custom = storage.provider is not StorageProvider.S3
    client = boto3.Session(botocore_session=session).client(
        "s3",
        region_name=storage.region,
        endpoint_url=storage.endpoint_url if custom else None,
        config=Config(
            connect_timeout=storage.connect_timeout,
            read_timeout=storage.read_timeout,
            retries={"total_max_attempts": 1 if writes else max(1, storage.max_attempts), "mode": "standard"},
            signature_version="s3v4",
            s3={"addressing_style": "path" if custom else "virtual"},
            # Stores that speak S3 often know no checksum headers; reads do not need them.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            max_pool_connections=THREADS,
            user_agent_extra="kumoss-console",
        ),
        aws_access_key_id=access.reveal() if access is not None and static else None,
        aws_secret_access_key=secret.reveal() if secret is not None and static else None,
    )
    client.meta.events.register_last("before-call.s3", _not_elsewhere)
    return client


def _not_elsewhere(context: dict[str, Any], **_: object) -> None:
    """Keep botocore from following a redirect to another region: the settings are wrong then, for the engines as for us.

    It would also ask without end where a proxy redirects everything (RecursionError seen in botocore 1.44).
    """
    context.setdefault("s3_redirect", {})["redirected"] = True


def parse_timestamp(value: Any) -> datetime:
    """A timestamp of an answer as an aware datetime.

    Stands in for botocore's parser, which tries formats until one fits and halves the speed of a listing (1.26 s against
    0.61 s of CPU for 20,000 keys). What is not ISO 8601 with a zone (headers, epochs) is left to botocore.
    """
    if isinstance(value, str) and value[4:5] == "-":
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            pass
        else:
            return parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)
    from botocore.utils import parse_timestamp as slow

    try:
        return slow(value)
    except (OverflowError, RuntimeError) as error:
        raise ValueError(f"no timestamp: {value!r}") from error
