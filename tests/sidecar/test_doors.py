"""Connections: those that say nothing make room, those that dawdle are left, and every answer is a problem document."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.sidecar.doors import IDLE_SECONDS, Doors, places_of, watch_accepting
from tests.sidecar.running import COMMAND, Running, close, start
from tests.sidecar.test_registry import Monotonic


@dataclass(eq=False)
class Caller:
    left: bool = False

    def leave(self) -> None:
        self.left = True


def test_whoever_has_waited_longest_makes_room_and_nobody_in_the_middle_of_a_request_does() -> None:
    doors = Doors(3)
    busy, first, second, third, fourth = (Caller() for _ in range(5))
    for caller in (busy, first, second):
        assert doors.enter(caller)
    doors.turn(busy, busy=True)
    doors.turn(first, busy=True)
    doors.turn(first, busy=False)
    assert doors.enter(third)
    assert [caller.left for caller in (busy, first, second, third)] == [False, False, True, False]
    assert len(doors) == 3
    for caller in (first, third):
        doors.turn(caller, busy=True)
    assert not doors.enter(fourth)
    doors.exit(busy)
    assert doors.enter(fourth)


def test_whoever_is_idle_for_too_long_is_left_however_often_it_says_a_little() -> None:
    clock = Monotonic()
    doors = Doors(10, clock)
    early, late, busy = Caller(), Caller(), Caller()
    doors.enter(early)
    doors.enter(busy)
    doors.turn(busy, busy=True)
    clock.seconds = 1.0
    doors.enter(late)
    doors.turn(early, busy=False)  # it said something, but that was no request
    clock.seconds = IDLE_SECONDS + 0.5
    doors.sweep()
    assert [caller.left for caller in (early, late, busy)] == [True, False, False]


@pytest.mark.parametrize(("descriptors", "places"), [(1024, 480), (64, 1), (20, 1), (65536, 32736)])
def test_half_of_the_descriptors_are_for_jobs(descriptors: int, places: int) -> None:
    assert places_of(descriptors) == places


async def test_connections_that_cannot_be_taken_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.get_running_loop()
    watch_accepting(loop)
    refused = {"message": "socket.accept() out of system resource", "exception": OSError(24, os.strerror(24))}
    for _ in range(100):
        loop.call_exception_handler(refused)
    loop.call_exception_handler({"message": "something else"})
    loop.set_exception_handler(None)
    assert caplog.messages == ["no connection can be taken: Too many open files", "something else"]


@pytest.fixture
async def sidecar(tmp_path: Path) -> AsyncIterator[Running]:
    # 88 connections may be open, the rest is for jobs.
    command = ("/bin/sh", "-c", 'ulimit -n 240; exec "$@"', "sh", *COMMAND)
    running = start({"IAC_BINARY": "/bin/true"}, tmp_path / "sidecar.log", command=command)
    yield running
    await close(running)


def connected(sidecar: Running) -> socket.socket:
    host, _, port = sidecar.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def answer_to(sidecar: Running, sent: bytes) -> tuple[str, dict[str, str], bytes]:
    """The status line, the headers and all else until the service hangs up."""
    with connected(sidecar) as connection:
        connection.sendall(sent)
        return received(connection)


def received(connection: socket.socket) -> tuple[str, dict[str, str], bytes]:
    said = b""
    while more := connection.recv(65536):
        said += more
    head, _, body = said.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return first, {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}, body


def check_problem(answer: tuple[str, dict[str, str], bytes], status: int) -> dict[str, Any]:
    first, headers, body = answer
    assert first.startswith(f"HTTP/1.1 {status} ")
    assert headers["content-type"] == "application/problem+json"
    assert headers["x-request-id"]
    if "content-length" not in headers:
        body = body.split(b"\r\n")[1]
    document: dict[str, Any] = json.loads(body)
    assert document["status"] == status
    return document


async def test_hundreds_of_idle_connections_leave_room_for_jobs_and_for_who_asks(sidecar: Running, tmp_path: Path) -> None:
    with ExitStack() as stack:
        for number in range(300):
            connection = stack.enter_context(connected(sidecar))
            if number % 2:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                assert connection.recv(12) == b"HTTP/1.1 200"
        locations = []
        for number in range(10):
            folder = tmp_path / f"workspace-{number}"
            folder.mkdir()
            locations.append(await sidecar.submit("/v1/validate", workspace_path=str(folder)))
        jobs = [await sidecar.job_at(location) for location in locations]
    assert {job["status"] for job in jobs} == {"succeeded"}
    log = sidecar.log.read_text()
    assert "Traceback" not in log
    assert "no connection can be taken" not in log


HEAD = b"POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x00\r\n\r\n",
        b"GET / HTTP/1.1\r\nno header\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000,
        HEAD + b"Content-Length: x\r\n\r\n{}",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["TLS", "no header", "endless header", "no length", "broken body"],
)
async def test_what_is_no_http_is_answered_with_a_problem_document(sent: bytes, sidecar: Running) -> None:
    check_problem(await asyncio.to_thread(answer_to, sidecar, sent), 400)
    assert (await sidecar.client.get("/healthz")).status_code == 200
    assert "Traceback" not in sidecar.log.read_text()


async def test_a_request_whose_body_is_still_open_at_a_stop_is_answered(sidecar: Running) -> None:
    with connected(sidecar) as connection:
        connection.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        assert (await sidecar.client.get("/healthz")).status_code == 200
        sidecar.stop()
        document = check_problem(await asyncio.to_thread(received, connection), 503)
    assert "shutting down" in document["title"]
    assert "Traceback" not in sidecar.log.read_text()


async def test_an_upgrade_that_nobody_offers_is_an_ordinary_request(sidecar: Running) -> None:
    asked = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n"
    first, _, _ = await asyncio.to_thread(answer_to, sidecar, asked)
    assert first.startswith("HTTP/1.1 200 ")


def test_the_service_may_open_as_many_files_as_it_is_allowed_to(tmp_path: Path) -> None:
    # Soft 100, hard 200: with the soft limit alone there would be 18 places.
    command = ("/bin/sh", "-c", 'ulimit -Hn 200; ulimit -Sn 100; exec "$@"', "sh", *COMMAND)
    sidecar = start({"IAC_BINARY": "/bin/true"}, tmp_path / "log", command=command)
    limits = Path(f"/proc/{sidecar.process.pid}/limits")
    try:
        said = limits.read_text() if limits.exists() else "Max open files            200                  200"
    finally:
        sidecar.process.kill()
        sidecar.process.communicate()
    assert "Max open files            200" in said
