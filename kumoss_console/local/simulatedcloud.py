"""A simulated cloud for the local stack, on loopback: no cloud is asked, and nothing of it is real.

It speaks what the sidecar needs of Azure to list a subscription: the token endpoint of a managed identity, and Resource Graph
with one page. It shows what the states of the small world have in that subscription, and a few things that none of them has.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from kumoss_console.local.objectstore import ObjectStoreEndpoint
from kumoss_console.local.worlds import PROJECTS, SeedProject
from kumoss_console.model.importdiff import state_ids

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_RESOURCES = "/providers/Microsoft.ResourceGraph/resources"
_IDENTITY = "/simulated-identity"
_LARGEST_QUESTION = 64 * 1024
_BY_HAND = (
    "resourceGroups/simulated-by-hand",
    "resourceGroups/simulated-by-hand/providers/Microsoft.Compute/virtualMachines/jumphost",
    "resourceGroups/simulated-by-hand/providers/Microsoft.KeyVault/vaults/kv-by-hand",
    "resourceGroups/simulated-by-hand/providers/Microsoft.Storage/storageAccounts/sabyhand",
)


@contextmanager
def simulated_cloud(store: ObjectStoreEndpoint, bucket: str, filename: str) -> Iterator[dict[str, str]]:
    """The variables that lead a sidecar to it, until the block ends."""
    server = _Server(store, bucket, filename)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True, name="simulated-cloud")
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield {
            "ARM_USE_MSI": "true",
            "ARM_ENDPOINT": url,
            "IDENTITY_ENDPOINT": f"{url}{_IDENTITY}",
            "IDENTITY_HEADER": server.identity,
        }
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, store: ObjectStoreEndpoint, bucket: str, filename: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._store = store
        self._bucket = bucket
        self._filename = filename
        self.identity = secrets.token_urlsafe(16)
        self.token = secrets.token_urlsafe(32)

    def shown(self, subscription: str, projects: Sequence[SeedProject] = PROJECTS) -> list[str]:
        """What there is in a subscription now: what the states of the world have, and what was made by hand."""
        client = self._store.client()
        try:
            ids = [one for project in projects if project.scope == subscription for one in self._of(client, project)]
        finally:
            client.close()
        return [*dict.fromkeys(ids), *(f"/subscriptions/{subscription}/{one}" for one in _BY_HAND)]

    def _of(self, client: S3Client, project: SeedProject) -> tuple[str, ...]:
        key = project.key.object_key(self._filename)
        if not client.list_objects_v2(Bucket=self._bucket, Prefix=key, MaxKeys=1)["KeyCount"]:
            return ()
        return state_ids(client.get_object(Bucket=self._bucket, Key=key)["Body"].read(), key=key).contract_ids


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 30

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path != _IDENTITY or self.headers.get("X-IDENTITY-HEADER") != self.server.identity:
            return self._answer(404, _error("NotFound", "the simulated cloud has nothing there"))
        resource = parse_qs(parts.query).get("resource", [""])[0]
        token = {"access_token": self.server.token, "expires_on": "4102444800", "token_type": "Bearer", "resource": resource}
        return self._answer(200, token)

    def do_POST(self) -> None:
        if urlsplit(self.path).path != _RESOURCES:
            return self._answer(404, _error("NotFound", "the simulated cloud has nothing there"))
        if self.headers.get("Authorization") != f"Bearer {self.server.token}":
            return self._answer(401, _error("AuthenticationFailed", "that is no token of the simulated cloud"))
        try:
            length = min(int(self.headers.get("Content-Length") or 0), _LARGEST_QUESTION)
            subscription = str(json.loads(self.rfile.read(length))["subscriptions"][0])
        except (ValueError, LookupError, TypeError):
            return self._answer(400, _error("BadRequest", "no subscription was named"))
        rows = [{"id": one} for one in self.server.shown(subscription)]
        return self._answer(200, {"totalRecords": len(rows), "count": len(rows), "data": rows, "resultTruncated": "false"})

    def _answer(self, status: int, document: Mapping[str, Any]) -> None:
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
        """Nobody reads it."""


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
