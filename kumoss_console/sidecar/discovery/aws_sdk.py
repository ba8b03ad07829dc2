"""boto3 as the listing needs it: made for one region, heard with care, and every failure in words. All of it blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kumoss_console.sidecar.discovery.aws_wire import fit_answers
from kumoss_console.sidecar.discovery.failure import OTHER_FORM, UNREADABLE, DiscoveryError, told

CONNECT_TIMEOUT = 10
READ_TIMEOUT = 60

_SERVICES = {"STS": "sts", "Resource Explorer": "resource-explorer-2"}
# A refusal of a signature repeats the request that was signed, with the session's token in it.
_SESSION_TOKEN = re.compile(r"(?i)(x-amz-security-token\s*[:=]\s*)\S+")


class Service:
    """One service of AWS in one region."""

    def __init__(self, client: Any, source: str) -> None:
        self._client = client
        self._source = source

    def ask(self, operation: str, /, **arguments: Any) -> Mapping[str, Any]:
        """The answer to ``operation``, named as AWS does. botocore's own retries apply. Raises :class:`DiscoveryError`."""
        from boto3.exceptions import Boto3Error
        from botocore import xform_name
        from botocore.exceptions import BotoCoreError, ClientError
        from botocore.parsers import ResponseParserError

        call = f"{self._source} {operation}"
        try:
            answer: Mapping[str, Any] = getattr(self._client, xform_name(operation))(**arguments)
        except ClientError as error:
            said = error.response.get("Error", {})
            words = f"{said.get('Code', '')}: {said.get('Message', '')}"
            raise DiscoveryError(f"{call} failed: {_told(words)}") from None
        except (BotoCoreError, Boto3Error, ResponseParserError) as error:
            raise DiscoveryError(f"{call} failed: {_told(str(error))}") from None
        except (*UNREADABLE, ValueError):
            raise DiscoveryError(f"{call} failed: {OTHER_FORM}") from None
        return answer

    def close(self) -> None:
        """Close the connections that are idle. Blocks on nothing."""
        self._client.close()


class Sdk:
    """A session of boto3 on the credentials that it finds. Raises :class:`DiscoveryError` where it cannot be made."""

    def __init__(self, region: str) -> None:
        import boto3
        from botocore.exceptions import BotoCoreError

        try:
            self._session = boto3.Session(region_name=region)
        except (BotoCoreError, ValueError) as error:
            raise DiscoveryError(f"AWS session setup failed: {_told(str(error))}") from None

    def service(self, source: str, region: str) -> Service:
        """``source`` is the service's name in messages. Raises :class:`DiscoveryError`."""
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError

        name = _SERVICES[source]
        config = Config(connect_timeout=CONNECT_TIMEOUT, read_timeout=READ_TIMEOUT)
        try:
            client: Any = self._session.client(name, region_name=region, config=config)  # type: ignore[call-overload] # by name
        except (BotoCoreError, ValueError) as error:
            raise DiscoveryError(f"AWS client setup failed for {name}: {_told(str(error))}") from None
        if name != "sts":  # which answers in XML
            fit_answers(client, source)
        return Service(client, source)


def _told(words: str) -> str:
    return told(_SESSION_TOKEN.sub(r"\1********", words))
