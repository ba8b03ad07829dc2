"""Which service the contract is held against: the one that was named, else ours on a scratch folder with a harmless engine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.checks import SLOW
from tests.conformance.service import Service
from tests.sidecar.running import start

# Enough for every rule to be broken now and then, in a few seconds; `make conformance` generates thousands.
CASES = 200
ANSWERS = "answers"
"""The property of a test that holds how many of its requests were answered with which status."""
TOKEN = "conformance-token"
ENGINE = f'#!/bin/sh\ncase "$*" in *{SLOW}*) exec sleep 0.1;; esac\n'


def pytest_addoption(parser: pytest.Parser) -> None:
    """Known where this folder is named on the command line. A run of all tests must never reach a service of the operator's."""
    group = parser.getgroup("conformance", "the contract of the IaC service")
    url, token = os.environ.get("KUMOSS_IAC_URL"), os.environ.get("KUMOSS_IAC_TOKEN", "")
    group.addoption("--service-url", default=url, help="the service to ask (or KUMOSS_IAC_URL); else ours, on a scratch folder")
    group.addoption("--service-token", default=token, help="its bearer token (or KUMOSS_IAC_TOKEN)")
    group.addoption("--service-workspace", help="a folder that the service sees; requests that are right become jobs there")
    group.addoption("--without-workspace", action="store_true", help="no folder is known: leave out what is tried with jobs")
    group.addoption("--cases", type=int, default=CASES, help="how many requests to generate (default: %(default)s)")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many requests were generated, and how they were answered."""
    statuses: Counter[int] = Counter()
    for report in (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")):
        for name, counted in getattr(report, "user_properties", ()):
            if name == ANSWERS and report.when == "call":
                statuses.update(counted)
    if statuses:
        answers = ", ".join(f"{count} with {status}" for status, count in sorted(statuses.items()))
        terminalreporter.write_line(f"{statuses.total()} generated requests were answered: {answers}")


@pytest.fixture(scope="session")
def cases(pytestconfig: pytest.Config) -> int:
    """How many requests are generated, over all operations."""
    return int(pytestconfig.getoption("cases", CASES))


@pytest.fixture(scope="session")
def contract_service(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    named = pytestconfig.getoption("service_url", None)
    if named:
        workspace = pytestconfig.getoption("service_workspace")
        yield Service(url=named.rstrip("/"), token=pytestconfig.getoption("service_token"), workspace=workspace)
        return
    root: Path = tmp_path_factory.mktemp("conformance")
    workspace = root / "workspace"
    workspace.mkdir()
    engine = root / "engine"
    engine.write_text(ENGINE)
    engine.chmod(0o755)
    environ = {"IAC_BINARY": str(engine), "KUMOSS_IAC_TOKEN": TOKEN, "IAC_WORKSPACE_ROOT": str(root)}
    running = start(environ, root.with_suffix(".log"), cwd=root)
    try:
        yield Service(url=running.url, token=TOKEN, workspace=str(workspace))
    finally:
        running.stop()
        running.process.communicate()


@pytest.fixture
def workspace(contract_service: Service, pytestconfig: pytest.Config) -> str:
    """A folder that the service sees. Without one the run is no proof, so that has to be said."""
    if contract_service.workspace is not None:
        return contract_service.workspace
    if not pytestconfig.getoption("without_workspace"):
        pytest.fail("no folder is known that the service sees: name one with --service-workspace, or say --without-workspace")
    pytest.skip("--without-workspace: nothing is tried with jobs")
