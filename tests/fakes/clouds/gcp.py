"""Resource Manager, Cloud Asset Inventory and the endpoints that tokens come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.fakes.clouds.server import Answer, Asked, Cloud, Row

PROJECT = "acme-prod-1"
NUMBER = "123456789012"
TOKEN = "google-token-that-nobody-must-see"


@contextmanager
def gcp_cloud(
    assets: Sequence[Row], *, project: str = PROJECT, number: object = NUMBER, bindings: Sequence[Any] = ()
) -> Iterator[Cloud]:
    """``assets`` (full resource names, or rows) in pages of as many as are asked for; ``bindings`` of the project's policy."""
    operations = {
        ("GET", f"/v1/projects/{project}"): "project",
        ("GET", f"/v1/projects/{project}:searchAllResources"): "search",
        ("POST", f"/v1/projects/{project}:getIamPolicy"): "policy",
        ("POST", "/token"): "token",
    }

    def name_of(method: str, path: str, _: bytes) -> str:
        if path.endswith(":generateAccessToken"):
            return "impersonate"
        return operations.get((method, path), f"{method} {path}")

    def answer(asked: Asked) -> Answer:
        if asked.operation == "token":
            return Answer(body={"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"})
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            return _error(401, "Request had invalid authentication credentials.")
        match asked.operation:
            case "project":
                return Answer(body={"projectId": project, "projectNumber": number, "lifecycleState": "ACTIVE"})
            case "search":
                return Answer(body=_page(assets, asked.query))
            case "policy":
                return Answer(body={"version": 3, "etag": "BwX", "bindings": list(bindings)})
            case "impersonate":
                return Answer(body={"accessToken": TOKEN, "expireTime": "2100-01-01T00:00:00Z"})
        return _error(404, f"there is nothing at {asked.path}")

    cloud = Cloud(name_of, answer)
    cloud.environ = {
        "GOOGLE_OAUTH_ACCESS_TOKEN": TOKEN,
        "GOOGLE_CLOUD_ASSET_CUSTOM_ENDPOINT": f"{cloud.url}/v1/",
        "GOOGLE_RESOURCE_MANAGER_CUSTOM_ENDPOINT": f"{cloud.url}/v1/",
        "GOOGLE_IAM_CREDENTIALS_CUSTOM_ENDPOINT": f"{cloud.url}/v1/",
    }
    with cloud.serving():
        yield cloud


def _page(assets: Sequence[Row], query: Mapping[str, str]) -> dict[str, Any]:
    size = int(query["pageSize"])
    begin = int(query.get("pageToken", "page-0").removeprefix("page-")) * size
    rows = [{"name": row, "assetType": _type(row)} if isinstance(row, str) else row for row in assets[begin : begin + size]]
    more = begin + size < len(assets)
    return {"results": rows} | ({"nextPageToken": f"page-{begin // size + 1}"} if more else {})


def _type(name: str) -> str:
    host = name.removeprefix("//").partition("/")[0]
    return f"{host}/Thing"


def _error(status: int, message: str) -> Answer:
    return Answer(status, {"error": {"code": status, "message": message, "status": "FAILED"}})
