"""Which service the contract is held against: the one that was named, else ours on a scratch folder with a harmless engine."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.sidecar.running import start

# Enough for every rule to be broken now and then, in a few seconds; `make conformance` generates thousands.
CASES = 200
ANSWERS = "answers"
"""The property of a test that holds how many of its requests were answered with which status."""
TOKEN = "conformance-token"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Known where this folder is named on the command line. A run of all tests must never reach a service of the operator's."""
    group = parser.getgroup("conformance", "the contract of the IaC service")
    url, token = os.environ.get("KUMOSS_IAC_URL"), os.environ.get("KUMOSS_IAC_TOKEN", "")
    group.addoption("--service-url", default=url, help="the service to ask (or KUMOSS_IAC_URL); else ours, on a scratch folder")
    group.addoption("--service-token", default=token, help="its bearer token (or KUMOSS_IAC_TOKEN)")
    group.addoption("--service-workspace", help="a folder that the service sees; requests that are right become jobs there")
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


@dataclass(kw_only=True)
class Service:
    """The service that is asked. ``workspace`` is a folder that it may be asked to work in, where one is known."""

    url: str
    token: str = field(repr=False)
    workspace: str | None

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


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
    engine = shutil.which("true")
    assert engine is not None, "no program called true"
    running = start(
        {"IAC_BINARY": engine, "KUMOSS_IAC_TOKEN": TOKEN, "IAC_WORKSPACE_ROOT": str(root)}, root.with_suffix(".log"), cwd=root
    )
    try:
        yield Service(url=running.url, token=TOKEN, workspace=str(workspace))
    finally:
        running.stop()
        running.process.communicate()
