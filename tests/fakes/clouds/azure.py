"""Resource Graph as the listing meets it, and the token endpoint that a managed identity has on its machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.fakes.clouds.server import Answer, Asked, Cloud, Row

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
TOKEN = "azure-token-that-nobody-must-see"
_IDENTITY = "secret-of-the-identity-endpoint"
_RESOURCES = "/providers/Microsoft.ResourceGraph/resources"
# What Resource Graph's part of KQL does not have.
_UNKNOWN = re.compile(r"\blet\b|leftanti|leftsemi|rightanti|rightsemi|kind\s*=\s*anti", re.IGNORECASE)


@contextmanager
def azure_cloud(ids: Sequence[Row], *, truncated: object = False) -> Iterator[Cloud]:
    """``ids`` (texts, or rows) in pages of as many as are asked for; ``truncated`` is what the last page says of itself."""

    def answer(asked: Asked) -> Answer:
        if asked.operation == "token":
            allowed = asked.headers.get("x-identity-header") == _IDENTITY
            return _token(asked) if allowed else _error(401, "Unauthorized", "no identity header")
        if asked.operation != "resources":
            return _error(404, "NotFound", f"there is nothing at {asked.path}")
        return _refusal(asked) or Answer(body=_page(ids, asked.document["options"], truncated))

    def name_of(method: str, path: str, _: bytes) -> str:
        return {("POST", _RESOURCES): "resources", ("GET", "/identity"): "token"}.get((method, path), f"{method} {path}")

    cloud = Cloud(name_of, answer)
    cloud.environ = {
        "ARM_USE_MSI": "true",
        "ARM_ENDPOINT": cloud.url,
        "IDENTITY_ENDPOINT": f"{cloud.url}/identity",
        "IDENTITY_HEADER": _IDENTITY,
    }
    with cloud.serving():
        yield cloud


def _token(asked: Asked) -> Answer:
    body = {
        "access_token": TOKEN,
        "expires_on": "4102444800",
        "token_type": "Bearer",
        "resource": asked.query.get("resource", ""),
    }
    return Answer(body=body)


def _refusal(asked: Asked) -> Answer | None:
    if asked.headers.get("authorization") != f"Bearer {TOKEN}":
        return _error(401, "AuthenticationFailed", "Authentication failed.")
    if asked.query.get("api-version") != "2022-10-01":
        return _error(400, "InvalidApiVersion", "no such version")
    query = asked.document["query"]
    if (unknown := _UNKNOWN.search(query)) is not None:
        return _error(400, "BadRequest", f"the query cannot be parsed at '{unknown[0]}'")
    if query.count("(") != query.count(")") or query.count("join") > 3 or query.count("'") % 2:
        return _error(400, "BadRequest", "the query cannot be parsed")
    return None


def _page(ids: Sequence[Row], options: Mapping[str, Any], truncated: object) -> dict[str, Any]:
    size = options["$top"]
    begin = int(str(options.get("$skipToken", "page-0")).removeprefix("page-")) * size
    rows = [{"id": row} if isinstance(row, str) else row for row in ids[begin : begin + size]]
    page: dict[str, Any] = {"totalRecords": len(ids), "count": len(rows), "data": rows, "facets": []}
    if begin + size < len(ids):
        # An earlier page says "true" of itself: more rows follow.
        return page | {"$skipToken": f"page-{begin // size + 1}", "resultTruncated": "true"}
    return page | {"resultTruncated": truncated}


def _error(status: int, code: str, message: str) -> Answer:
    return Answer(status, {"error": {"code": code, "message": message}})
