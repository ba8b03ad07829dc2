"""A table on loopback that speaks the four DynamoDB calls of the s3 backend: GetItem, PutItem, DeleteItem, Scan."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Row = dict[str, dict[str, str]]


@dataclass
class FakeTable:
    """``rows`` by LockID. ``page`` is how many rows a Scan looks at; ``refuse`` answers every call with that code; the calls in
    ``dropped`` are done, and the connection ends before the answer."""

    name: str = "tf-locks"
    rows: dict[str, Row] = field(default_factory=dict)
    page: int = 1000
    refuse: str = ""
    dropped: frozenset[str] = frozenset()
    calls: list[str] = field(default_factory=list)
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, name: str, **members: str) -> None:
        self.rows[name] = {"LockID": {"S": name}} | {member: {"S": text} for member, text in members.items()}

    def answer(self, call: str, asked: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        with self._lock:
            self.calls.append(call)
            if self.refuse:
                return _refused(self.refuse)
            if asked["TableName"] != self.name:
                return _refused("ResourceNotFoundException")
            if call == "GetItem":
                row = self.rows.get(asked["Key"]["LockID"]["S"])
                return 200, {} if row is None else {"Item": row}
            if call == "Scan":
                return 200, self._scanned(asked)
            name = (asked.get("Item") or asked["Key"])["LockID"]["S"]
            if not self._holds(asked, self.rows.get(name)):
                return _refused("ConditionalCheckFailedException")
            if call == "PutItem":
                self.rows[name] = asked["Item"]
            else:
                self.rows.pop(name, None)
            return 200, {}

    def _scanned(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        names = sorted(self.rows)
        after = asked.get("ExclusiveStartKey")
        if after:
            names = [name for name in names if name > after["LockID"]["S"]]
        seen, rest = names[: self.page], names[self.page :]
        assert asked["FilterExpression"] == "begins_with(LockID, :bucket)"
        prefix = asked["ExpressionAttributeValues"][":bucket"]["S"]
        found = [self.rows[name] for name in seen if name.startswith(prefix)]
        return {"Items": found} | ({"LastEvaluatedKey": {"LockID": {"S": seen[-1]}}} if rest else {})

    @staticmethod
    def _holds(asked: Mapping[str, Any], row: Row | None) -> bool:
        condition = asked.get("ConditionExpression", "")
        values = asked.get("ExpressionAttributeValues", {})
        known = {
            "": True,
            "Info = :info": row is not None and row.get("Info") == values.get(":info"),
            "Digest = :seen": row is not None and row.get("Digest") == values.get(":seen"),
            "attribute_not_exists(LockID)": row is None,
            "attribute_exists(LockID) AND attribute_not_exists(Info)": row is not None and "Info" not in row,
        }
        return known[condition]


def _refused(code: str) -> tuple[int, dict[str, Any]]:
    return 400, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "said the table"}


@contextmanager
def serving(table: FakeTable) -> Iterator[FakeTable]:
    """The table behind ``table.url`` until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            call = self.headers["X-Amz-Target"].partition(".")[2]
            status, answer = table.answer(call, asked)
            if call in table.dropped:
                self.close_connection = True
                return
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Not into the output of the tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    table.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield table
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
