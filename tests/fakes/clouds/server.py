"""What the three clouds have in common: a server on loopback that writes down what it was asked and answers as told."""

from __future__ import annotations

import json
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

Row = str | Mapping[str, Any]
"""An identifier, or a row as the inventory has it."""

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. ``headers`` have lower-case names; ``operation`` is the cloud's word for what it wants."""

    operation: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """The body as JSON; ``None`` where there is none."""
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True, slots=True)
class Answer:
    """``body`` is sent as it is where it is bytes, else as JSON."""

    status: int = 200
    body: object = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Cloud:
    """A server with the answers of one cloud."""

    def __init__(
        self,
        name_of: Callable[[str, str, bytes], str],
        answer: Callable[[Asked], Answer],
        *,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """``name_of`` gives the operation of a method, path and body; ``answer`` what it gets where a test says nothing else."""
        self._scheme = "https" if tls else "http"
        self.environ: dict[str, str] = {}
        self.asked: list[Asked] = []
        self._name_of = name_of
        self._answer = answer
        self._instead: dict[tuple[str, int], Answer] = {}
        self._held: set[tuple[str, int]] = set()
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"cloud": self}))
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    def instead(self, operation: str, answer: Answer, nth: int = 1) -> None:
        """Answer the n-th request of ``operation`` so; with ``nth=0`` every one."""
        self._instead[operation, nth] = answer

    def hold(self, operation: str, nth: int = 1) -> None:
        """Leave the n-th request of ``operation`` without an answer until the cloud closes."""
        self._held.add((operation, nth))

    def calls(self, operation: str) -> int:
        return sum(asked.operation == operation for asked in self.asked)

    def lead(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
        """Set ``environ`` for this process, without any proxy, and give it back."""
        for name in _PROXIES:
            monkeypatch.delenv(name, raising=False)
        for name, value in self.environ.items():
            monkeypatch.setenv(name, value)
        return self.environ

    def take(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer | None:
        """The answer to one request; ``None`` where the cloud closed before it had one."""
        parts = urlsplit(target)
        operation = self._name_of(method, parts.path, body)
        asked = Asked(operation, method, parts.path, dict(parse_qsl(parts.query)), headers, body)
        with self._lock:
            self.asked.append(asked)
            nth = self.calls(operation)
        if (operation, nth) in self._held:
            self._closing.wait()
            return None
        told = self._instead.get((operation, nth)) or self._instead.get((operation, 0))
        return told or self._answer(asked)

    @contextmanager
    def serving(self) -> Iterator[Cloud]:
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._closing.set()
            self._server.shutdown()
            self._server.server_close()
            thread.join()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


class _Handler(BaseHTTPRequestHandler):
    cloud: Cloud
    protocol_version = "HTTP/1.1"
    # Headers and body leave in two writes; without this the second waits 40 ms for the first to be acknowledged.
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.cloud.take(self.command, self.path, headers, body)
        if answer is None:
            self.close_connection = True
            return
        content = answer.content
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = _serve  # noqa: N815 - the standard library's name
    do_POST = _serve  # noqa: N815
    do_PUT = _serve  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nobody reads it."""
