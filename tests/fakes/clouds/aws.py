"""STS and Resource Explorer. Requests are told apart by the region that they were signed for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

from tests.fakes.clouds.server import Answer, Asked, Cloud, Row

ACCOUNT = "123456789012"
REGION = "eu-central-1"
SECRET = "aws-secret-that-nobody-must-see"
SESSION_TOKEN = "aws-session-token-that-nobody-must-see"
_SIGNED_FOR = re.compile(r"Credential=[^/]+/\d{8}/([^/]+)/")


@contextmanager
def aws_cloud(
    resources: Sequence[Row],
    *,
    account: str = ACCOUNT,
    region: str = REGION,
    aggregator: str | None = REGION,
    view: object = "default",
) -> Iterator[Cloud]:
    """``resources`` (ARNs, or rows) of ``account`` in pages of as many as are asked for.

    ``region`` is what the environment says, ``aggregator`` where the index is that knows all others (``None``: there is none);
    only there anything is listed. ``view`` is the default view's name, ``None`` where there is none.
    """

    def name_of(method: str, path: str, body: bytes) -> str:
        if path == "/":
            return parse_qs(body.decode()).get("Action", [""])[0]
        return path.removeprefix("/") if method == "POST" else f"{method} {path}"

    def answer(asked: Asked) -> Answer:
        here = signed_for(asked)
        match asked.operation:
            case "GetCallerIdentity":
                return Answer(body=_identity(account), headers={"Content-Type": "text/xml"})
            case "ListIndexes":
                return Answer(body={"Indexes": [] if aggregator is None else [_index(account, aggregator)]})
            case "GetDefaultView":
                known = here == aggregator and view is not None
                return Answer(body={"ViewArn": f"arn:aws:resource-explorer-2:{here}:{account}:view/{view}"} if known else {})
            case "ListResources" if here == aggregator:
                return Answer(body=_page(resources, account, asked.document))
            case "ListResources":
                return failure(404, "ResourceNotFoundException", "there is no such view in this Region")
        return failure(400, "UnknownOperationException", asked.operation)

    cloud = Cloud(name_of, answer)
    cloud.environ = {
        "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": SESSION_TOKEN,
        "AWS_REGION": region,
        "AWS_ENDPOINT_URL_STS": cloud.url,
        "AWS_ENDPOINT_URL_RESOURCE_EXPLORER_2": cloud.url,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "1",
    }
    with cloud.serving():
        yield cloud


def signed_for(asked: Asked) -> str:
    """The region that a request was signed for, empty where it was not signed."""
    found = _SIGNED_FOR.search(asked.headers.get("authorization", ""))
    return found[1] if found else ""


def failure(status: int, code: str, message: str) -> Answer:
    """A refusal as Resource Explorer words it."""
    return Answer(status, {"message": message}, {"x-amzn-ErrorType": code})


def sts_failure(status: int, code: str, message: str) -> Answer:
    """A refusal as STS words it."""
    body = f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>"
    return Answer(status, body.encode(), {"Content-Type": "text/xml"})


def row(arn: str, *, account: str = ACCOUNT, kind: str = "s3:bucket", tags: Sequence[str] = ()) -> dict[str, Any]:
    """A resource as Resource Explorer shows it through a view with tags."""
    shown = {"Name": "tags", "LastReportedAt": "2026-01-01T00:00:00Z", "Data": [{"Key": key, "Value": "v"} for key in tags]}
    return {
        "Arn": arn,
        "OwningAccountId": account,
        "Region": REGION,
        "ResourceType": kind,
        "Service": kind.partition(":")[0],
        "LastReportedAt": "2026-01-01T00:00:00Z",
        "Properties": [shown] if tags else [],
    }


def _identity(account: str) -> bytes:
    who = f"<UserId>AIDA</UserId><Account>{account}</Account><Arn>arn:aws:iam::{account}:user/ops</Arn>"
    return (
        f'<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>{who}'
        "</GetCallerIdentityResult></GetCallerIdentityResponse>"
    ).encode()


def _index(account: str, region: str) -> dict[str, str]:
    return {"Region": region, "Type": "AGGREGATOR", "Arn": f"arn:aws:resource-explorer-2:{region}:{account}:index/1"}


def _page(resources: Sequence[Row], account: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    size = asked["MaxResults"]
    begin = int(asked.get("NextToken", "page-0").removeprefix("page-")) * size
    rows = [row(given, account=account) if isinstance(given, str) else given for given in resources[begin : begin + size]]
    more = begin + size < len(resources)
    return {"ViewArn": asked["ViewArn"], "Resources": rows} | ({"NextToken": f"page-{begin // size + 1}"} if more else {})
